import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Client } from '@diorama/sdk/index.ts'
import { Complaint } from '../failure.ts'
import { take } from '../options.ts'
import type { PlannedTask } from './schema.ts'

interface PlannedSuite {
  readonly name: string
  readonly tasks: readonly PlannedTask[]
  /** The folder that the files of scorers are relative to. */
  readonly folder: string
  readonly environmentVersionId: string
}

/** Makes the suite of an evaluation file, or brings the one of this name up to date; returns its id. */
export const saveSuite = async (client: Client, planned: PlannedSuite): Promise<string> => {
  const { name, tasks, folder, environmentVersionId } = planned
  const suites = await take(client.suites.list({ limit: 200 }), 10_000)
  const suite =
    suites.find((one) => one.name === name && one.worldId === null) ?? (await client.suites.create({ name }))
  for (const task of await take(client.tasks.list(suite.id, { limit: 200 }), 10_000))
    await client.tasks.delete(suite.id, task.id)
  for (const task of tasks) {
    const scorers = []
    for (const scorer of task.scorers)
      scorers.push({ scorerId: await saveScorer(client, scorer, folder), weight: scorer.weight })
    await client.tasks.create(suite.id, {
      title: task.title,
      instruction: task.instruction,
      expectedOutcome: task.expected_outcome,
      environmentVersionId,
      scorers,
    })
  }
  return suite.id
}

const saveScorer = async (client: Client, scorer: PlannedTask['scorers'][number], folder: string) => {
  const { name, file, prompt, choices, pass_threshold: passThreshold } = scorer
  const code = file === undefined ? scorer.code : await readCode(resolve(folder, file), file)
  const language =
    file === undefined
      ? scorer.language
      : file.endsWith('.py')
        ? ('python' as const)
        : ('typescript' as const)
  const choiceScores = Object.entries(choices ?? {}).map(([label, score]) => ({ label, score }))
  const definition =
    prompt === undefined
      ? { name, kind: 'code' as const, code, language, passThreshold }
      : { name, kind: 'llm-judge' as const, prompt, choiceScores, passThreshold }
  const known = await take(client.scorers.list({ limit: 200 }), 10_000)
  const found = known.find((one) => one.name === name)
  const saved = found
    ? await client.scorers.update(found.id, { ...definition, slug: found.slug })
    : await client.scorers.create(definition)
  return saved.id
}

const readCode = (path: string, shownAs: string): Promise<string> =>
  readFile(path, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw new Complaint(`The scorer ${shownAs} cannot be read: ${cause.code}`, { cause })
  })
