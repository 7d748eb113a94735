import { readFileSync } from 'node:fs'
import { sampleCompany } from '../../../server/src/worlds/sample.ts'
import { eventually } from '../../eventually.ts'
import type { Api } from './api.ts'

/** An evaluation that can be run any number of times with the same verdicts. */
export interface Exam {
  readonly suiteId: string
  readonly agents: readonly string[]
  /** Of each run: an organization may start runs of a certain size only. */
  readonly repetitions: readonly number[]
}

export interface ExamResult {
  /** By run, agent, task and repetition. */
  readonly verdicts: ReadonlyMap<string, string>
  readonly voidedAttempts: number
  readonly faults: readonly string[]
}

const agents = ['careful', 'careless']
const tasks = 4
const maxTrials = 200

/** The sample company with an agent that passes its tasks and one that fails them. */
export const prepareExam = async (api: Api, trials: number): Promise<Exam> => {
  const world = await api.call('POST', '/v1/builder/worlds', { blueprint: sampleCompany })
  for (const name of agents) {
    const file = new URL(`../../../examples/agents/${name}/agent.mjs`, import.meta.url)
    await api.call('POST', '/v1/agents/register', {
      name,
      version: '1',
      files: { 'agent.mjs': readFileSync(file, 'utf8') },
      run: { command: ['node', 'agent.mjs'] },
    })
  }
  const each = agents.length * tasks
  const all = Math.ceil(trials / each)
  const maxRepetitions = Math.floor(maxTrials / each)
  return {
    suiteId: world.evaluation.taskSuiteId,
    agents: agents.map((name) => `${name}@1`),
    repetitions: Array.from({ length: Math.ceil(all / maxRepetitions) }, (_, n) =>
      Math.min(maxRepetitions, all - n * maxRepetitions),
    ),
  }
}

/** Starts the runs; resolves to their ids. */
export const startExam = async (api: Api, { suiteId, agents, repetitions }: Exam): Promise<string[]> => {
  const ids: string[] = []
  for (const count of repetitions) {
    const job = await api.call('POST', '/v1/backtests/jobs', {
      task_suite_id: suiteId,
      agents,
      trials_per_task: count,
      concurrency: 6,
    })
    ids.push(job.id)
  }
  return ids
}

/** Waits for the end of its runs, and reads what a user would: trials, events, runs and traces. */
export const readExam = async (api: Api, jobIds: readonly string[]): Promise<ExamResult> => {
  const results = await Promise.all(jobIds.map((jobId) => readRun(api, jobId)))
  return {
    verdicts: new Map(
      results.flatMap(({ verdicts }, run) =>
        [...verdicts].map(([key, verdict]) => [`${run} ${key}`, verdict]),
      ),
    ),
    voidedAttempts: results.reduce((sum, { voidedAttempts }) => sum + voidedAttempts, 0),
    faults: results.flatMap(({ faults }) => faults),
  }
}

const isOver = async (api: Api, jobId: string): Promise<boolean> =>
  (await api.call('GET', `/v1/backtests/jobs/${jobId}`)).finished_at !== null

interface Trial {
  readonly id: string
  readonly agent: string
  readonly task_id: string
  readonly repetition: number
  readonly status: string
  readonly passed: boolean | null
  readonly error: string | null
  readonly scores: readonly { readonly scorer: string; readonly score: number | null }[]
  readonly voided_attempts?: readonly unknown[]
}

const readRun = async (api: Api, jobId: string): Promise<ExamResult> => {
  await eventually(() => isOver(api, jobId), `the evaluation ${jobId} did not end`, 15_000)
  const job = await api.call('GET', `/v1/backtests/jobs/${jobId}`)
  const trials: Trial[] = []
  let cursor = ''
  do {
    const page = await api.call('GET', `/v1/backtests/jobs/${jobId}/trials?limit=100${cursor}`)
    trials.push(...page.items)
    cursor = page.next_cursor ? `&cursor=${encodeURIComponent(page.next_cursor)}` : ''
  } while (cursor !== '')
  const faults: string[] = []
  const verdicts = new Map<string, string>()
  for (const trial of trials) {
    const key = `${trial.agent} ${trial.task_id} ${trial.repetition}`
    if (verdicts.has(key)) faults.push(`${key} was tried twice`)
    verdicts.set(key, verdictOf(trial))
  }
  if (job.status !== 'succeeded') faults.push(`the evaluation ${jobId} ended as ${job.status}`)
  if (trials.length !== job.total_trials)
    faults.push(`there are ${trials.length} trials of ${job.total_trials}`)
  faults.push(...(await wrongEvents(api, jobId, trials)), ...(await wrongRecords(api, trials)))
  return {
    verdicts,
    voidedAttempts: trials.reduce((sum, { voided_attempts = [] }) => sum + voided_attempts.length, 0),
    faults,
  }
}

const verdictOf = ({ status, passed, scores, error }: Trial): string =>
  JSON.stringify([
    status,
    passed,
    scores.map(({ scorer, score }) => [scorer, score]),
    ...(status === 'errored' ? [error] : []),
  ])

/** Each trial ends once, and the evaluation ends once, after them all. */
const wrongEvents = async (api: Api, jobId: string, trials: readonly Trial[]): Promise<string[]> => {
  const text: string = await api.call('GET', `/v1/backtests/jobs/${jobId}/stream`)
  const ended = text
    .split('\n\n')
    .filter((event) => /^event: trial_finished$/m.test(event))
    .map((event) => trials.find(({ id }) => event.includes(id))?.id)
  const finished = text.match(/^event: run_finished$/gm)?.length ?? 0
  return [
    ...(finished === 1 ? [] : [`the evaluation ${jobId} ended ${finished} times`]),
    ...trials.flatMap(({ id }) => {
      const times = ended.filter((one) => one === id).length
      return times === 1 ? [] : [`trial ${id} ended ${times} times`]
    }),
  ]
}

const wrongRecords = async (api: Api, trials: readonly Trial[]): Promise<string[]> => {
  const missing: string[] = []
  for (const { id } of trials.filter(({ status }) => status === 'succeeded' || status === 'failed'))
    for (const path of [`/v1/traces/${id}`, `/v1/agents/runs/${id}`])
      await eventually(async () => (await api.call('GET', path)).trace_id === id, path, 50).catch(() =>
        missing.push(`${path} was not recorded`),
      )
  return missing
}

/** Where the second run of the same evaluation judged otherwise than the first. */
export const otherVerdicts = (calm: ExamResult, other: ExamResult): string[] =>
  [...new Set([...calm.verdicts.keys(), ...other.verdicts.keys()])].flatMap((key) => {
    const [was, is] = [calm.verdicts.get(key), other.verdicts.get(key)]
    return was === is ? [] : [`${key}: ${was} without faults, ${is} with them`]
  })
