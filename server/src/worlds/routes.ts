import { WorldBlueprint } from '@diorama/contract'
import type { sampleRoutes } from '@diorama/contract/samples'
import type { worldRoutes } from '@diorama/contract/worlds'
import { z } from 'zod'
import { notFound } from '../http/api-error.ts'
import { Answer, type Caller, type Handlers } from '../http/handler.ts'
import { inTurns } from '../storage/writers/in-turns.ts'
import type { ActivityReader } from '../twins/ledger/ledger-reader.ts'
import type { ActivityStreams } from '../twins/ledger/ledger-stream.ts'
import type { Registry } from '../twins/registry.ts'
import type { Branch } from './branch.ts'
import { compileBlueprint, examine, seedWarnings, warningText } from './compile.ts'
import type { Launcher } from './launch.ts'
import { createSampleLibrary } from './samples.ts'
import type { EnvironmentVersionRow } from './store.ts'
import type { Worlds } from './worlds.ts'

const scorersAtOnce = 4

type BlueprintScorer = WorldBlueprint['scenario']['tasks'][number]['scorers'][number]['scorer']

/** What is wrong with the syntax of a scorer's code, if anything. */
export type CheckSyntax = (
  scorer: Pick<BlueprintScorer, 'kind' | 'code' | 'language'>,
) => Promise<string | undefined>

export interface WorldRouteParts {
  readonly worlds: Worlds
  readonly launcher: Launcher
  readonly branch: Branch
  readonly activity: ActivityReader
  readonly streams: ActivityStreams
  readonly registry: Registry
  readonly checkSyntax: CheckSyntax
  readonly sample: Record<string, unknown>
}

export const worldHandlers = (parts: WorldRouteParts): Handlers<typeof worldRoutes & typeof sampleRoutes> => {
  const { worlds, launcher, branch, activity, streams, registry, checkSyntax, sample } = parts
  const samples = createSampleLibrary(sample)
  const schema = z.toJSONSchema(WorldBlueprint, { io: 'input', target: 'draft-2020-12' }) as Record<
    string,
    unknown
  >
  const environment = async (caller: Caller, id: string) => {
    const found = await worlds.store.environment(caller.organizationId, id)
    if (!found) throw notFound('environment')
    return found
  }
  return {
    launchWorld: async ({ caller, body, sent, unknownFields }) => {
      const { blueprint } = sent as { blueprint?: Record<string, unknown> }
      const launched = await launcher.launch({ caller, request: body, sent: blueprint ?? {}, unknownFields })
      const reply = { ...worlds.shown(launched.row, launched.twins), warnings: [...launched.warnings] }
      return new Answer(launched.fresh ? 201 : 200, reply)
    },
    listWorlds: async ({ caller, query: { root_world_id, tag, archived, ...page } }) => {
      const { items, nextCursor } = await worlds.store.list(
        caller.organizationId,
        { rootWorldId: root_world_id, tag, archived },
        page,
      )
      return { items: await worlds.summaries(items), next_cursor: nextCursor }
    },
    validateBlueprint: ({ body }) => validated(body.blueprint, registry, checkSyntax),
    readBlueprintSchema: () => schema,
    readSampleBlueprint: () => sample,
    listSamples: async () => ({ items: await samples.list(), next_cursor: null }),
    readSample: async ({ params }) => {
      const blueprint = await samples.read(params.slug)
      if (!blueprint) throw notFound('sample')
      return { ...blueprint }
    },
    readWorld: ({ caller, params }) => worlds.read(caller, params.worldId),
    updateWorld: ({ caller, params, body }) => worlds.update(caller, params.worldId, body),
    listWorldVersions: async ({ caller, params, query }) => {
      const { root_world_id } = await worlds.require(caller.organizationId, params.worldId)
      const { items, nextCursor } = await worlds.store.list(
        caller.organizationId,
        { rootWorldId: root_world_id },
        query,
      )
      return { items: await worlds.summaries(items), next_cursor: nextCursor }
    },
    listWorldActivity: async ({ caller, params, query }) => {
      await worlds.require(caller.organizationId, params.worldId)
      return activity.list({ worldId: params.worldId }, byKind(query, registry))
    },
    streamWorldActivity: async ({ caller, params, query, headers, signal }) => {
      const { id } = await worlds.require(caller.organizationId, params.worldId)
      return streams.open({ worldId: id }, { query: byKind(query, registry), headers, signal })
    },
    diffWorld: ({ caller, params, query }) => worlds.diff(caller, params.worldId, query),
    resetWorld: ({ caller, params }) => worlds.reset(caller, params.worldId),
    deleteWorld: async ({ caller, params }) => {
      await worlds.delete(caller, params.worldId)
      return undefined
    },
    branchWorld: async ({ caller, params, body }) => {
      const world = await worlds.require(caller.organizationId, params.worldId)
      const source = {
        of: { worldId: world.id },
        name: world.name,
        blueprint: world.blueprint,
        twins: await worlds.twinsOf(world),
      }
      const { row, twins } = await branch(caller, source, body)
      return worlds.shown(row, twins)
    },
    stopWorld: ({ caller, params }) => worlds.stop(caller, params.worldId),
    listEnvironments: async ({ caller, query }) => {
      const { items, nextCursor } = await worlds.store.environments(caller.organizationId, query)
      const latest = await worlds.store.latestVersions(items.map(({ id }) => id))
      return { items: items.map((row) => shownEnvironment(row, latest)), next_cursor: nextCursor }
    },
    readEnvironment: async ({ caller, params }) => {
      const row = await environment(caller, params.environmentId)
      return shownEnvironment(row, await worlds.store.latestVersions([row.id]))
    },
    listEnvironmentVersions: async ({ caller, params, query }) => {
      const { id } = await environment(caller, params.environmentId)
      const { items, nextCursor } = await worlds.store.environmentVersions(id, query)
      return { items: items.map(shownVersion), next_cursor: nextCursor }
    },
  }
}

/** A service may be called as its vendor does. */
const byKind = <Q extends { service?: string | undefined }>(query: Q, registry: Registry): Q =>
  query.service === undefined
    ? query
    : { ...query, service: registry.find(query.service)?.twin.kind ?? query.service }

const shownEnvironment = (
  row: { id: string; name: string; root_world_id: string; created_at: Date },
  latest: ReadonlyMap<string, string>,
) => ({
  id: row.id,
  name: row.name,
  root_world_id: row.root_world_id,
  latest_version_id: latest.get(row.id) ?? null,
  created_at: row.created_at.toISOString(),
})

const shownVersion = (row: EnvironmentVersionRow) => ({
  id: row.id,
  environment_id: row.environment_id,
  number: row.number,
  world_id: row.world_id,
  clock: row.clock.toISOString(),
  services: row.services,
  created_at: row.created_at.toISOString(),
})

/** What a launch would say, without one, and what its scorers would say at the first grading. */
const validated = async (sent: unknown, registry: Registry, checkSyntax: CheckSyntax) => {
  const { blueprint, errors: found, warnings } = examine(sent, registry)
  const errors = [...found, ...(blueprint ? await syntaxErrors(blueprint, checkSyntax) : [])]
  if (!blueprint || errors.length > 0) return { valid: false, errors, warnings: [...warnings], summary: null }
  const seeds = compileBlueprint(blueprint, registry)
  const said = seeds.flatMap(seedWarnings).map(warningText)
  return {
    valid: true,
    errors: [],
    warnings: [...warnings, ...said],
    summary: {
      services: seeds.map(({ seed, entityCount, sha256 }) => ({
        service: seed.kind,
        entityCount,
        seedSha256: sha256,
      })),
      people: blueprint.identities.length,
      tasks: blueprint.scenario.tasks.length,
    },
  }
}

const syntaxErrors = async ({ scenario }: WorldBlueprint, checkSyntax: CheckSyntax) => {
  const coded = scenario.tasks.flatMap(({ scorers }, task) =>
    scorers.map(({ scorer }, place) => ({
      scorer,
      pointer: `/scenario/tasks/${task}/scorers/${place}/scorer/code`,
    })),
  )
  const errors = await inTurns(coded, scorersAtOnce, async ({ scorer, pointer }) => {
    const message = await checkSyntax(scorer)
    return message === undefined ? [] : [{ pointer, message }]
  })
  return errors.flat()
}
