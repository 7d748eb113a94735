import { findInterpreters } from '../../sandbox/stage/interpreters.ts'
import { openStandIn } from '../../server/src/models/testing.ts'
import { countingOrphans, type FamilyCpu } from '../parts/cpu.ts'
import { report } from '../parts/load.ts'
import { startService } from '../parts/running-service.ts'

// What a replayed trial costs beside the same trial with a scripted model, in the service as `npm start` runs it. All
// trials are recorded once against a provider on this machine, which is then turned off. After that slices of replayed and of scripted trials take turns,
// in an order that favours neither, so that a machine with other work slows both alike. Processor time is reported next to
// elapsed time: it counts the service, its database and the sandboxes.

const trials = Number(process.argv[2] ?? 200)
const repeats = 20
const slice = 2
const atOnce = 8
const target = 1.2
const { python } = await findInterpreters(process.env.PATH ?? '')
if (!python) throw new Error('This needs python3, in which the scorer is written.')
await countingOrphans(python.executable)

/** Two streamed calls: a question with the time and the trial in it, and one that follows from the answer. */
const agent = `
import { writeFileSync } from 'node:fs'
const ask = async (content) => {
  const reply = await fetch('https://api.openai.com/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: 'Bearer ' + process.env.OPENAI_API_KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'small', stream: true, messages: [
      { role: 'system', content: 'It is ' + new Date().toISOString() + ' in ' + process.env.SVC_TRIAL_ID },
      { role: 'user', content },
    ] }),
  })
  const body = await reply.text()
  if (!reply.ok) throw new Error(reply.status + ' ' + body)
  return body.split('\\n').filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice(6)).choices[0]?.delta?.content ?? '').join('')
}
const first = await ask('What colour is it?')
writeFileSync(process.env.WORK_DIR + '/output.txt', await ask('Say it again: ' + first))
`
const words = `It is blue. ${'The sky is, and so is the sea. '.repeat(20)}`
const script = { rules: [{ reply: { text: words, usage: { input_tokens: 100, output_tokens: 150 } } }] }

const standIn = await openStandIn(() => ({ text: words, usage: { input: 100, output: 150 } }))
await using service = await startService({ DIORAMA_MODEL_PRIVATE_HOSTS: new URL(standIn.baseUrl).host })
const { call } = service

await call('PUT', '/v1/model-providers/openai', { base_url: standIn.baseUrl, api_key: 'sk-bench' })
await call('POST', '/v1/agents/register', {
  ...{ name: 'asks', version: '1', files: { 'agent.mjs': agent } },
  run: { command: ['node', 'agent.mjs'], network: 'world', timeout_seconds: 120 },
})
const scorer = await call('POST', '/v1/scorers', {
  ...{ name: 'Blue', kind: 'code', language: 'python', passThreshold: 1 },
  code: 'def handler(input, output, expected, metadata):\n    return "blue" in output\n',
})
const suite = await call('POST', '/v1/task-suites', { name: 'Colours' })
const taskIds: string[] = []
for (let n = 0; n < Math.ceil(trials / repeats); n++)
  taskIds.push(
    (
      await call('POST', `/v1/task-suites/${suite.id}/tasks`, {
        ...{ title: `Colour ${n}`, instruction: 'Say the colour.', expected_outcome: 'blue' },
        scorers: [{ scorer_id: scorer.id }],
      })
    ).id,
  )

interface Trial {
  readonly passed: boolean | null
  readonly error: string | null
  readonly duration_ms: number
}

interface Run extends FamilyCpu {
  readonly elapsedMs: number
  readonly trials: readonly Trial[]
}

/** Starts a run and follows its stream to the end. */
const run = async (models: object, tasks: readonly string[]): Promise<Run> => {
  const before = service.cpu()
  const began = performance.now()
  const job = await call('POST', '/v1/backtests/jobs', {
    ...{ task_suite_id: suite.id, agents: ['asks@1'], tasks, trials_per_task: repeats, concurrency: atOnce },
    models,
  })
  const stream = await fetch(`${service.baseUrl}/v1/backtests/jobs/${job.id}/stream`, {
    headers: { authorization: `Bearer ${service.key}` },
  })
  await stream.text()
  const elapsedMs = performance.now() - began
  const after = service.cpu()
  const { items } = await call('GET', `/v1/backtests/jobs/${job.id}/trials?limit=200`)
  return {
    elapsedMs,
    trials: items,
    serviceMs: after.serviceMs - before.serviceMs,
    databaseMs: after.databaseMs - before.databaseMs,
    startedMs: after.startedMs - before.startedMs,
  }
}

const recorded: Run[] = []
for (let at = 0; at < taskIds.length; at += slice)
  recorded.push(
    await run({ mode: at === 0 ? 'record' : 'auto', cassette: 'bench' }, taskIds.slice(at, at + slice)),
  )
await standIn[Symbol.asyncDispose]()

const replay = { mode: 'replay', cassette: 'bench' }
const scripted = { mode: 'scripted', script }
const runs: { replay: Run[]; scripted: Run[] } = { replay: [], scripted: [] }
await run(scripted, taskIds.slice(0, 1))
await run(replay, taskIds.slice(0, 1))
for (let at = 0; at < taskIds.length; at += slice) {
  const tasks = taskIds.slice(at, at + slice)
  const isReplayFirst = (at / slice) % 2 === 0
  for (const side of isReplayFirst ? (['replay', 'scripted'] as const) : (['scripted', 'replay'] as const))
    runs[side].push(await run(side === 'replay' ? replay : scripted, tasks))
}

const sum = (side: readonly Run[], of: (one: Run) => number) => side.reduce((all, one) => all + of(one), 0)
const count = (side: readonly Run[]) => sum(side, (one) => one.trials.length)
const wall = (side: readonly Run[]) => sum(side, ({ elapsedMs }) => elapsedMs)
const processor = (side: readonly Run[]) =>
  sum(side, ({ serviceMs, databaseMs, startedMs }) => serviceMs + databaseMs + startedMs)
const bad = [...recorded, ...runs.replay, ...runs.scripted].flatMap((one) =>
  one.trials.filter(({ passed }) => passed !== true),
)
report('trials that did not pass', `${bad.length} ${bad[0]?.error ?? ''}`, 'none', bad.length === 0)

let isMissed = bad.length > 0
for (const [what, of] of [
  ['by the clock', wall],
  ['in processor time', processor],
] as const) {
  const [ours, other] = [of(runs.replay), of(runs.scripted)]
  const holds = ours / other <= target
  isMissed ||= !holds
  report(
    `${count(runs.replay)} replayed trials beside ${count(runs.scripted)} with a scripted model, ${what}`,
    `${(ours / other).toFixed(2)} × (${(ours / 1_000).toFixed(1)} of ${(other / 1_000).toFixed(1)} s)`,
    `at most ${target} ×`,
    holds,
  )
}
const each = (side: readonly Run[], of: (one: Run) => number) => (sum(side, of) / count(side)).toFixed(1)
for (const side of ['replay', 'scripted'] as const) {
  const times = runs[side].flatMap(({ trials }) => trials.map((one) => one.duration_ms)).sort((a, b) => a - b)
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))]
  console.log(
    `     a trial, ${side}: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, max ${at(1)} ms; processor time: service ${each(runs[side], (one) => one.serviceMs)} ms, database ${each(runs[side], (one) => one.databaseMs)} ms, sandboxes ${each(runs[side], (one) => one.startedMs)} ms`,
  )
}
if (isMissed) process.exitCode = 1
