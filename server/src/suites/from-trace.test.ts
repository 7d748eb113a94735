import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { openStandIn } from '../models/testing.ts'
import { type TestService, testService } from '../testing.ts'

const at = (second: number) => new Date(Date.UTC(2026, 0, 5, 9, 0, second)).toISOString()
const messages = (role: string, content: string) =>
  JSON.stringify([{ role, parts: [{ type: 'text', content }] }])

const question = 'Which open orders of Lakeshore are late? Name them.'
const answer = 'Orders 7001 and 7004 are late.'

/** A run as agents record it: one span around everything, which holds the answer too. */
const run = (traceId: string) => ({
  trace_id: traceId,
  name: 'Order question',
  spans: [
    {
      span_id: 'root',
      name: 'invoke_agent helper',
      started_at: at(0),
      ended_at: at(9),
      attributes: {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.input.messages': messages('user', question),
        'gen_ai.output.messages': messages('assistant', answer),
      },
    },
    {
      span_id: 'plan',
      parent_span_id: 'root',
      name: 'chat',
      started_at: at(1),
      ended_at: at(2),
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.output.messages': messages('assistant', 'I will look at the orders.'),
      },
    },
    {
      span_id: 'tool',
      parent_span_id: 'root',
      name: 'execute_tool list_orders',
      started_at: at(3),
      ended_at: at(4),
      attributes: {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'list_orders',
        'gen_ai.tool.call.result': '["7001","7002","7004"]',
      },
    },
    {
      span_id: 'answer',
      parent_span_id: 'root',
      name: 'chat',
      started_at: at(5),
      ended_at: at(9),
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.output.messages': messages('assistant', answer),
      },
    },
  ],
})

const suiteOf = async (service: TestService): Promise<string> =>
  `/v1/task-suites/${(await service.call('POST', '/v1/task-suites', { name: 'From traces' })).body.id}`

interface Happened {
  readonly id: string
  readonly name: string
}

describe('a task from a trace', () => {
  let service: TestService
  let path: string
  before(async () => {
    service = await testService()
    path = await suiteOf(service)
  })
  after(() => service[Symbol.asyncDispose]())

  const record = async (trace: object) => {
    const reply = await service.call('POST', '/v1/traces/track', trace)
    assert.equal(reply.status, 201, reply.text)
  }
  const make = (body: object) => service.call('POST', `${path}/traces`, body)
  const parted = ({ events, cutoff_event_id }: { events: Happened[]; cutoff_event_id: string }) => {
    const cutoff = events.findIndex(({ id }) => id === cutoff_event_id)
    assert.ok(cutoff >= 0, 'the cutoff is one of the events')
    return { shown: events.slice(0, cutoff + 1), heldBack: events.slice(cutoff + 1) }
  }

  it('shows what came before the last answer, and gives none of it away', async () => {
    await record(run('trace-1'))
    const { status, body } = await make({ trace_id: 'trace-1', notes: 'Only 7001 is truly late.' })
    assert.equal(status, 201)
    const { shown, heldBack } = parted(body)
    assert.deepEqual(
      shown.map(({ name }) => name),
      ['invoke_agent helper', 'chat', 'execute_tool list_orders'],
    )
    assert.deepEqual(
      heldBack.map(({ name }) => name),
      ['chat', 'invoke_agent helper'],
    )
    assert.ok(!JSON.stringify(shown).includes(answer))
    assert.ok(JSON.stringify(shown).includes(question))
    assert.ok(JSON.stringify(heldBack).includes(answer))
    assert.deepEqual(
      [body.title, body.instruction, body.trace_id, body.environment_version_id, body.scorers],
      ['Which open orders of Lakeshore are late?', question, 'trace-1', null, []],
    )
    assert.equal(body.expected_outcome, `Only 7001 is truly late.\n\nThe recorded answer:\n${answer}`)
    assert.deepEqual((await service.call('GET', `${path}/tasks/${body.id}`)).body, body)
  })

  it('stays as it was when the trace goes on', async () => {
    await record(run('trace-2'))
    const { body } = await make({ trace_id: 'trace-2' })
    await record({
      trace_id: 'trace-2',
      spans: [{ span_id: 'later', name: 'later', started_at: at(20), ended_at: at(21) }],
    })
    assert.deepEqual((await service.call('GET', `${path}/tasks/${body.id}`)).body.events, body.events)
    assert.ok((await make({ trace_id: 'trace-2' })).body.events.length > body.events.length)
  })

  it('takes the events that name the trace, in the order of time', async () => {
    await record(run('trace-3'))
    await service.call('POST', '/v1/events', {
      source: 'desk',
      topic: 'orders',
      event_type: 'order_checked',
      entities: { trace: 'trace-3', order: '7001' },
      payload: { late: true },
      timestamp: at(3),
    })
    const { body } = await make({ trace_id: 'trace-3' })
    const { shown } = parted(body)
    const names = shown.map(({ name }) => name)
    assert.deepEqual(names.slice(1), ['chat', 'order_checked', 'execute_tool list_orders'])
  })

  it('can have its cutoff moved to another of its events, and to no other', async () => {
    await record(run('trace-4'))
    const { body } = await make({ trace_id: 'trace-4' })
    const moved = await service.call('PATCH', `${path}/tasks/${body.id}`, {
      cutoff_event_id: body.events[0].id,
    })
    assert.equal(moved.body.cutoff_event_id, body.events[0].id)
    const wrong = await service.call('PATCH', `${path}/tasks/${body.id}`, { cutoff_event_id: 'evt_x' })
    assert.deepEqual([wrong.status, wrong.body.details[0].pointer], [400, '/cutoff_event_id'])
  })

  it('is made of a single span too, whose answer is held back', async () => {
    await record({
      trace_id: 'trace-5',
      name: 'One call',
      spans: [
        {
          span_id: 's',
          name: 'ask',
          started_at: at(0),
          ended_at: at(1),
          attributes: { input: 'What is 6 × 7?', output: 'It is 42.' },
        },
      ],
    })
    const { body } = await make({ trace_id: 'trace-5' })
    const { shown, heldBack } = parted(body)
    assert.deepEqual([shown.length, heldBack.length], [1, 1])
    assert.ok(!JSON.stringify(shown).includes('42'))
    assert.equal(body.instruction, 'What is 6 × 7?')
    assert.match(body.expected_outcome, /It is 42\./)
  })

  it('has a plain instruction where the trace has neither question nor answer', async () => {
    await record({
      trace_id: 'trace-6',
      name: 'Nightly sync',
      spans: [
        { span_id: 'a', name: 'load', started_at: at(0), ended_at: at(1) },
        { span_id: 'b', name: 'save', started_at: at(2), ended_at: at(3) },
      ],
    })
    const { body } = await make({ trace_id: 'trace-6' })
    assert.equal(body.title, 'Nightly sync')
    assert.match(body.instruction, /Go on with "Nightly sync"/)
    assert.equal(parted(body).heldBack.length, 1)
  })

  it('is refused for a trace that is not there or belongs to others, and for an archived suite', async () => {
    const missing = await make({ trace_id: 'nowhere' })
    assert.deepEqual([missing.status, missing.body.details[0].pointer], [400, '/trace_id'])
    await record(run('trace-7'))
    const { body: other } = await service.call('POST', '/v1/organizations', { name: 'Other' })
    const theirs = { key: other.key.secret }
    const suite = await service.call('POST', '/v1/task-suites', { name: 'Theirs' }, theirs)
    const foreign = await service.call(
      'POST',
      `/v1/task-suites/${suite.body.id}/traces`,
      { trace_id: 'trace-7' },
      theirs,
    )
    assert.equal(foreign.status, 400)
    assert.equal((await service.call('POST', `${path}/traces`, { trace_id: 'trace-7' }, theirs)).status, 404)
    const archived = await suiteOf(service)
    await service.call('DELETE', archived)
    assert.equal((await service.call('POST', `${archived}/traces`, { trace_id: 'trace-7' })).status, 409)
  })
})

describe('a task from a trace with a judge model', () => {
  it('is drafted by the model, which sees the parts fenced; a failing model leaves the plain draft', async () => {
    const drafted = {
      title: 'Late orders',
      instruction: 'Name the late orders of Lakeshore.',
      expected_outcome: 'Names 7001 and 7004.',
    }
    await using standIn = await openStandIn((_, turn) =>
      turn === 1 ? { text: JSON.stringify(drafted) } : { status: 400, text: 'no' },
    )
    await using service = await testService({
      judgeModel: 'openai/small',
      providers: {
        openai: { apiKey: 'sk-test', baseUrl: standIn.baseUrl },
        anthropic: { apiKey: undefined, baseUrl: undefined },
      },
    })
    await service.call('POST', '/v1/traces/track', run('trace-1'))
    const path = await suiteOf(service)
    const { body } = await service.call('POST', `${path}/traces`, {
      trace_id: 'trace-1',
      notes: 'Mind 7004.',
    })
    assert.deepEqual(
      { title: body.title, instruction: body.instruction, expected_outcome: body.expected_outcome },
      drafted,
    )
    const sent = JSON.stringify(standIn.asked[0]?.body.messages)
    for (const part of ['held back', 'Mind 7004.', answer, question]) assert.ok(sent.includes(part), part)
    assert.match(sent, /<data-[0-9a-f]{32} name=/)
    const plain = await service.call('POST', `${path}/traces`, { trace_id: 'trace-1' })
    assert.deepEqual([plain.status, plain.body.instruction], [201, question])
  })
})
