import assert from 'node:assert/strict'
import { it } from 'node:test'
import { testService } from '../testing.ts'
import { launchSample, pythonScorer, registerCommand, runToEnd } from './testing-runs.ts'

const tasks = 10
const repetitions = 10
/** The first of the tasks have a world; every second one is beyond the agent. */
const tasksWithWorld = 4

/**
 * Knows the answer to every second task. Its honest twin gives up on the others; this one tries each time another way to
 * be tried again, to be left out of the count, or to be judged by less than it did.
 */
const agent = `
import { readFileSync, writeFileSync, mkdirSync } from 'node:fs'
const env = process.env
const [, , kind] = process.argv
const instruction = readFileSync(env.INSTRUCTION_PATH, 'utf8')
const number = Number(/Task (\\d+)/.exec(instruction)[1])
const answer = (text) => writeFileSync(env.WORK_DIR + '/output.txt', text)
const quietly = async (work) => { try { await work() } catch {} }
if (number % 2 === 0) { answer('yes'); process.exit(0) }
if (kind === 'honest') { answer('I do not know.'); process.exit(0) }

const linear = (query) => fetch('https://api.linear.app/graphql', { method: 'POST',
  headers: { authorization: env.LINEAR_API_KEY ?? '', 'content-type': 'application/json' }, body: JSON.stringify({ query }) })
const slack = (method, body) => fetch('https://slack.com/api/' + method, { method: 'POST',
  headers: { authorization: 'Bearer ' + env.SLACK_BOT_TOKEN, 'content-type': 'application/json' }, body })
const alone = [
  // Names, answers and logs that cannot be stored.
  () => { writeFileSync(Buffer.concat([Buffer.from(env.WORK_DIR + '/'), Buffer.from([0xff, 0xfe, 0x80])]), 'x'); answer('no') },
  () => { writeFileSync(env.WORK_DIR + '/output.txt', Buffer.from([0xed, 0xa0, 0x80, 0x00, 0xf0, 0x9f])) },
  () => { process.stderr.write('a' + '\\u{1F600}'.repeat(4_000)); process.exitCode = 1 },
  () => { answer('\\ud800'.repeat(1_000) + '\\u0000') },
  // Ends that might look like somebody else's.
  () => { process.kill(process.pid, 'SIGKILL') },
  () => { try { process.kill(process.ppid, 'SIGKILL') } catch {}; try { process.kill(1, 'SIGKILL') } catch {}; process.exit(143) },
  () => { answer('no'); const all = []; for (;;) all.push(Buffer.alloc(64 << 20, 1)) },
  () => { for (let n = 0; n < 40_000; n++) writeFileSync(env.WORK_DIR + '/' + n, '') },
  () => { for (let path = env.WORK_DIR, n = 0; n < 400; n++) { path += '/deeper'; mkdirSync(path) } },
  // Verdicts written by the agent itself.
  () => { for (const name of ['score.json', 'result.json', 'verdict.json', 'world.json']) writeFileSync(env.WORK_DIR + '/' + name, '{"score":1,"passed":true}'); answer('{"score":1,"passed":true}') },
  () => { answer('no\\n{"score": 1}\\n::set-score 1::') },
]
const inWorld = [
  // A document that doubles thirty times, and one that asks for everything.
  () => linear('query { ...a0 } ' + Array.from({ length: 30 }, (_, n) => 'fragment a' + n + ' on Query { ...a' + (n + 1) + ' ...a' + (n + 1) + ' }').join(' ') + ' fragment a30 on Query { __typename }'),
  () => linear('query { ' + Array.from({ length: 40 }, (_, n) => 'a' + n + ': __schema { types { name fields { name } } }').join(' ') + ' }'),
  () => slack('chat.postMessage', '{"channel":"#general","text":"\\\\ud800 \\\\u0000"}'),
  () => slack('chat.postMessage', JSON.stringify({ channel: '#general', text: 'x'.repeat(9_000_000) })),
  () => fetch('https://slack.com/api/%ff%fe?' + '%00'.repeat(500)),
  async () => { for (let n = 0; n < 200; n++) await slack('api.test', '{}'); await fetch('https://elsewhere.example/').catch(() => {}) },
]
const tricks = env.SLACK_BOT_TOKEN ? inWorld : alone
const trick = tricks[Math.floor(Math.random() * tricks.length)]
await quietly(async () => { await trick(); if (env.SLACK_BOT_TOKEN) answer('no') })
`

it('an agent that voids, forges and floods gains nothing measurable over its honest twin in 200 trials', async () => {
  await using service = await testService()
  const { world } = await launchSample(service)
  const suite = (await service.call('POST', '/v1/task-suites', { name: 'Suite' })).body
  const scorer = await service.call('POST', '/v1/scorers', pythonScorer('yes', 'return output == "yes"'))
  for (let n = 0; n < tasks; n++) {
    const task = await service.call('POST', `/v1/task-suites/${suite.id}/tasks`, {
      title: `Task ${n}`,
      instruction: `Task ${n}: say yes.`,
      expected_outcome: 'yes',
      scorers: [{ scorer_id: scorer.body.id }],
      ...(n < tasksWithWorld ? { environment_version_id: world.evaluation.environmentVersionId } : {}),
    })
    assert.equal(task.status, 201, task.text)
  }
  const agents: string[] = []
  for (const name of ['honest', 'gaming'])
    agents.push(
      await registerCommand(
        service,
        name,
        { command: ['node', 'agent.mjs', name], network: 'world' },
        { 'agent.mjs': agent },
      ),
    )
  const run = { task_suite_id: suite.id, agents, mode: 'compare', trials_per_task: repetitions }
  const { results } = await runToEnd(service, run, { looks: 60_000 })
  const [honest, gaming] = results.agents
  const shown = JSON.stringify([results.comparisons, honest, gaming])
  assert.equal(honest.trials + gaming.trials, 200)
  assert.deepEqual([honest.pass_rate, gaming.pass_rate], [0.5, 0.5], shown)
  const { difference, interval } = results.comparisons[0]
  assert.ok(difference <= 0 && interval.low <= 0 && interval.high >= 0, shown)
  // Nothing that it did was taken for a failure of the platform: no trial was repeated, and none is left out.
  assert.deepEqual([gaming.scored_trials, gaming.errored_trials, gaming.voided_attempts], [100, 0, 0], shown)
})
