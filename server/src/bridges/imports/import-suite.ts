import type { SuiteImport, TaskContainer, TaskSuite, UnaskedPolicy } from '@diorama/contract'
import type { importFormats, sampleScorers } from '@diorama/contract/suite-exchange'
import { ApiError } from '../../http/api-error.ts'
import type { Caller } from '../../http/handler.ts'
import type { Installed } from '../harbor/foreign-folder.ts'
import { readHarbor } from '../harbor/import.ts'
import { readInspect } from './inspect-samples.ts'
import { readPromptfoo } from './promptfoo.ts'
import type { ReadSuite, ReadTask, Refusal } from './read-suite.ts'

export interface ImportDeps {
  readonly createSuite: (suite: {
    readonly organizationId: string
    readonly name: string
    readonly description: string
    readonly unasked_changes: UnaskedPolicy
    readonly tasks: readonly (Omit<ReadTask, 'name' | 'blueprint' | 'container'> & {
      readonly environment_version_id: string | null
      readonly container: TaskContainer | null
    })[]
    /** What the suite refers to, and keeps from being swept. */
    readonly blobs: readonly string[]
  }) => Promise<{ readonly suiteId: string; readonly taskIds: readonly string[] }>
  readonly readSuite: (organizationId: string, suiteId: string) => Promise<TaskSuite>
  /** Saves a world that trials can copy; nothing of it stays running. */
  /** Stores bytes, and returns their digest. */
  readonly keep: (bytes: Uint8Array) => Promise<string>
  /** What the deployment has for tasks of others. */
  readonly installed: (organizationId: string) => Promise<Installed>
  readonly saveWorld: (caller: Caller, blueprint: Readonly<Record<string, unknown>>) => Promise<string>
}

export interface ImportOrder {
  readonly caller: Caller
  readonly format: (typeof importFormats)[number]
  readonly name: string | undefined
  readonly scorer: (typeof sampleScorers)[number]
  readonly body: Buffer
}

export type SuiteImporter = (order: ImportOrder) => Promise<SuiteImport>

const maxTasks = 10_000

/** Makes a suite of another tool's tasks. What cannot be run as it was meant is refused by name, never weakened. */
export const createSuiteImport =
  (deps: ImportDeps): SuiteImporter =>
  async (order) => {
    const read = await readers[order.format](order, deps)
    const { tasks, refused } = read
    if (tasks.length === 0) throw nothingToImport(refused)
    if (tasks.length > maxTasks)
      throw new ApiError('too_large', `There are ${tasks.length} tasks; an import takes ${maxTasks}.`)
    const { caller } = order
    const { organizationId } = caller
    const worlds = new Map<string, string>()
    for (const { blueprint } of tasks) {
      const text = JSON.stringify(blueprint)
      if (blueprint && !worlds.has(text)) worlds.set(text, await deps.saveWorld(caller, blueprint))
    }
    const containers = await Promise.all(tasks.map(({ container }) => storedContainer(deps, container)))
    const { suiteId, taskIds } = await deps.createSuite({
      organizationId,
      name: order.name ?? read.name.slice(0, 200),
      description: read.description.slice(0, 10_000),
      unasked_changes: read.unasked,
      blobs: containers.flatMap((one) => one?.verifier.tests_sha256 ?? []),
      tasks: tasks.map(({ name: _, blueprint, container: __, ...task }, n) => ({
        ...task,
        container: containers[n] ?? null,
        environment_version_id: blueprint ? (worlds.get(JSON.stringify(blueprint)) ?? null) : null,
      })),
    })
    return {
      suite: await deps.readSuite(organizationId, suiteId),
      tasks: tasks.map(({ name, title }, n) => ({ task_id: taskIds[n] ?? '', name, title })),
      refused: [...refused],
    }
  }

/** The files of a verifier are one blob: an object of their contents in Base64, by path. */
const storedContainer = async (
  { keep }: ImportDeps,
  container: ReadTask['container'],
): Promise<TaskContainer | null> => {
  if (!container) return null
  const { tests, ...verifier } = container.verifier
  const texts = [...(tests ?? [])].map(([path, content]) => [path, Buffer.from(content).toString('base64')])
  const tests_sha256 = tests && (await keep(Buffer.from(JSON.stringify(Object.fromEntries(texts)))))
  return { ...container, verifier: { ...verifier, tests_sha256 } }
}

const readers: Readonly<
  Record<ImportOrder['format'], (order: ImportOrder, deps: ImportDeps) => Promise<ReadSuite> | ReadSuite>
> = {
  harbor: async ({ body, caller }, { installed }) => readHarbor(body, await installed(caller.organizationId)),
  promptfoo: ({ body }) => readPromptfoo(textOf(body)),
  inspect: ({ body, scorer }) => readInspect(textOf(body), scorer),
}

const nothingToImport = (refused: readonly Refusal[]): ApiError => {
  const [first] = refused
  const why = first ? ` ${first.name}: ${first.reason}.` : ' There are no tasks in it.'
  return new ApiError('malformed', `Nothing can be imported.${why}`, {
    details: refused.map(({ name, reason }) => ({ pointer: `/${name}`, message: reason })),
  })
}

const textOf = (body: Buffer): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch (cause) {
    throw new ApiError('malformed', 'The body is not UTF-8 text.', { cause })
  }
}
