import { openAsBlob } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Complaint } from '../failure.ts'
import type { ImportedTask, Pack } from './pack.ts'

/** One question of the benchmark, as its files write it. */
interface Question {
  readonly key: string
  readonly type: string
  readonly text: string
  readonly answers: readonly string[]
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? ''))

const questionsOf = (document: unknown, file: string): Question[] => {
  const rows = Array.isArray(document) ? document : Object.values((document ?? {}) as object)
  return (rows as Record<string, unknown>[]).map((row, n) => {
    const text = row.query ?? row.question ?? row.instruction
    const answer = row.answer ?? row.gt_answer ?? row.ground_truth
    if (typeof text !== 'string') throw new Complaint(`Task ${n + 1} of ${file} has no question.`)
    const context = textOf(row.metadata ?? row.context ?? '')
    return {
      key: String(row.idx ?? row.id ?? n),
      type: String(row.task ?? row.task_type ?? 'question'),
      text: context === '' || context === '""' || context === '{}' ? text : `${text}\n\n${context}`,
      answers: (Array.isArray(answer) ? answer : [answer]).map((one) => String(one ?? 'None')),
    }
  })
}

/**
 * The answer, found in what the agent said by the type that the expected one has: ids by their shape, dates and numbers
 * as such, names as words. No model is asked, so that the score is a variant of the published one.
 */
export const extractScore = (output: string, expected: readonly string[]): number => {
  const clean = (text: string) =>
    text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}.:-]+/gu, ' ')
      .trim()
  const isId = (text: string) => /^[a-zA-Z0-9]{15}([a-zA-Z0-9]{3})?$/.test(text) && /\d/.test(text)
  const last = output.trim().split('\n').at(-1) ?? ''
  const said = new Set(
    [...output.matchAll(/\b[a-zA-Z0-9]{15}(?:[a-zA-Z0-9]{3})?\b/g)].map(([id]) => id).filter(isId),
  )
  const wanted = new Set(expected)
  if (expected.every(isId)) {
    const inLast = [...said].filter((id) => last.includes(id))
    const given = inLast.length > 0 ? inLast : [...said]
    return given.length === wanted.size && given.every((id) => wanted.has(id)) ? 1 : 0
  }
  if (expected.length === 1 && /^none$/i.test(expected[0] ?? ''))
    return /\b(none|no (such|matching|record)|not found)\b/i.test(output) && said.size === 0 ? 1 : 0
  return expected.every((one) => ` ${clean(output)} `.includes(` ${clean(one)} `)) ? 1 : 0
}

const scorerCode = ({ answers }: Question): string => `const expected = ${JSON.stringify(answers)}
const extractScore = ${extractScore.toString()}

export const handler = (input: string, output: string) => {
  const score = extractScore(output, expected)
  return { score, reason: score + '/1 assertions (typed extraction)' }
}
`

export const crmarena: Pack = {
  name: 'crmarena',
  about: 'CRMArena: questions about a CRM, answered by ids, names and dates',
  published: 'exact match (typed extraction)',
  import: async (client, folder, { split, note }) => {
    const files = await readdir(folder, { recursive: true })
    const database = files.find((name) => /\.(db|sqlite3?)$/.test(name))
    if (!database) throw new Complaint(`${folder} does not contain the SQLite file of the organization.`)
    const tasks = files.find((name) => name === `${split}.json`) ?? files.find((name) => /\.json$/.test(name))
    if (!tasks) throw new Complaint(`${folder} does not contain the JSON file of the tasks.`)
    const version = await client.datasets.create(
      await openAsBlob(join(folder, database)),
      { name: 'crmarena', format: 'crm-sqlite', organization: 'CRMArena' },
      { contentType: 'application/x-sqlite3', timeoutMs: 600_000 },
    )
    const suite = await client.suites.create({
      name: 'crmarena',
      description: 'Imported from files of the benchmark; scored by typed extraction, which is a variant.',
      unaskedChanges: 'warn',
    })
    const questions = questionsOf(JSON.parse(await readFile(join(folder, tasks), 'utf8')), tasks)
    const imported: ImportedTask[] = []
    for (const question of questions) {
      const scorer = await client.scorers.create({
        name: `${question.key}: answer`,
        kind: 'code',
        language: 'typescript',
        code: scorerCode(question),
        passThreshold: 1,
      })
      const made = await client.tasks.create(suite.id, {
        title: `${question.type}_${question.key}`.slice(0, 300),
        instruction: `${question.text}\n\nEnd with one line that holds only the answer.`,
        environmentVersionId: version.id,
        scorers: [{ scorerId: scorer.id, weight: 'med', passThreshold: null }],
      })
      imported.push({ id: made.id, key: question.key, group: question.type, defects: [] })
      if (imported.length % 50 === 0) note(`${imported.length} of ${questions.length} tasks are there.`)
    }
    return { suiteId: suite.id, tasks: imported }
  },
}
