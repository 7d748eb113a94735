import { execFile, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { findInterpreters } from '../sandbox/stage/interpreters.ts'
import { testService } from '../server/src/testing.ts'
import { sampleCompany } from '../server/src/worlds/sample.ts'
import { countingOrphans, spentBy } from './parts/cpu.ts'
import { middle, report } from './parts/load.ts'

// What the platform adds to a trial, beside the bare cost of starting the same interpreters in bubblewrap by hand: one
// for the agent, one for the scorer. One trial takes turns with one bare start; the concurrent trials are between two
// batches of as many bare starts, as many at once, so that a machine with other work slows all of them alike. Processor
// time is shown next to the wall-clock times.

const trials = Number(process.argv[2] ?? 200)
const { node, python } = await findInterpreters(process.env.PATH ?? '')
if (!python) throw new Error('This needs python3, in which the scorer is written.')
await countingOrphans(python.executable)

// The interpreters are shown again where a checkout among the temporary files would hide them.
const shown = [node, python.executable].flatMap((path) => ['--ro-bind', dirname(path), dirname(path)])
const walls = [
  ...'--unshare-all --die-with-parent --ro-bind / / --proc /proc --dev /dev --tmpfs /tmp'.split(' '),
  ...shown,
]
const byHand = [
  ['bwrap', ...walls, node, '-e', '0'],
  ['bwrap', ...walls, python.executable, '-c', 'pass'],
]
const hand = spawn(
  python.executable,
  [fileURLToPath(new URL('parts/bare.py', import.meta.url)), JSON.stringify(byHand)],
  { stdio: ['pipe', 'pipe', 'inherit'] },
)
const seconds = createInterface(hand.stdout)[Symbol.asyncIterator]()
/** How long so many bare pairs of interpreters take, so many at once. */
const bare = async (count: number, together: number): Promise<number> => {
  hand.stdin.write(`${count} ${together}\n`)
  const { done, value } = await seconds.next()
  if (done) throw new Error('The baseline could not be measured; its own message is above.')
  return Number(value) * 1_000
}

await using service = await testService({ checkReplies: false })
const { pool } = service.storage
const call = async (method: string, path: string, body?: unknown) => {
  const { status, body: answer, text } = await service.call(method, path, body)
  if (status >= 400) throw new Error(`${method} ${path} was answered ${status}: ${text}`)
  return answer
}

const atOnce = 32

/** One suite of equal tasks, so that one run holds all trials: a task repeats at most twenty times. */
const world = await call('POST', '/v1/builder/worlds', { blueprint: sampleCompany })
const sampled = (await call('GET', `/v1/task-suites/${world.evaluation.taskSuiteId}/tasks`)).items
const sample = sampled.find(({ key }: { key: string }) => key === 'renewal-in-step')
const suite = await call('POST', '/v1/task-suites', { name: 'Idle' })
const taskIds: string[] = []
for (let n = 0; n < Math.ceil(trials / 20); n++) {
  const task = await call('POST', `/v1/task-suites/${suite.id}/tasks`, {
    title: `Idle ${n}`,
    instruction: sample.instruction,
    expected_outcome: sample.expected_outcome,
    environment_version_id: world.evaluation.environmentVersionId,
    scorers: [{ scorer_id: sample.scorers[0].scorer_id }],
  })
  taskIds.push(task.id)
}

const register = (name: string, code: string) =>
  call('POST', '/v1/agents/register', {
    name,
    version: '1',
    files: { 'agent.mjs': code },
    run: { command: ['node', 'agent.mjs'], timeout_seconds: 120 },
  })
await register('idle', '')

interface Run {
  readonly id: string
  readonly elapsedMs: number
  readonly trials: readonly { id: string; status: string; duration_ms: number }[]
}

/** Starts a run and follows its stream to the end. */
const run = async (body: object): Promise<Run> => {
  const began = performance.now()
  const job = await call('POST', '/v1/backtests/jobs', { task_suite_id: suite.id, ...body })
  const stream = await fetch(`${service.baseUrl}/v1/backtests/jobs/${job.id}/stream`, {
    headers: { authorization: `Bearer ${service.key}` },
  })
  await stream.text()
  const elapsedMs = performance.now() - began
  const { items } = await call('GET', `/v1/backtests/jobs/${job.id}/trials?limit=200`)
  return { id: job.id, elapsedMs, trials: items }
}

const single = { agents: ['idle@1'], tasks: taskIds.slice(0, 1) }
await run({ ...single, trials_per_task: 5, concurrency: 2 })
const singles: { bare: number[]; ours: number[] } = { bare: [], ours: [] }
for (let round = 0; round < 20; round++) {
  singles.bare.push(await bare(1, 1))
  const { trials: ran } = await run(single)
  singles.ours.push(ran[0]?.duration_ms ?? Number.NaN)
}
const [bareMs, aloneMs] = [middle(singles.bare), middle(singles.ours)]
report(
  'a trial of an idle agent, all platform work included',
  `${(aloneMs / bareMs).toFixed(2)} × (${aloneMs.toFixed(0)} of ${bareMs.toFixed(0)} ms)`,
  'at most 3 ×',
  aloneMs / bareMs <= 3,
)

const bareBefore = await spentBy(pool, () => bare(trials, atOnce))
const crowd = await spentBy(pool, () => run({ agents: ['idle@1'], trials_per_task: 20, concurrency: atOnce }))
const bareAfter = await spentBy(pool, () => bare(trials, atOnce))

const ran = crowd.result.trials
const bareCrowdMs = (bareBefore.result + bareAfter.result) / 2
/** Whichever is less: single starts shared out over the cores, or as many of them at once. */
const floorMs = Math.min((bareMs * trials) / availableParallelism(), bareCrowdMs)
const { elapsedMs } = crowd.result
report(
  `${ran.length} trials, ${atOnce} at once, beside their bare starts over the cores`,
  `${(elapsedMs / floorMs).toFixed(2)} × (${(elapsedMs / 1_000).toFixed(1)} of ${(floorMs / 1_000).toFixed(1)} s)`,
  'at most 1.3 ×',
  elapsedMs / floorMs <= 1.3,
)
console.log(
  `     a single bare start took ${bareMs.toFixed(0)} ms, as many at once just before and after ${(bareCrowdMs / 1_000).toFixed(1)} s`,
)
const bareCpuMs = (bareBefore.startedMs + bareAfter.startedMs) / 2 / trials
const each = (ms: number) => ms / ran.length
const [main, database] = [each(crowd.serviceMs), each(crowd.databaseMs)]
const cpuMs = main + database + each(crowd.startedMs)
report(
  'the same in processor time',
  `${(cpuMs / bareCpuMs).toFixed(2)} × (${cpuMs.toFixed(0)} of ${bareCpuMs.toFixed(0)} ms a trial)`,
  'at most 1.3 ×',
  cpuMs / bareCpuMs <= 1.3,
)
report(
  'of it service and database',
  `${(main + database).toFixed(1)} ms (${main.toFixed(1)} and ${database.toFixed(1)})`,
  'at most 12 ms',
  main + database <= 12,
)
const failed = ran.filter(({ status }) => status !== 'succeeded').length
report('of them failed', String(failed), 'none', failed === 0 && ran.length === trials)

/** The same load from outside to a twin of the world, and from an agent, through its gateway, to the trial's own twin. */
const load = new URL('parts/keep-alive-load.mjs', import.meta.url)
await register('load', readFileSync(load, 'utf8'))
const work = mkdtempSync(join(tmpdir(), 'bench-evaluations-'))
const twin = world.twins.find((one: { service: string }) => one.service === 'chat')
const loads: Record<'direct' | 'through', { perSecond: number; p50Ms: number }[]> = {
  direct: [],
  through: [],
}
for (let round = 0; round < 3; round++) {
  const env = { ...process.env, WORK_DIR: work, TARGET_URL: twin.baseUrl, TARGET_TOKEN: twin.token }
  await promisify(execFile)(node, [load.pathname], { env })
  loads.direct.push(JSON.parse(readFileSync(join(work, 'output.txt'), 'utf8')))
  const loaded = await run({ agents: ['load@1'], tasks: taskIds.slice(0, 1) })
  const detail = await call('GET', `/v1/backtests/jobs/${loaded.id}/trials/${loaded.trials[0]?.id}`)
  loads.through.push(JSON.parse(detail.output))
}
rmSync(work, { recursive: true })
hand.stdin.end()
const rate = (name: keyof typeof loads) => middle(loads[name].map(({ perSecond }) => perSecond))
const first = (name: keyof typeof loads) => middle(loads[name].map(({ p50Ms }) => p50Ms))
const share = rate('through') / rate('direct')
report(
  'requests of an agent to its twin, beside a direct client’s',
  `${share.toFixed(2)} × (${rate('through').toFixed(0)} of ${rate('direct').toFixed(0)} /s)`,
  'at least 0.3 ×',
  share >= 0.3,
)
const overheadMs = first('through') - first('direct')
report(
  'what the gateway adds to the first byte, p50',
  `${overheadMs.toFixed(2)} ms`,
  'under 5 ms',
  overheadMs < 5,
)
console.log(`     load of the machine at the end: ${loadavg()[0]?.toFixed(1)}`)
