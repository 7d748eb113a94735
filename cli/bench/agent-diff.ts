import { openAsBlob } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { kindSpellings, twinKinds } from '@diorama/contract'
import type { Client } from '@diorama/sdk/index.ts'
import { Complaint } from '../failure.ts'
import { type Answer, failedAssertions } from './assertions.ts'
import type { Imported, ImportedTask, Pack } from './pack.ts'
import { project } from './projection.ts'

/** One task of the benchmark, as its files write it. */
export interface DiffTask {
  readonly id: string
  readonly title: string
  readonly question: string
  readonly kind: string
  readonly template: string
  readonly actsAs: string
  readonly answer: Answer
}

/** Reads the tasks of a folder: every JSON Lines file in it that is named as a split. */
export const readTasks = async (folder: string, split: string): Promise<DiffTask[]> => {
  const path = join(folder, `${split}.jsonl`)
  const text = await readFile(path, 'utf8').catch((cause) => {
    throw new Complaint(`${path} cannot be read: it should be a split of the benchmark.`, { cause })
  })
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line, n) => {
      try {
        return taskOf(JSON.parse(line))
      } catch (cause) {
        throw new Complaint(`Line ${n + 1} of ${path} is not a task.`, { cause })
      }
    })
    .filter(({ kind }) => kind !== '')
}

/** A service may be called as its vendor is; those that cannot be copied are left out. */
const kindOf = (service: string): string =>
  kindSpellings[service] ?? twinKinds.find((kind) => kind === service) ?? ''

const parsed = (value: unknown) => (typeof value === 'string' ? JSON.parse(value) : value)

const taskOf = (row: Record<string, unknown>): DiffTask => {
  const info = parsed(row.info) as { seed_template: string; impersonate_user_id: string; service?: string }
  return {
    id: String(row.test_id),
    title: `${row.test_id}: ${row.test_name}`.slice(0, 300),
    question: String(row.question),
    kind: kindOf(String(row.service ?? info.service)),
    template: info.seed_template,
    actsAs: info.impersonate_user_id,
    answer: parsed(row.answer) as Answer,
  }
}

/** The scorer of a task: the assertions as data, and the two functions that read the difference, as text. */
export const scorerCode = ({ answer }: DiffTask): string => `import { world } from 'world-state'

const answer = ${JSON.stringify(answer)}
const project = ${project.toString()}
const failedAssertions = ${failedAssertions.toString()}

export const handler = () => {
  const changes = world.diff()
  const failed = failedAssertions(answer, project(changes))
  // What an assertion is about, and what the benchmark does not look at, was asked for.
  const isAsked = (change) => {
    const tables = project([change])
    const rows = Object.values(tables).flatMap(({ added, removed, changed }) => [...added, ...removed, ...changed])
    return rows.length === 0 || answer.assertions.some((one) => one.expected_count !== 0 &&
      failedAssertions({ assertions: [{ ...one, strict: false, expected_count: { min: 1 } }] }, tables).length === 0)
  }
  world.account(changes.filter(isAsked))
  const total = answer.assertions.length
  const which = failed.length === 0 ? '' : '; failed: ' + failed.join(', ')
  return { score: (total - failed.length) / total, reason: (total - failed.length) + '/' + total + ' assertions' + which }
}
`

const places: Readonly<Record<string, string>> = {
  chat: 'The chat service answers at its usual API address (POST /api/<method>); any bearer token is replaced by the right one.',
  tracker:
    'The issue tracker answers at its usual GraphQL address; any API key is replaced by the right one.',
}

/** Tasks that pass on anything, and tasks that nobody can pass, as far as that shows by reading them. */
export const defectsOf = (task: DiffTask, seed: Readonly<Record<string, readonly Row[]>>): Defect[] => {
  const defects: Defect[] = []
  const { assertions } = task.answer
  const isBare = assertions.some(
    ({ where = {}, diff_type }) => diff_type !== 'changed' && Object.keys(where).length === 0,
  )
  if (assertions.every(({ where = {} }) => Object.keys(where).length === 0)) defects.push('loose')
  else if (isBare) defects.push('partly loose')
  for (const { entity, diff_type, where = {} } of assertions) {
    if (entity !== 'messages' || diff_type === 'added') continue
    const rows = seed.messages ?? []
    const fitting = failedOf(rows, where)
    if (fitting.length > 0 && fitting.every(({ user_id }) => user_id !== task.actsAs))
      defects.push('unsolvable')
  }
  return [...new Set(defects)]
}
export type Defect = 'loose' | 'partly loose' | 'unsolvable'
type Row = Readonly<Record<string, unknown>>

/** The seed's rows that an assertion could be about. */
const failedOf = (rows: readonly Row[], where: Readonly<Record<string, unknown>>): readonly Row[] =>
  rows.filter((row) => {
    const table = { added: [{ ...row }], removed: [], changed: [] }
    return (
      failedAssertions(
        { assertions: [{ diff_type: 'added', entity: 'messages', where }] },
        { messages: table },
      ).length === 0
    )
  })

/** Where the seed of a template is: beside the splits, or in the folders of the benchmark's repository. */
const seedFile = async (folder: string, template: string): Promise<string> => {
  const files = await readdir(folder, { recursive: true })
  const found = files.find((name) => name === `${template}.json` || name.endsWith(`/${template}.json`))
  if (!found)
    throw new Complaint(`${folder} does not contain ${template}.json, the seed that its tasks need.`)
  return join(folder, found)
}

export const agentDiff: Pack = {
  name: 'agent-diff',
  about: 'Agent-Diff: tasks on a chat and an issue tracker, scored by what changed',
  published: 'assertion-weighted score',
  import: async (client, folder, { split, note }) => {
    const tasks = await readTasks(folder, split)
    const suite = await client.suites.create({
      name: `agent-diff (${split})`,
      description: 'Imported from files of the benchmark; scored by its assertions.',
      unaskedChanges: 'warn',
    })
    const seeds = await importSeeds(client, folder, tasks)
    const imported: ImportedTask[] = []
    for (const task of tasks) {
      const seed = seeds.get(`${task.template} ${task.actsAs}`)
      if (!seed) throw new Error('a seed was not imported')
      imported.push(await importTask(client, suite.id, task, seed))
      if (imported.length % 20 === 0) note(`${imported.length} of ${tasks.length} tasks are there.`)
    }
    return { suiteId: suite.id, tasks: imported } satisfies Imported
  },
}

interface ImportedSeed {
  readonly versionId: string
  readonly rows: Readonly<Record<string, readonly Row[]>>
}

const importSeeds = async (client: Client, folder: string, tasks: readonly DiffTask[]) => {
  const seeds = new Map<string, ImportedSeed>()
  for (const { kind, template, actsAs } of tasks) {
    const key = `${template} ${actsAs}`
    if (seeds.has(key)) continue
    const path = await seedFile(folder, template)
    const version = await client.datasets.create(
      await openAsBlob(path),
      { name: `agent-diff ${template}`, format: `${kind}-tables`, actsAs, organization: 'Agent-Diff' },
      { contentType: 'application/json', timeoutMs: 600_000 },
    )
    seeds.set(key, { versionId: version.id, rows: JSON.parse(await readFile(path, 'utf8')) })
  }
  return seeds
}

const importTask = async (
  client: Client,
  suiteId: string,
  task: DiffTask,
  { versionId, rows }: ImportedSeed,
): Promise<ImportedTask> => {
  const scorer = await client.scorers.create({
    name: `${task.id}: assertions`,
    description: 'The share of the assertions that hold; passed when all do.',
    kind: 'code',
    language: 'typescript',
    code: scorerCode(task),
    passThreshold: 1,
  })
  const made = await client.tasks.create(suiteId, {
    title: task.title,
    instruction: `${task.question}\n\n${places[task.kind] ?? ''}`,
    environmentVersionId: versionId,
    scorers: [{ scorerId: scorer.id, weight: 'med', passThreshold: null }],
  })
  return { id: made.id, key: task.id, group: task.kind, defects: defectsOf(task, rows) }
}
