import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { crc32, inflateRawSync } from 'node:zlib'
import { z } from 'zod'
import {
  createSuite,
  launchSample,
  pythonScorer,
  registerCommand,
  runToEnd,
} from '../evaluations/testing-runs.ts'
import { type TestService, testService } from '../testing.ts'
import { EvalHeader, EvalLog, EvalSample } from './inspect/testing-log-schema.ts'

/** ATIF 1.7 as its schema has it: objects are closed, and absent fields are left out. */
const Extra = z.record(z.string(), z.unknown())
const ToolCall = z.strictObject({
  tool_call_id: z.string(),
  function_name: z.string(),
  arguments: Extra,
  extra: Extra.optional(),
})
const Metrics = z.strictObject({
  prompt_tokens: z.int().optional(),
  completion_tokens: z.int().optional(),
  cached_tokens: z.int().optional(),
  cost_usd: z.number().optional(),
  extra: Extra.optional(),
})
const Step = z
  .strictObject({
    step_id: z.int().min(1),
    timestamp: z.iso.datetime().optional(),
    source: z.enum(['system', 'user', 'agent']),
    message: z.string(),
    model_name: z.string().optional(),
    tool_calls: z.array(ToolCall).optional(),
    observation: z
      .strictObject({
        results: z.array(z.strictObject({ source_call_id: z.string(), content: z.string() })),
      })
      .optional(),
    metrics: Metrics.optional(),
    llm_call_count: z.int().min(0).optional(),
    extra: Extra.optional(),
  })
  .refine(({ source, model_name, tool_calls, metrics }) => {
    const ofAgents = [model_name, tool_calls, metrics]
    return source === 'agent' || ofAgents.every((field) => field === undefined)
  }, 'has what only an agent has')
  .refine(({ llm_call_count, metrics }) => llm_call_count !== 0 || metrics === undefined, 'has metrics')
  .refine(({ tool_calls = [], observation }) => {
    const ids = tool_calls.map(({ tool_call_id }) => tool_call_id)
    const named = observation?.results.map(({ source_call_id }) => source_call_id) ?? []
    return new Set(ids).size === ids.length && named.every((id) => ids.includes(id))
  }, 'has results of calls that it did not make')
const Trajectory = z.strictObject({
  schema_version: z.literal('ATIF-v1.7'),
  session_id: z.string(),
  trajectory_id: z.string(),
  agent: z.strictObject({
    name: z.string(),
    version: z.string(),
    model_name: z.string().optional(),
    extra: Extra.optional(),
  }),
  steps: z
    .array(Step)
    .min(1)
    .refine((steps) => steps.every(({ step_id }, n) => step_id === n + 1), 'are not numbered without gaps'),
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

/** Asks a model for a tool call, does what it says, and asks again with the result. */
const modelAgent = `
const ask = async (messages) => {
  const reply = await fetch('https://api.openai.com/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: 'Bearer ' + process.env.OPENAI_API_KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'small', messages }),
  })
  return (await reply.json()).choices[0].message
}
const messages = [{ role: 'system', content: 'You are careful. '.repeat(20) }, { role: 'user', content: 'Look it up' }]
const first = await ask(messages)
const reply = await fetch('https://slack.com/api/conversations.list', {
  headers: { authorization: 'Bearer ' + process.env.SLACK_BOT_TOKEN },
})
const { channels } = await reply.json()
messages.push(first, { role: 'tool', tool_call_id: first.tool_calls[0].id, content: channels.length + ' channels' })
const last = await ask(messages)
const { writeFileSync } = await import('node:fs')
writeFileSync(process.env.WORK_DIR + '/output.txt', last.content)
`
const script = {
  rules: [
    { when: { last_message: '* channels' }, reply: { text: 'no, {{1}} of them' } },
    { reply: { text: 'I look.', tool_calls: [{ name: 'list_channels', input: { limit: 5 } }] } },
  ],
}

describe('a finished evaluation', () => {
  let service: TestService
  let job: string
  let trial: string
  let modelRun: { job: { id: string }; trials: { id: string }[] }

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
    await registerCommand(
      service,
      'asker',
      { command: 'node agent.mjs', network: 'world' },
      { 'agent.mjs': modelAgent },
    )
    modelRun = await runToEnd(service, {
      task_suite_id: suiteId,
      agents: ['asker@1'],
      models: { mode: 'scripted', script },
    })
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

  it('gives each model call as a step with its tools, what they gave back, the requests and the tokens', async () => {
    const path = `/v1/backtests/jobs/${modelRun.job.id}/trials/${modelRun.trials[0]?.id}/trajectory`
    const { steps, agent: by, final_metrics } = Trajectory.parse((await service.call('GET', path)).body)
    assert.deepEqual(
      steps.map(({ source, llm_call_count }) => [source, llm_call_count]),
      [
        ['user', undefined],
        ['system', undefined],
        ['agent', 1],
        ['agent', 1],
      ],
    )
    const asked = steps[2]
    assert.deepEqual(
      asked?.tool_calls?.map(({ function_name, arguments: given }) => [function_name, given.limit]),
      [
        ['list_channels', 5],
        ['conversations.list', undefined],
      ],
    )
    assert.match(asked?.observation?.results[0]?.content ?? '', /^\d+ channels$/)
    assert.match(asked?.observation?.results[1]?.content ?? '', /^succeeded \(HTTP 200\)$/)
    assert.equal(by.model_name, 'small')
    assert.equal(
      steps.reduce((sum, { metrics }) => sum + (metrics?.prompt_tokens ?? 0), 0),
      final_metrics.total_prompt_tokens,
    )
  })

  it('gives an Inspect log as .eval, with the events of model calls, requests and scores', async () => {
    const reply = await fetch(`${service.baseUrl}/v1/backtests/jobs/${modelRun.job.id}/inspect.eval`, {
      headers: { authorization: `Bearer ${service.key}` },
    })
    assert.equal(reply.headers.get('content-type'), 'application/zip')
    const files = unzipped(Buffer.from(await reply.arrayBuffer()))
    const [sampleName = ''] = [...files.keys()].filter((name) => name.startsWith('samples/'))
    assert.deepEqual([...files.keys()].sort(), [
      '_journal/start.json',
      'header.json',
      sampleName,
      'summaries.json',
    ])
    assert.match(sampleName, /^samples\/tsk_\w+_epoch_1\.json$/)
    const sample = JSON.parse(files.get(sampleName) ?? '')
    EvalSample.parse(sample)
    EvalHeader.parse(JSON.parse(files.get('header.json') ?? ''))
    assert.deepEqual(
      sample.events.map((one: { event: string }) => one.event),
      ['model', 'tool', 'model', 'score', 'score'],
    )
    const prompt = sample.events[0].input[0].content
    assert.match(sample.attachments[prompt.replace('attachment://', '')], /^You are careful/)
    assert.equal(JSON.parse(files.get('header.json') ?? '').samples, undefined)
    assert.equal(JSON.parse(files.get('summaries.json') ?? '')[0].scores.passed.value, 0)
  })

  it('says in JUnit why a trial did not pass, how long it took and where to look', async () => {
    const { text } = await service.call('GET', `/v1/backtests/jobs/${modelRun.job.id}/results.junit.xml`)
    assert.match(text, /<testsuites name="Suite" tests="1" time="\d+\.\d{3}">/)
    assert.match(text, /<testcase classname="asker@1" name="Task 0" time="(?!0\.000)\d+\.\d{3}">/)
    assert.match(text, /Says yes: it, says \| &quot;yes&quot;\n/)
    const link = `${service.baseUrl}/evaluations/${modelRun.job.id}/trials/${modelRun.trials[0]?.id}`
    assert.ok(text.includes(`<property name="url" value="${link}"/>`), text)
  })

  it('gives an Inspect log with a sample for each trial', async () => {
    const log = JSON.parse((await read('inspect.json')).text)
    EvalLog.parse(log)
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

/** Reads an archive by its central directory, as the format's own text says. */
const unzipped = (archive: Buffer): Map<string, string> => {
  const end = archive.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'))
  const files = new Map<string, string>()
  let at = archive.readUInt32LE(end + 16)
  for (let n = 0; n < archive.readUInt16LE(end + 10); n++) {
    const [size, nameLength] = [archive.readUInt32LE(at + 20), archive.readUInt16LE(at + 28)]
    const name = archive.toString('utf8', at + 46, at + 46 + nameLength)
    const local = archive.readUInt32LE(at + 42)
    const start = local + 30 + archive.readUInt16LE(local + 26)
    const bytes = inflateRawSync(archive.subarray(start, start + size))
    assert.equal(crc32(bytes), archive.readUInt32LE(at + 16))
    files.set(name, bytes.toString('utf8'))
    at += 46 + nameLength
  }
  return files
}
