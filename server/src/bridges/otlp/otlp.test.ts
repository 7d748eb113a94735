import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { z } from 'zod'
import { eventually } from '../../../../test/eventually.ts'
import { createSuite, pythonScorer, registerCommand, runToEnd } from '../../evaluations/testing-runs.ts'
import { type TestService, testService } from '../../testing.ts'

/** The requests of OTLP in their JSON form, as the protocol's messages have them: ids in hex, 64-bit numbers as text. */
const Attributes = z.array(
  z.strictObject({
    key: z.string().min(1),
    value: z.union([
      z.strictObject({ stringValue: z.string() }),
      z.strictObject({ boolValue: z.boolean() }),
      z.strictObject({ intValue: z.string().regex(/^-?\d+$/) }),
      z.strictObject({ doubleValue: z.number() }),
    ]),
  }),
)
const traceId = z.string().regex(/^[0-9a-f]{32}$/)
const spanId = z.string().regex(/^[0-9a-f]{16}$/)
const nanoseconds = z.string().regex(/^\d{19}$/)
const resource = z.strictObject({ attributes: Attributes })
const scope = z.strictObject({ name: z.string() })
const Traces = z.strictObject({
  resourceSpans: z.array(
    z.strictObject({
      resource,
      scopeSpans: z.array(
        z.strictObject({
          scope,
          spans: z.array(
            z.strictObject({
              traceId,
              spanId,
              parentSpanId: spanId.optional(),
              name: z.string().min(1),
              kind: z.int().min(1).max(5),
              startTimeUnixNano: nanoseconds,
              endTimeUnixNano: nanoseconds,
              attributes: Attributes,
              status: z.strictObject({ code: z.int().min(0).max(2) }),
            }),
          ),
        }),
      ),
    }),
  ),
})
const Logs = z.strictObject({
  resourceLogs: z.array(
    z.strictObject({
      resource,
      scopeLogs: z.array(
        z.strictObject({
          scope,
          logRecords: z.array(
            z.strictObject({
              timeUnixNano: nanoseconds,
              observedTimeUnixNano: nanoseconds,
              severityNumber: z.int().min(1).max(24),
              severityText: z.string(),
              eventName: z.string(),
              attributes: Attributes,
              traceId,
              spanId,
            }),
          ),
        }),
      ),
    }),
  ),
})

interface Received {
  readonly path: string
  readonly token: string | undefined
  readonly body: string
  readonly bytes: Buffer
}

/** A receiver that answers with the given statuses first, and then with 200; it may take no JSON, or no logs. */
const openReceiver = async (
  first: readonly number[],
  { takesJson = true, takesLogs = true }: { takesJson?: boolean; takesLogs?: boolean } = {},
) => {
  const statuses = [...first]
  const taken: Received[] = []
  const server = createServer(async (request, reply) => {
    const bytes = await buffer(request)
    const isTaken = takesJson || request.headers['content-type'] === 'application/x-protobuf'
    const isThere = takesLogs || request.url === '/v1/traces'
    const status = !isThere ? 404 : isTaken ? (statuses.shift() ?? 200) : 415
    const token = request.headers['x-token'] as string | undefined
    if (status === 200) taken.push({ path: request.url ?? '', token, body: bytes.toString(), bytes })
    reply.writeHead(status, { 'content-type': 'application/json' }).end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    taken,
    endpoint: `http://127.0.0.1:${port}`,
    [Symbol.dispose]: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

describe('trials by OTLP', () => {
  let service: TestService
  let suiteId: string
  const run = () => runToEnd(service, { task_suite_id: suiteId, agents: ['sayer@1'] })
  const put = (body: object) => service.call('PUT', '/v1/trace-export', body)
  const read = async () => (await service.call('GET', '/v1/trace-export')).body

  before(async () => {
    service = await testService({ deliveryAllow: ['127.0.0.0/8'] })
    suiteId = await createSuite(service, {
      scorers: [pythonScorer('Says yes', 'return {"score": 1, "reason": "it does"}')],
    })
    await registerCommand(service, 'sayer', { command: 'echo yes > output.txt' })
  })
  after(() => service[Symbol.asyncDispose]())

  it('go to the receiver of their organization with its headers, as a trace and a result for each score', async () => {
    using receiver = await openReceiver([503])
    const set = await put({ endpoint: receiver.endpoint, headers: { 'x-token': 'very-secret' } })
    assert.equal(set.status, 200, set.text)
    assert.ok(!set.text.includes('very-secret'))
    assert.deepEqual(set.body.header_names, ['x-token'])
    const { trials } = await run()
    // The first answer was 503: what is received is a second attempt.
    await eventually(async () => assert.deepEqual([(await read()).waiting, receiver.taken.length], [0, 2]))
    assert.deepEqual(
      receiver.taken.map(({ path, token }) => [path, token]),
      [
        ['/v1/traces', 'very-secret'],
        ['/v1/logs', 'very-secret'],
      ],
    )
    const spans = Traces.parse(JSON.parse(receiver.taken[0]?.body ?? '')).resourceSpans[0]?.scopeSpans[0]
      ?.spans
    const logs = Logs.parse(JSON.parse(receiver.taken[1]?.body ?? '')).resourceLogs[0]?.scopeLogs[0]
      ?.logRecords
    const [root] = spans ?? []
    const [record] = logs ?? []
    assert.equal(root?.name, 'invoke_agent sayer')
    assert.deepEqual(
      [record?.eventName, record?.spanId, record?.traceId],
      ['gen_ai.evaluation.result', root?.spanId, root?.traceId],
    )
    const facts = new Map(record?.attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
    assert.deepEqual(
      ['name', 'score.value', 'score.label', 'explanation'].map((name) =>
        facts.get(`gen_ai.evaluation.${name}`),
      ),
      ['Says yes', 1, 'pass', 'it does'],
    )
    assert.equal(facts.get('diorama.trial.id'), trials[0].id)
    const { rows } = await service.storage.pool.query('select * from trace_destinations')
    assert.ok(!JSON.stringify(rows).includes('very-secret'))
  })

  it('are sent in the binary form to a receiver that does not take JSON', async () => {
    using receiver = await openReceiver([], { takesJson: false })
    await put({ endpoint: receiver.endpoint, headers: {} })
    const { trials } = await run()
    await eventually(async () => assert.deepEqual([(await read()).waiting, receiver.taken.length], [0, 2]))
    assert.deepEqual(
      receiver.taken.map(({ path }) => path),
      ['/v1/traces', '/v1/logs'],
    )
    // The service itself is such a receiver, with a reader that shares nothing with the writer.
    const key = (await service.call('POST', '/v1/organizations', { name: 'Collects' })).body.key.secret
    const reply = await fetch(`${service.baseUrl}/v1/traces`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/x-protobuf' },
      body: new Uint8Array(receiver.taken[0]?.bytes ?? []),
    })
    assert.equal(reply.status, 200)
    const [trace] = (await service.call('GET', '/v1/traces', undefined, { key })).body.items
    const { spans } = (await service.call('GET', `/v1/traces/${trace.trace_id}`, undefined, { key })).body
    const root = spans.find(({ name }: { name: string }) => name === 'invoke_agent sayer')
    assert.equal(root.attributes['diorama.trial.id'], trials[0].id)
  })

  it('are taken by a store of traces that has no place for results', async () => {
    using receiver = await openReceiver([], { takesLogs: false })
    await put({ endpoint: receiver.endpoint, headers: {} })
    const { dropped } = await read()
    await run()
    await eventually(async () => assert.deepEqual([(await read()).waiting, receiver.taken.length], [0, 1]))
    const state = await read()
    assert.equal(state.dropped, dropped)
    assert.match(state.last_error, /takes traces alone/)
  })

  it('wait in a bounded queue: what does not fit is dropped and counted', async () => {
    await put({ endpoint: 'http://127.0.0.1:1', headers: {} })
    const { trials } = await run()
    const { dropped } = await read()
    const { pool } = service.storage
    const copies = `insert into eval_trials select copy.* from eval_trials, generate_series(1, 10000) n,
      jsonb_populate_record(eval_trials, jsonb_build_object('id', 'trl_copy_' || n, 'position', n)) copy
      where eval_trials.id = $1`
    await pool.query(copies, [trials[0].id])
    const fill = `insert into trace_outbox (trial_id, job_id, organization_id, next_at)
      select id, job_id, organization_id, now() + interval '1 day' from eval_trials where id like 'trl_copy_%'
      limit 10000 - (select count(*) from trace_outbox)`
    await pool.query(fill)
    await run()
    await eventually(async () => assert.equal((await read()).dropped, dropped + 1))
    assert.equal((await read()).waiting, 10_000)
    await pool.query('delete from trace_outbox')
  })

  it('are given up and counted where the receiver refuses them', async () => {
    using receiver = await openReceiver([400])
    await put({ endpoint: receiver.endpoint, headers: {} })
    const { dropped } = await read()
    await run()
    const state = await eventually(async () => {
      const now = await read()
      return now.dropped === dropped + 1 && now
    })
    assert.deepEqual([state.waiting, receiver.taken.length], [0, 0])
    assert.match(state.last_error, /answered with 400/)
  })

  it('are not sent to addresses that deliveries may not go to, and headers stay with their endpoint', async () => {
    const inside = await put({ endpoint: 'http://192.0.2.1:4318' })
    assert.equal(inside.status, 400, inside.text)
    assert.equal(inside.body.details[0].pointer, '/endpoint')
    assert.match(inside.text, /DIORAMA_DELIVERY_ALLOW/)
    await put({ endpoint: 'http://127.0.0.1:1', headers: { 'x-token': 'very-secret' } })
    const moved = await put({ endpoint: 'http://127.0.0.1:2' })
    assert.equal(moved.body.details[0].pointer, '/headers')
    const other = await service.call('POST', '/v1/organizations', { name: 'Other' })
    const seen = await service.call('GET', '/v1/trace-export', undefined, { key: other.body.key.secret })
    assert.equal(seen.status, 404)
    assert.equal((await service.call('DELETE', '/v1/trace-export')).status, 204)
  })
})
