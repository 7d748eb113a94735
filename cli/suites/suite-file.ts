import { dirname, resolve } from 'node:path'
import type { Client, Reply } from '@diorama/sdk/index.ts'
import { stringify } from 'yaml'
import { Complaint } from '../failure.ts'
import { readText, take } from '../options.ts'
import { parseSuite } from '../plan/read-plan.ts'
import type { SuiteFile } from '../plan/schema.ts'
import { type SavedTasks, saveTasks } from '../plan/tasks.ts'
import type { Terminal } from '../terminal.ts'

type Suite = Reply<'readSuite'>
type Scorer = Reply<'readScorer'>

/** A suite with its tasks and scorers as one YAML file. */
export const suiteText = async (client: Client, suiteId: string): Promise<string> => {
  const suite = await client.suites.get(suiteId)
  const tasks = await take(client.tasks.list(suite.id, { limit: 200 }), 10_000)
  const ids = new Set(tasks.flatMap(({ scorers }) => scorers.map(({ scorerId }) => scorerId)))
  const scorers = new Map<string, Scorer>()
  for (const id of ids) scorers.set(id, await client.scorers.get(id))
  const file = {
    name: suite.name,
    ...(suite.description === '' ? {} : { description: suite.description }),
    unasked_changes: suite.unaskedChanges,
    tasks: tasks.map((task) => ({
      title: task.title,
      instruction: task.instruction,
      ...(task.expectedOutcome === '' ? {} : { expected_outcome: task.expectedOutcome }),
      ...(task.turns === null ? {} : { turns: task.turns }),
      ...(task.crowding === 0 ? {} : { crowding: task.crowding }),
      scorers: task.scorers.flatMap(({ scorerId, weight, passThreshold }) => {
        const scorer = scorers.get(scorerId)
        return scorer ? [{ ...scorerFields(scorer, passThreshold), weight }] : []
      }),
    })),
  }
  return stringify(file, { lineWidth: 0 })
}

const scorerFields = (scorer: Scorer, threshold: number | null) => ({
  name: scorer.name,
  ...(scorer.kind === 'code'
    ? { language: scorer.language, code: scorer.code }
    : {
        prompt: scorer.prompt ?? '',
        choices: Object.fromEntries(scorer.choiceScores.map(({ label, score }) => [label, score])),
        ...(scorer.model === null ? {} : { model: scorer.model }),
        ...(scorer.useCot ? { use_cot: true } : {}),
        ...(scorer.allowSkip ? { allow_skip: true } : {}),
      }),
  pass_threshold: threshold ?? scorer.passThreshold,
})

interface Import {
  readonly text: string
  readonly shownAs: string
  /** The folder that the files of scorers are relative to. */
  readonly folder: string
  readonly environmentVersionId?: string | undefined
  /** The suite to change; else the one of the name in the file, or a new one. */
  readonly suiteId?: string | undefined
}

export interface Imported extends SavedTasks {
  readonly suite: Suite
  readonly isNew: boolean
}

/** Makes a suite as a file says, or brings one up to date. */
export const importSuite = async (client: Client, given: Import): Promise<Imported> => {
  const file = parseSuite(given.text, given.shownAs)
  const found = await targetOf(client, file, given.suiteId)
  const fields = settingsOf(file)
  const suite = found ? await client.suites.update(found.id, fields) : await client.suites.create(fields)
  const saved = await saveTasks(client, suite.id, {
    tasks: file.tasks,
    folder: given.folder,
    environmentVersionId: given.environmentVersionId,
  })
  return { suite: await client.suites.get(suite.id), isNew: found === undefined, ...saved }
}

const settingsOf = ({ name, description, unasked_changes: unaskedChanges }: SuiteFile) => ({
  name,
  ...(description === undefined ? {} : { description }),
  ...(unaskedChanges === undefined ? {} : { unaskedChanges }),
})

const targetOf = async (client: Client, { name }: SuiteFile, suiteId: string | undefined) => {
  if (suiteId !== undefined) return client.suites.get(suiteId)
  const suites = await take(client.suites.list({ limit: 200 }), 10_000)
  return suites.find((one) => one.name === name && one.worldId === null)
}

export const readSuiteFile = async (path: string, terminal: Terminal) => ({
  text: await readText(path, terminal),
  shownAs: path,
  folder: path === '-' ? terminal.cwd : dirname(resolve(terminal.cwd, path)),
})

/** The frozen world that tasks start from, by the world it was made with. */
export const environmentOf = async (client: Client, worldId: string): Promise<string> => {
  const { version, world } = await client.worlds.get(worldId)
  const environments = await take(client.environments.list({ limit: 200 }), 10_000)
  const found = environments.find(({ rootWorldId }) => rootWorldId === version.rootWorldId)
  if (!found?.latestVersionId) throw new Complaint(`${world.name} has no environment for tasks.`)
  return found.latestVersionId
}
