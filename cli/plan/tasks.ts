import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Client, Reply } from '@diorama/sdk/index.ts'
import { unreadable } from '../failure.ts'
import { take } from '../options.ts'
import type { PlannedScorer, PlannedTask } from './schema.ts'

export interface PlannedTasks {
  readonly tasks: readonly PlannedTask[]
  /** The folder that the files of scorers are relative to. */
  readonly folder: string
  /** The world of the tasks; those that are there keep theirs when it is left out. */
  readonly environmentVersionId?: string | undefined
}

export interface SavedTasks {
  readonly created: number
  readonly updated: number
  readonly deleted: number
}

type Scorer = Reply<'listScorers'>['items'][number]

/** Makes the suite of an evaluation file, or brings the one of this name up to date; returns its id. */
export const saveSuite = async (
  client: Client,
  planned: PlannedTasks & { name: string },
): Promise<string> => {
  const suites = await take(client.suites.list({ limit: 200 }), 10_000)
  const suite =
    suites.find((one) => one.name === planned.name && one.worldId === null) ??
    (await client.suites.create({ name: planned.name }))
  await saveTasks(client, suite.id, planned)
  return suite.id
}

/**
 * Brings the tasks of a suite up to date. A task is known by its title: it keeps its id, so that runs before and after
 * can be compared.
 */
export const saveTasks = async (
  client: Client,
  suiteId: string,
  { tasks, folder, environmentVersionId }: PlannedTasks,
): Promise<SavedTasks> => {
  const there = await take(client.tasks.list(suiteId, { limit: 200 }), 10_000)
  const left = new Set(there)
  const library = await take(client.scorers.list({ limit: 200 }), 10_000)
  const world = environmentVersionId ?? there.find((task) => task.environmentVersionId)?.environmentVersionId
  let updated = 0
  for (const task of tasks) {
    const scorers = []
    for (const scorer of task.scorers)
      scorers.push({ scorerId: await saveScorer(client, library, scorer, folder), weight: scorer.weight })
    const fields = {
      title: task.title,
      instruction: task.instruction,
      expectedOutcome: task.expected_outcome,
      ...(task.turns === undefined ? {} : { turns: task.turns }),
      ...(task.crowding === undefined ? {} : { crowding: task.crowding }),
    }
    const same = [...left].find(({ title }) => title === task.title)
    if (!same) {
      await client.tasks.create(suiteId, { ...fields, environmentVersionId: world ?? null, scorers })
      continue
    }
    left.delete(same)
    updated += 1
    const moved = environmentVersionId === undefined ? {} : { environmentVersionId }
    await client.tasks.update(suiteId, same.id, { ...fields, ...moved })
    await client.tasks.setScorers(suiteId, same.id, { scorers })
  }
  for (const task of left) await client.tasks.delete(suiteId, task.id)
  return { created: tasks.length - updated, updated, deleted: left.size }
}

/** The scorer of this name in the library, in a new version where its definition changed. */
const saveScorer = async (client: Client, library: Scorer[], planned: PlannedScorer, folder: string) => {
  const definition = await definitionOf(planned, folder)
  const place = library.findIndex((one) => one.name === planned.name)
  const found = library[place]
  if (!found) {
    const made = await client.scorers.create(definition)
    library.push(made)
    return made.id
  }
  if (!isSame(found, definition))
    library[place] = await client.scorers.update(found.id, {
      ...definition,
      slug: found.slug,
      description: found.description,
    })
  return found.id
}

type Definition = Awaited<ReturnType<typeof definitionOf>>

const isSame = (found: Scorer, wanted: Definition): boolean =>
  Object.entries(wanted).every(
    ([field, value]) => JSON.stringify(found[field as keyof Scorer]) === JSON.stringify(value),
  )

/** A scorer as the library keeps it. */
export const definitionOf = async (scorer: PlannedScorer, folder: string) => {
  const { name, file, prompt, choices, pass_threshold: passThreshold } = scorer
  const code = file === undefined ? scorer.code : await readCode(resolve(folder, file), file)
  const language = file === undefined ? scorer.language : languageOf(file)
  const choiceScores = Object.entries(choices ?? {}).map(([label, score]) => ({ label, score }))
  if (prompt === undefined) return { name, kind: 'code' as const, code, language, passThreshold }
  return {
    ...{ name, kind: 'llm-judge' as const, prompt, choiceScores, passThreshold },
    ...{ model: scorer.model ?? null, useCot: scorer.use_cot, allowSkip: scorer.allow_skip },
  }
}

export const languageOf = (file: string): 'python' | 'typescript' =>
  file.endsWith('.py') ? 'python' : 'typescript'

const readCode = (path: string, shownAs: string): Promise<string> =>
  readFile(path, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw unreadable(`The scorer file ${shownAs}`, cause)
  })
