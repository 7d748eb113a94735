import { FrozenTask, ScorerDefinition, type UnaskedPolicy } from '@diorama/contract'
import { checkScorer } from '@diorama/contract/scorer-rules'
import { z } from 'zod'
import type { ReadTask } from '../imports/read-suite.ts'
import type { Files, FixedFiles } from './grader-files.ts'
import { folderFormat, taskFolder } from './task-folder.ts'

const taskFilePath = 'tests/diorama/task.json'
const worldPath = 'environment/diorama/world.json'

/** `tests/diorama/task.json`, as `task-folder.ts` writes it. */
const TaskFile = z.object({
  format: z.literal(folderFormat),
  name: z.string().max(200),
  suite: z.object({ name: z.string().min(1).max(200), description: z.string().max(10_000) }),
  task: FrozenTask,
  services: z.array(z.object({ service: z.string().max(60), hasMcp: z.boolean() })).max(50),
  images: z.object({ base: z.string().max(300), package: z.string().max(300) }),
  oracle: z
    .object({
      reference: z.string().max(250),
      command: z.union([z.string(), z.array(z.string())]),
      env: z.record(z.string(), z.string()),
      timeoutSeconds: z.number(),
    })
    .nullable(),
})

export const isOwnFolder = (files: Files): boolean => files.has(taskFilePath)

export interface OwnTask {
  readonly task: ReadTask
  readonly unasked: UnaskedPolicy
  readonly suite: { readonly name: string; readonly description: string }
}

/**
 * A task that this service exported. Its world and its scorers run here as they are, so what Harbor would run must be
 * exactly what the export writes: a folder with another verifier or another environment is refused.
 */
export const readOwnFolder = (files: Files, fixed: FixedFiles): OwnTask | { readonly refused: string } => {
  const parsed = TaskFile.safeParse(jsonOf(files, taskFilePath))
  if (!parsed.success) return { refused: `${taskFilePath} ${faultOf(parsed.error)}` }
  const { name, suite, task, services, images, oracle } = parsed.data
  const blueprint = task.environment_version_id === null ? null : jsonOf(files, worldPath)
  if (blueprint !== null && (typeof blueprint !== 'object' || Array.isArray(blueprint)))
    return { refused: `${worldPath} is not a JSON object` }
  const expected = taskFolder(
    {
      ...{ name, suite, services, images },
      task,
      blueprint: blueprint as Record<string, unknown> | null,
      oracle: oracle ? { ...oracle, files: {}, bundle: undefined } : undefined,
    },
    fixed,
  )
  const changed = firstDifference(files, expected)
  if (changed !== undefined)
    return {
      refused: `${changed} is not what this version of Diorama writes: the task would be run or graded differently here`,
    }
  const judged = task.scorers.find(({ definition }) => definition.kind !== 'code')
  if (judged) return { refused: `its scorer ${judged.definition.name} is not code` }
  for (const { definition } of task.scorers) {
    const [fault] = checkScorer(ScorerDefinition.parse(definition))
    if (fault) return { refused: `its scorer ${definition.name}: ${fault.pointer.slice(1)} ${fault.message}` }
  }
  return {
    suite,
    unasked: task.unasked_changes ?? 'warn',
    task: {
      name,
      key: task.key,
      title: task.title,
      instruction: task.instruction,
      expected_outcome: task.expected_outcome,
      metadata: task.metadata ?? {},
      blueprint: blueprint as Record<string, unknown> | null,
      scorers: task.scorers,
    },
  }
}

const jsonOf = (files: Files, path: string): unknown => {
  try {
    return JSON.parse(Buffer.from(files.get(path) ?? '').toString('utf8'))
  } catch {
    return undefined
  }
}

const faultOf = ({ issues: [issue] }: z.ZodError): string =>
  issue ? `is wrong at ${issue.path.join('.') || 'its root'}: ${issue.message}` : 'cannot be read'

/** The solution is what an oracle runs, and has no part in how a task is run or graded. */
const decides = (path: string): boolean => !path.startsWith('solution/') && path !== 'README.md'

const firstDifference = (files: Files, expected: Files): string | undefined => {
  const paths = new Set([...files.keys(), ...expected.keys()])
  return [...paths].filter(decides).find((path) => {
    const [found, wanted] = [files.get(path), expected.get(path)]
    return found === undefined || wanted === undefined || !Buffer.from(found).equals(Buffer.from(wanted))
  })
}
