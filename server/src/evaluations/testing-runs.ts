import assert from 'node:assert/strict'
import { eventually } from '../../../test/eventually.ts'
import type { TestService } from '../testing.ts'
import { sampleCompany } from '../worlds/sample.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into replies of several routes.
type Body = any

/** Launches the sample company, bent as asked, and returns its suite. */
export const launchSample = async (
  service: TestService,
  bend: (blueprint: Body) => void = () => undefined,
): Promise<{ suiteId: string; world: Body }> => {
  const blueprint = structuredClone(sampleCompany)
  bend(blueprint)
  const { body } = await service.call('POST', '/v1/builder/worlds', { blueprint })
  assert.equal(body.evaluation?.status, 'ready', JSON.stringify(body.evaluation ?? body))
  return { suiteId: body.evaluation.taskSuiteId, world: body }
}

/** Registers version 1 of an agent that is one shell line. */
export const registerCommand = async (
  service: TestService,
  name: string,
  run: { command: string | readonly string[]; network?: 'none' | 'world'; listen?: object },
  files: Readonly<Record<string, string>> = {},
): Promise<string> => {
  const made = await service.call('POST', '/v1/agents/register', {
    name,
    version: '1',
    files,
    run: { timeout_seconds: 60, network: 'none', ...run },
  })
  assert.ok(made.status < 300, made.text)
  return `${name}@1`
}

export interface SuiteOptions {
  readonly scorers: readonly object[]
  readonly tasks?: number
  readonly environmentVersionId?: string
}

/** A suite of equal tasks with these scorers. */
export const createSuite = async (
  service: TestService,
  { scorers, tasks = 1, environmentVersionId }: SuiteOptions,
): Promise<string> => {
  const suite = (await service.call('POST', '/v1/task-suites', { name: 'Suite' })).body
  const bound: { scorer_id: string }[] = []
  for (const scorer of scorers) {
    const made = await service.call('POST', '/v1/scorers', scorer)
    assert.equal(made.status, 201, made.text)
    bound.push({ scorer_id: made.body.id })
  }
  for (let n = 0; n < tasks; n++) {
    const task = await service.call('POST', `/v1/task-suites/${suite.id}/tasks`, {
      title: `Task ${n}`,
      instruction: 'Say yes',
      expected_outcome: 'yes',
      scorers: bound,
      ...(environmentVersionId ? { environment_version_id: environmentVersionId } : {}),
    })
    assert.equal(task.status, 201, task.text)
  }
  return suite.id
}

export const pythonScorer = (name: string, body: string) => ({
  name,
  kind: 'code',
  language: 'python',
  code: `def handler(input, output, expected, metadata):\n${body.replaceAll(/^/gm, '    ')}\n`,
  passThreshold: 1,
})

/** Starts an evaluation and waits for its end. */
export const runToEnd = async (
  service: TestService,
  body: object,
  { looks = 3_000 }: { readonly looks?: number } = {},
): Promise<{ job: Body; trials: Body[]; results: Body }> => {
  const started = await service.call('POST', '/v1/backtests/jobs', body)
  assert.equal(started.status, 201, started.text)
  const path = `/v1/backtests/jobs/${started.body.id}`
  const job = await eventually(
    async () => {
      const { body: seen } = await service.call('GET', path)
      return typeof seen.finished_at === 'string' && seen
    },
    'the evaluation did not finish',
    looks,
  )
  const { items } = (await service.call('GET', `${path}/trials?limit=200`)).body
  return { job, trials: items, results: (await service.call('GET', `${path}/results`)).body }
}
