import { FrozenTask } from '@diorama/contract'
import { ApiError } from '../../http/api-error.ts'
import { archiveOf, contentDigest } from './archive.ts'
import type { ImageChoice } from './containers.ts'
import { type FixedFiles, fixedFiles } from './grader-files.ts'
import { slugOf, uniqueNames } from './names.ts'
import type { OracleSource } from './solution.ts'
import { type FolderSource, taskFolder } from './task-folder.ts'
import { tomlOf } from './toml/write.ts'

/** What the export must know of a task's world. */
export interface ExportedWorld {
  /** Null where the world has no blueprint, such as one made from a dataset. */
  readonly blueprint: Readonly<Record<string, unknown>> | null
  /** Whether it moves by a story clock: events, coworkers, its own time. */
  readonly moves: boolean
  readonly services: FolderSource['services']
}

export interface ExportDeps {
  readonly version: string
  readonly suite: (
    organizationId: string,
    suiteId: string,
  ) => Promise<{ readonly name: string; readonly description: string; readonly tasks: readonly FrozenTask[] }>
  readonly world: (organizationId: string, environmentVersionId: string) => Promise<ExportedWorld | undefined>
  readonly oracle: (organizationId: string, reference: string) => Promise<OracleSource>
}

export interface ExportOrder {
  readonly organizationId: string
  readonly suiteId: string
  readonly registryOrganization: string
  readonly oracle: string | undefined
  /** Export the rest where a task cannot be exported; otherwise nothing is. */
  readonly skip: boolean
}

/** Gives the dataset as a .tar.gz. */
export type HarborExport = (order: ExportOrder) => Promise<Buffer>

/** A suite as a Harbor dataset: a folder for each task, and `dataset.toml`. */
export const createHarborExport = (deps: ExportDeps): HarborExport => {
  const images: ImageChoice = { base: 'node:24-bookworm', package: `@diorama-dev/cli@${deps.version}` }
  let fixed: Promise<FixedFiles> | undefined
  return async (order) => {
    fixed ??= fixedFiles()
    const { organizationId, registryOrganization } = order
    const suite = await deps.suite(organizationId, order.suiteId)
    const oracle = order.oracle === undefined ? undefined : await deps.oracle(organizationId, order.oracle)
    const names = uniqueNames(
      suite.tasks.map(({ key, title }, n) => key ?? (slugOf(title) || `task-${n + 1}`)),
    )
    const refused: { readonly title: string; readonly reason: string }[] = []
    const files = new Map<string, string | Uint8Array>()
    const listed: { readonly name: string; readonly digest: string }[] = []
    for (const [n, task] of suite.tasks.entries()) {
      const world =
        task.environment_version_id === null
          ? null
          : await deps.world(organizationId, task.environment_version_id)
      const reason = whyNot(task, world)
      if (reason !== undefined) {
        refused.push({ title: task.title, reason })
        continue
      }
      const folder = names[n] ?? `task-${n + 1}`
      const name = `${registryOrganization}/${folder}`
      const made = taskFolder(
        {
          name,
          suite: { name: suite.name, description: suite.description },
          task: portableTask(task, folder),
          blueprint: world?.blueprint ? withoutTasks(world.blueprint) : null,
          services: world?.services ?? [],
          images,
          oracle,
        },
        await fixed,
      )
      for (const [path, content] of made) files.set(`${folder}/${path}`, content)
      listed.push({ name, digest: contentDigest(made) })
    }
    if (refused.length > 0 && !order.skip) throw notExportable(refused)
    files.set('dataset.toml', datasetToml(order, suite, listed))
    if (refused.length > 0) files.set('not-exported.json', `${JSON.stringify(refused, null, 2)}\n`)
    return archiveOf(files)
  }
}

const notExportable = (refused: readonly { title: string; reason: string }[]): ApiError => {
  const details = refused.map(({ title, reason }) => ({ pointer: `/tasks/${title}`, message: reason }))
  const [first] = refused
  return new ApiError(
    'conflict',
    `${refused.length} of the tasks cannot be exported, such as ${first?.title}: ${first?.reason}. Ask for the rest with skip=true.`,
    { details },
  )
}

/** Why a task cannot be a Harbor task: everything that Harbor has no place for. */
const whyNot = (task: FrozenTask, world: ExportedWorld | null | undefined): string | undefined => {
  if (world === undefined) return 'its world is no longer there'
  if (world?.blueprint === null) return 'its world is made from a dataset and has no blueprint'
  if (world?.moves) return 'its world moves by a story clock, which a container of Harbor does not have'
  if (task.container) return 'it was imported from Harbor, and runs in its own container'
  if (task.turns) return 'its agent is started several times (turns)'
  if ((task.crowding ?? 0) > 0) return 'it has decoy servers (crowding)'
  if (task.events.length > 0) return 'it is made from a trace, whose events an agent is shown'
  if (task.scorers.length === 0) return 'it has no scorers'
  const judge = task.scorers.find(({ definition }) => definition.kind !== 'code')
  return judge && `its scorer ${judge.definition.name} is a judge, and a verifier of Harbor has no models`
}

/**
 * Without the ids of this service, and with its fields in the order of the schema, so that the same suite gives the same
 * folders wherever it is.
 */
const portableTask = (task: FrozenTask, folder: string): FrozenTask =>
  FrozenTask.parse({
    ...task,
    id: folder,
    environment_version_id: task.environment_version_id === null ? null : 'world',
    scorers: task.scorers.map((one, n) => ({ ...one, scorer_id: `scorer-${n + 1}`, scorer_version: 1 })),
  })

/** Tasks have no part in a world's seed, and the agent's containers must not show how it is graded. */
const withoutTasks = (blueprint: Readonly<Record<string, unknown>>): Record<string, unknown> => {
  const { tasks: _, suggestedTasks: __, ...scenario } = (blueprint.scenario ?? {}) as Record<string, unknown>
  return { ...blueprint, scenario }
}

const datasetToml = (
  { registryOrganization }: ExportOrder,
  suite: { readonly name: string; readonly description: string },
  tasks: readonly { readonly name: string; readonly digest: string }[],
): string =>
  tomlOf({
    schema_version: '1.0',
    dataset: {
      name: `${registryOrganization}/${slugOf(suite.name) || 'suite'}`,
      description: suite.description || suite.name,
      keywords: ['diorama'],
    },
    tasks,
  })
