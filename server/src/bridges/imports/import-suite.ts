import type { SuiteImport, TaskSuite, UnaskedPolicy } from '@diorama/contract'
import type { importFormats, sampleScorers } from '@diorama/contract/suite-exchange'
import { ApiError } from '../../http/api-error.ts'
import type { Caller } from '../../http/handler.ts'
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
    readonly tasks: readonly (Omit<ReadTask, 'name' | 'blueprint'> & {
      readonly environment_version_id: string | null
    })[]
  }) => Promise<{ readonly suiteId: string; readonly taskIds: readonly string[] }>
  readonly readSuite: (organizationId: string, suiteId: string) => Promise<TaskSuite>
  /** Saves a world that trials can copy; nothing of it stays running. */
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
    const read = await readers[order.format](order)
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
    const { suiteId, taskIds } = await deps.createSuite({
      organizationId,
      name: order.name ?? read.name.slice(0, 200),
      description: read.description.slice(0, 10_000),
      unasked_changes: read.unasked,
      tasks: tasks.map(({ name: _, blueprint, ...task }) => ({
        ...task,
        environment_version_id: blueprint ? (worlds.get(JSON.stringify(blueprint)) ?? null) : null,
      })),
    })
    return {
      suite: await deps.readSuite(organizationId, suiteId),
      tasks: tasks.map(({ name, title }, n) => ({ task_id: taskIds[n] ?? '', name, title })),
      refused: [...refused],
    }
  }

const readers: Readonly<
  Record<ImportOrder['format'], (order: ImportOrder) => Promise<ReadSuite> | ReadSuite>
> = {
  harbor: ({ body }) => readHarbor(body),
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
