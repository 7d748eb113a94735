import { spawn } from 'node:child_process'
import { testService } from '../server/src/testing.ts'
import { sampleCompany } from '../server/src/worlds/sample.ts'
import { middle, report } from './parts/load.ts'

// What the platform adds to a trial, beside the bare cost of starting the same interpreters in bubblewrap by hand.

const node = process.execPath
const bare = (command: string[]): Promise<number> =>
  new Promise((resolve, reject) => {
    const began = performance.now()
    const child = spawn(
      'bwrap',
      [
        '--unshare-all',
        '--die-with-parent',
        '--ro-bind',
        '/',
        '/',
        '--proc',
        '/proc',
        '--dev',
        '/dev',
        '--tmpfs',
        '/tmp',
        ...command,
      ],
      { stdio: 'ignore' },
    )
    child.once('error', reject)
    child.once('exit', () => resolve(performance.now() - began))
  })

/** An agent in Node and a scorer in Python, each started once by hand. */
const pair = async (): Promise<number> =>
  (await bare([node, '-e', '0'])) + (await bare(['python3', '-c', 'pass']))
const bares: number[] = []
for (let n = 0; n < 15; n++) bares.push(await pair())
const bareMs = middle(bares)

await using service = await testService({ checkReplies: false })
const call = async (method: string, path: string, body?: unknown) =>
  (await service.call(method, path, body)).body
const world = await call('POST', '/v1/builder/worlds', { blueprint: sampleCompany })
await call('POST', '/v1/agents/register', {
  name: 'idle',
  version: '1',
  files: { 'agent.mjs': '' },
  run: { command: ['node', 'agent.mjs'], timeout_seconds: 60 },
})
const tasks = (await call('GET', `/v1/task-suites/${world.evaluation.taskSuiteId}/tasks`)).items
const one = tasks.find(({ key }: { key: string }) => key === 'renewal-in-step')

const run = async (trials: number, concurrency: number) => {
  const began = performance.now()
  const perTask = Math.min(20, trials)
  const jobs = await Promise.all(
    Array.from({ length: Math.ceil(trials / perTask) }, () =>
      call('POST', '/v1/backtests/jobs', {
        task_suite_id: world.evaluation.taskSuiteId,
        agents: ['idle@1'],
        tasks: [one.id],
        trials_per_task: perTask,
        concurrency,
      }),
    ),
  )
  for (const job of jobs)
    for (let n = 0; n < 6_000; n++) {
      const { finished_at } = await call('GET', `/v1/backtests/jobs/${job.id}`)
      if (finished_at !== null) break
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  const elapsed = performance.now() - began
  const listed = await Promise.all(
    jobs.map((job) => call('GET', `/v1/backtests/jobs/${job.id}/trials?limit=200`)),
  )
  return { elapsed, trials: listed.flatMap(({ items }) => items) }
}

await run(3, 1)
const alone = await run(15, 1)
const trialMs = middle(alone.trials.map(({ duration_ms }: { duration_ms: number }) => duration_ms))
report(
  'a trial of an idle agent, all platform work included',
  `${(trialMs / bareMs).toFixed(2)} × (${trialMs.toFixed(0)} ms)`,
  'at most 3 ×',
  trialMs / bareMs <= 3,
)
const crowd = await run(200, 32)
const sum = (bareMs * 200) / 2
const failed = crowd.trials.filter(({ status }: { status: string }) => status !== 'succeeded').length
report(
  '200 trials, 32 at once, beside the bare cost over two cores',
  `${(crowd.elapsed / sum).toFixed(2)} ×`,
  'at most 1.3 ×',
  crowd.elapsed / sum <= 1.3,
)
report('of them failed', String(failed), 'none', failed === 0)
