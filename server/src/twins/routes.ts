import type { TwinCreate, twinRoutes } from '@diorama/contract/twins'
import type { TwinIdentity } from '@diorama/twin-kit/kernel/twin'
import { ApiError } from '../http/api-error.ts'
import type { Caller, Handlers } from '../http/handler.ts'
import { decodeCursor, encodeCursor } from '../storage/pages.ts'
import { diffOf } from './diff-pages.ts'
import type { Host } from './host.ts'
import type { ActivityReader } from './ledger/ledger-reader.ts'
import type { ActivityStreams } from './ledger/ledger-stream.ts'
import { isLive } from './placement/placements.ts'
import type { Registry } from './registry.ts'
import type { LedgerRetention } from './retention.ts'
import type { Seeds } from './seeds.ts'
import type { TwinRow } from './store.ts'
import type { Twins } from './twins.ts'

export interface TwinRouteParts {
  readonly twins: Twins
  readonly host: Host
  readonly activity: ActivityReader
  readonly streams: ActivityStreams
  readonly registry: Registry
  readonly retention: LedgerRetention
  readonly seeds: Seeds
  /** The seed of one service in an environment version of the organization. */
  readonly seedOf: (
    organizationId: string,
    environmentVersionId: string,
    service: string,
  ) => Promise<{ sha256: string; entityCount: number } | undefined>
}

export const twinHandlers = (parts: TwinRouteParts): Handlers<typeof twinRoutes> => {
  const { twins, host, activity, streams, registry, retention } = parts
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
      const chosen = chosenSeed(body)
      const order = await seedFor(parts, caller, model, chosen)
      const row = await twins.create(caller, {
        ...order,
        worldId: null,
        position: 0,
        environmentVersionId: body.environment_version_id,
        datasetVersionId: chosen?.id.startsWith('dsv_') ? chosen.id : null,
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
    deleteTwin: async ({ caller, params }) => {
      const row = await rowFor(caller, params.twinId)
      if (row.world_id !== null)
        throw new ApiError('conflict', `The twin belongs to the world ${row.world_id}; delete the world.`)
      if (isLive(row))
        throw new ApiError('conflict', `The twin is ${row.status}; stop it before you delete it.`)
      await retention.deleteTwins([row.id])
      return undefined
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
      activity.read(await rowFor(caller, params.twinId), params.requestId),
    diffTwin: async ({ caller, params, query }) =>
      diffOf({ host, activity }, [await rowFor(caller, params.twinId)], query),
    readTwinState: async ({ caller, params, query }) =>
      statePage(host, await rowFor(caller, params.twinId), query),
    listTwinIdentities: async ({ caller, params }) => {
      const row = await rowFor(caller, params.twinId)
      const identities = await host.inspect(row, { what: 'identities' })
      return { items: identitiesOf(row, identities), next_cursor: null }
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
  chosen: ChosenSeed | undefined,
) => {
  if (!chosen) {
    const compiled = registry.sample(model)
    await seeds.save(compiled)
    seeds.remember(compiled)
    return { seed: await seeds.load(compiled.sha256), entityCount: compiled.entityCount }
  }
  const found = await seedOf(caller.organizationId, chosen.id, model.twin.kind)
  if (found) return { seed: await seeds.load(found.sha256), entityCount: found.entityCount }
  const message = `names no ${chosen.what} with ${model.twin.kind}`
  throw new ApiError('invalid_reference', `${chosen.pointer} ${message}.`, {
    details: [{ pointer: chosen.pointer, message }],
  })
}

interface ChosenSeed {
  readonly id: string
  readonly pointer: string
  readonly what: string
}

/** What the caller wants the twin to begin with, where it is not the sample. */
const chosenSeed = ({ environment_version_id, dataset_version_id }: TwinCreate): ChosenSeed | undefined => {
  if (environment_version_id !== null && dataset_version_id !== null) {
    const message = 'cannot be given with environment_version_id'
    throw new ApiError('invalid_reference', `/dataset_version_id ${message}.`, {
      details: [{ pointer: '/dataset_version_id', message }],
    })
  }
  if (dataset_version_id !== null)
    return { id: dataset_version_id, pointer: '/dataset_version_id', what: 'dataset version' }
  return environment_version_id === null
    ? undefined
    : { id: environment_version_id, pointer: '/environment_version_id', what: 'environment version' }
}

const statePage = async (
  host: Host,
  row: TwinRow,
  query: { collection?: string | undefined; limit: number; cursor?: string | undefined },
) => {
  const collections = [...(await host.inspect(row, { what: 'collections' }))]
  const { collection, limit } = query
  if (collection === undefined) return { collection: null, collections, items: [], next_cursor: null }
  if (!collections.some(({ name }) => name === collection)) throw unknownCollection(collections)
  const after = query.cursor === undefined ? '' : decodeCursor(query.cursor).id
  const { items, more } = await host.inspect(row, { what: 'records', collection, after, limit })
  const last = items.at(-1)?.id
  return {
    collection,
    collections,
    items: [...items],
    next_cursor: last !== undefined && more ? encodeCursor({ at: last, id: last }) : null,
  }
}

const unknownCollection = (collections: readonly { name: string }[]): ApiError => {
  const message = `must be one of ${collections.map(({ name }) => name).join(', ')}`
  return new ApiError(
    'invalid_reference',
    '/query/collection is not a collection of this twin; see collections.',
    { details: [{ pointer: '/query/collection', message }] },
  )
}

const identitiesOf = (row: TwinRow, identities: readonly TwinIdentity[]) => {
  const tokens = new Map(row.principals.map(({ subject, token }) => [subject, token]))
  return identities.map(({ subject, nativeId, name, email }) => ({
    subject,
    native_id: nativeId,
    name,
    email,
    token: tokens.get(subject) ?? '',
  }))
}
