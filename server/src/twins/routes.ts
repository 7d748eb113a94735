import type { twinRoutes } from '@diorama/contract/twins'
import type { Caller, Handlers } from '../http/handler.ts'
import { Refused } from '../http/refused.ts'
import { decodeCursor, encodeCursor } from '../storage/pages.ts'
import type { ActivityReader } from './ledger/ledger-reader.ts'
import type { ActivityStreams } from './ledger/ledger-stream.ts'
import type { LiveTwin } from './live.ts'
import { collectionsOf, diffEntries, diffSummary, keyFor, presented, recordsOf } from './records.ts'
import type { Registry } from './registry.ts'
import type { Seeds } from './seeds.ts'
import type { TwinRow } from './store.ts'
import type { Twins } from './twins.ts'

export interface TwinRouteParts {
  readonly twins: Twins
  readonly activity: ActivityReader
  readonly streams: ActivityStreams
  readonly registry: Registry
  readonly seeds: Seeds
  /** The seed of one service in an environment version of the organization. */
  readonly seedOf: (
    organizationId: string,
    environmentVersionId: string,
    service: string,
  ) => Promise<{ sha256: string; entityCount: number } | undefined>
}

export const twinHandlers = (parts: TwinRouteParts): Handlers<typeof twinRoutes> => {
  const { twins, activity, streams, registry } = parts
  const rowFor = (caller: Caller, id: string) => twins.require(caller.organizationId, id)
  return {
    listTwinModels: () => ({ items: registry.models.map(({ twin }) => modelOf(twin)), next_cursor: null }),
    listTwins: async ({ caller, query: { limit, cursor, ...filter } }) => {
      const service =
        filter.service === undefined
          ? undefined
          : (registry.find(filter.service)?.twin.kind ?? filter.service)
      const { items, nextCursor } = await twins.store.list(
        caller.organizationId,
        { ...filter, service },
        { limit, cursor },
      )
      return { items: items.map(twins.shown), next_cursor: nextCursor }
    },
    createTwin: async ({ caller, body }) => {
      const model = registry.require(body.service)
      const order = await seedFor(parts, caller, model, body.environment_version_id)
      const row = await twins.create(caller, {
        ...order,
        worldId: null,
        position: 0,
        environmentVersionId: body.environment_version_id,
        trialId: null,
        ttlMs: body.ttl_hours * 3_600_000,
      })
      return twins.shown(row)
    },
    readTwin: async ({ caller, params }) => twins.shown(await rowFor(caller, params.twinId)),
    resetTwin: async ({ caller, params }) =>
      twins.shown(await twins.reset(await rowFor(caller, params.twinId))),
    stopTwin: async ({ caller, params }) => {
      const row = await rowFor(caller, params.twinId)
      const [stopped = row] = await twins.stop([row])
      return twins.shown(stopped)
    },
    listTwinActivity: async ({ caller, params, query }) => {
      await rowFor(caller, params.twinId)
      return activity.list({ twinId: params.twinId }, query)
    },
    streamTwinActivity: async (incoming) => {
      const { id } = await rowFor(incoming.caller, incoming.params.twinId)
      return streams.open({ twinId: id }, incoming)
    },
    readTwinActivity: async ({ caller, params }) =>
      activity.read(await twins.look(await rowFor(caller, params.twinId)), params.requestId),
    diffTwin: async ({ caller, params }) => {
      const twin = await twins.look(await rowFor(caller, params.twinId))
      const items = diffEntries(twin.service, twin.instance)
      return { summary: diffSummary(items), items }
    },
    readTwinState: async ({ caller, params, query }) =>
      statePage(await twins.look(await rowFor(caller, params.twinId)), query),
    listTwinIdentities: async ({ caller, params }) => {
      const row = await rowFor(caller, params.twinId)
      return { items: identitiesOf(row, await twins.look(row)), next_cursor: null }
    },
  }
}

const modelOf = (twin: Registry['models'][number]['twin']) => {
  const count = (status: string) => twin.coverage.filter((entry) => entry.status === status).length
  return {
    id: twin.kind,
    stands_for: twin.standsFor,
    hosts: [...twin.hosts],
    coverage: [...twin.coverage],
    summary: { done: count('done'), partial: count('partial'), not_emulated: count('not emulated') },
  }
}

const seedFor = async (
  { registry, seeds, seedOf }: TwinRouteParts,
  caller: Caller,
  model: ReturnType<Registry['require']>,
  environmentVersionId: string | null,
) => {
  if (environmentVersionId === null) {
    const compiled = registry.sample(model)
    await seeds.save(compiled)
    seeds.remember(compiled)
    return { seed: await seeds.load(compiled.sha256), entityCount: compiled.entityCount }
  }
  const found = await seedOf(caller.organizationId, environmentVersionId, model.twin.kind)
  if (found) return { seed: await seeds.load(found.sha256), entityCount: found.entityCount }
  const message = `names no environment version with ${model.twin.kind}`
  throw new Refused('invalid_reference', `/environment_version_id ${message}.`, {
    details: [{ pointer: '/environment_version_id', message }],
  })
}

const statePage = (
  { instance }: LiveTwin,
  query: { collection?: string | undefined; limit: number; cursor?: string | undefined },
) => {
  const collections = collectionsOf(instance)
  const { collection } = query
  if (collection === undefined) return { collection: null, collections, items: [], next_cursor: null }
  if (!collections.some(({ name }) => name === collection))
    throw new Refused(
      'invalid_reference',
      `/query/collection is not a collection of this twin; see collections.`,
      {
        details: [
          {
            pointer: '/query/collection',
            message: `must be one of ${collections.map(({ name }) => name).join(', ')}`,
          },
        ],
      },
    )
  const after = query.cursor === undefined ? '' : decodeCursor(query.cursor).id
  const records = recordsOf(instance, collection)
  const ids = [...records.keys()].filter((id) => id > after).sort()
  const page = ids.slice(0, query.limit)
  const last = page.at(-1)
  return {
    collection,
    collections,
    items: page.map((id) => ({
      id,
      key: keyFor(instance, collection, id),
      record: presented(instance, collection, records.get(id) ?? null) ?? {},
    })),
    next_cursor: last !== undefined && ids.length > page.length ? encodeCursor({ at: last, id: last }) : null,
  }
}

const identitiesOf = (row: TwinRow, { instance }: LiveTwin) => {
  const tokens = new Map(row.principals.map(({ subject, token }) => [subject, token]))
  return instance.twin.identities(instance.tables).map(({ subject, nativeId, name, email }) => ({
    subject,
    native_id: nativeId,
    name,
    email,
    token: tokens.get(subject) ?? '',
  }))
}
