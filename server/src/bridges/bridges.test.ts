import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { z } from 'zod'
import {
  createSuite,
  launchSample,
  pythonScorer,
  registerCommand,
  runToEnd,
} from '../evaluations/testing-runs.ts'
import { type TestService, testService } from '../testing.ts'

/** ATIF 1.7 as its schema has it: objects are closed, and absent fields are left out. */
const Extra = z.record(z.string(), z.unknown())
const Trajectory = z.strictObject({
  schema_version: z.literal('ATIF-v1.7'),
  session_id: z.string(),
  trajectory_id: z.string(),
  agent: z.strictObject({ name: z.string(), version: z.string(), extra: Extra.optional() }),
  steps: z
    .array(
      z.strictObject({
        step_id: z.int().min(1),
        timestamp: z.iso.datetime().optional(),
        source: z.enum(['system', 'user', 'agent']),
        message: z.string(),
        tool_calls: z
          .array(z.strictObject({ tool_call_id: z.string(), function_name: z.string(), arguments: Extra }))
          .optional(),
        observation: z
          .strictObject({
            results: z.array(z.strictObject({ source_call_id: z.string(), content: z.string() })),
          })
          .optional(),
        llm_call_count: z.int().min(0).optional(),
        extra: Extra.optional(),
      }),
    )
    .min(1),
  final_metrics: z.strictObject({
    total_prompt_tokens: z.int().optional(),
    total_completion_tokens: z.int().optional(),
    total_cached_tokens: z.int().optional(),
    total_cost_usd: z.number().optional(),
    total_steps: z.int(),
    extra: Extra.optional(),
  }),
  extra: Extra.optional(),
})

const agent = `
const reply = await fetch('https://slack.com/api/conversations.list', {
  headers: { authorization: 'Bearer ' + process.env.SLACK_BOT_TOKEN },
})
const { channels } = await reply.json()
const { writeFileSync } = await import('node:fs')
writeFileSync(process.env.WORK_DIR + '/output.txt', '=yes, "' + channels.length + '"\\nchannels')
`

describe('a finished run', () => {
  let service: TestService
  let job: string
  let trial: string

  before(async () => {
    service = await testService()
    const { world } = await launchSample(service)
    const suiteId = await createSuite(service, {
      scorers: [
        pythonScorer(
          'Says yes',
          'return {"score": 1 if "yes" in output else 0, "reason": "it, says | \\"yes\\""}',
        ),
      ],
      environmentVersionId: world.evaluation.environmentVersionId,
    })
    await registerCommand(
      service,
      'lister',
      { command: 'node agent.mjs', network: 'world' },
      { 'agent.mjs': agent },
    )
    const ended = await runToEnd(service, {
      task_suite_id: suiteId,
      agents: ['lister@1'],
      trials_per_task: 2,
    })
    job = ended.job.id
    trial = ended.trials[0].id
  })
  after(() => service[Symbol.asyncDispose]())

  const read = async (path: string) => {
    const reply = await service.call('GET', `/v1/backtests/jobs/${job}/${path}`)
    assert.equal(reply.status, 200, reply.text)
    return reply
  }

  it('gives each trial as a trajectory that fits the closed schema', async () => {
    const trajectory = Trajectory.parse(JSON.parse((await read(`trials/${trial}/trajectory`)).text))
    assert.deepEqual(
      trajectory.steps.map(({ step_id, source }) => [step_id, source]),
      [
        [1, 'user'],
        [2, 'agent'],
        [3, 'agent'],
      ],
    )
    assert.equal(trajectory.steps[1]?.tool_calls?.[0]?.function_name, 'conversations.list')
    assert.match(trajectory.steps[2]?.message ?? '', /^=yes/)
    assert.equal(trajectory.trajectory_id, trial)
  })

  it('gives an Inspect log with a sample for each trial', async () => {
    const log = JSON.parse((await read('inspect.json')).text)
    assert.deepEqual([log.version, log.status, log.samples.length], [2, 'success', 2])
    assert.deepEqual(
      log.samples.map((sample: { epoch: number }) => sample.epoch),
      [1, 2],
    )
    assert.equal(log.samples[0].scores['Says yes'].value, 1)
    assert.deepEqual(
      log.samples[0].messages.map((message: { role: string }) => message.role),
      ['user', 'assistant', 'tool', 'assistant'],
    )
    assert.equal(log.results.scores[0].metrics.mean.value, 1)
  })

  it('asks which agent a log is about where the name is not known', async () => {
    const reply = await service.call('GET', `/v1/backtests/jobs/${job}/inspect.json?agent=nobody@1`)
    assert.equal(reply.status, 400)
    assert.equal(reply.body.details[0].pointer, '/query/agent')
    assert.match(reply.text, /lister@1/)
  })

  it('gives a row for each trial and scorer as CSV, quoted, and never a formula', async () => {
    const { text, headers } = await read('results.csv')
    assert.match(headers.get('content-type') ?? '', /^text\/csv/)
    const lines = text.split('\r\n')
    assert.equal(lines.length, 4)
    assert.match(lines[0] ?? '', /^trial_id,agent,task_id/)
    assert.match(lines[1] ?? '', /"it, says \| ""yes"""/)
  })

  it('gives a trial on each line as JSON Lines', async () => {
    const { text } = await read('results.jsonl')
    const trials = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    assert.deepEqual(
      trials.map(({ passed, scores }) => [passed, scores.length]),
      [
        [true, 1],
        [true, 1],
      ],
    )
  })

  it('gives Markdown with the verdict and a row for each agent', async () => {
    const { text } = await read('results.md')
    assert.match(text, /^### Suite: pass$/m)
    assert.match(text, /^\| lister@1 \| pass \| 100 %/m)
  })

  it('is not shown to another organization', async () => {
    const other = await service.call('POST', '/v1/organizations', { name: 'Other' })
    const reply = await service.call('GET', `/v1/backtests/jobs/${job}/results.csv`, undefined, {
      key: other.body.key.secret,
    })
    assert.equal(reply.status, 404)
  })
})
