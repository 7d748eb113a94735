import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { Agent, getGlobalDispatcher, setGlobalDispatcher } from 'undici'
import { eventually } from '../test/eventually.ts'
import { createClient, DioramaError } from './index.ts'

type Answer = (request: IncomingMessage, response: ServerResponse) => void

interface Faulty extends AsyncDisposable {
  readonly baseUrl: string
  readonly requests: {
    method: string
    url: string
    key: string | undefined
    lastEventId: string | undefined
  }[]
  stop(): Promise<void>
  start(): Promise<void>
}

/** A service that answers each request as the next of the script says, and the last one from then on. */
const faulty = async (...script: Answer[]): Promise<Faulty> => {
  const requests: Faulty['requests'] = []
  let server: Server | undefined
  let port = 0
  const start = async () => {
    server = createServer((request, response) => {
      const header = (name: string) => request.headers[name]?.toString()
      requests.push({
        method: request.method ?? '',
        url: request.url ?? '',
        key: header('idempotency-key'),
        lastEventId: header('last-event-id'),
      })
      const answer = script[Math.min(requests.length, script.length) - 1]
      request.resume().on('end', () => answer?.(request, response))
    })
    await new Promise<void>((resolve) => server?.listen(port, '127.0.0.1', resolve))
    port = (server.address() as AddressInfo).port
  }
  const stop = async () => {
    server?.closeAllConnections()
    await new Promise((resolve) => server?.close(resolve))
  }
  await start()
  return { baseUrl: `http://127.0.0.1:${port}`, requests, start, stop, [Symbol.asyncDispose]: stop }
}

const json =
  (status: number, body: object, headers: Record<string, string> = {}): Answer =>
  (_, response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
const refusal = (status: number, code: string, headers: Record<string, string> = {}) =>
  json(status, { error: `It is ${code}.`, code, request_id: 'req_1' }, headers)
const cut: Answer = (request) => request.socket.destroy()
const silent: Answer = () => {}
const event = (n: number) =>
  `id: ${n}\nevent: event\ndata: ${JSON.stringify({ id: `evt_${n}`, event_type: `e${n}` })}\n\n`
const stream =
  (text: string, end: 'cut' | 'end' | 'open'): Answer =>
  (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(text, () => {
      if (end === 'cut') response.destroy()
      if (end === 'end') response.end()
    })
  }
const me = json(200, { organization: { id: 'org_1', created_at: 'x' } })
const suite = json(201, { id: 'ste_1', task_count: 0 })

const open = (service: Faulty, more: object = {}) =>
  createClient({ baseUrl: service.baseUrl, apiKey: 'dk_test', retries: 4, ...more })

describe('requests to a service in trouble', () => {
  it('are sent again after 429, 503, a cut connection and a proxy’s 502', async () => {
    await using service = await faulty(
      refusal(429, 'limit_exceeded', { 'retry-after': '0' }),
      refusal(503, 'unavailable', { 'retry-after': '0' }),
      cut,
      (_, response) => response.writeHead(502).end('Bad gateway'),
      me,
    )
    assert.equal((await open(service).me.get()).organization.createdAt, 'x')
    assert.equal(service.requests.length, 5)
  })

  it('wait for as long as Retry-After says', async () => {
    await using service = await faulty(refusal(503, 'unavailable', { 'retry-after': '1' }), me)
    const started = performance.now()
    await open(service).me.get()
    assert.ok(performance.now() - started >= 990)
  })

  it('create something once: every attempt carries the same key that the client made', async () => {
    await using service = await faulty(cut, refusal(500, 'internal'), suite)
    const client = open(service)
    assert.equal((await client.suites.create({ name: 'S' })).taskCount, 0)
    const keys = service.requests.map(({ key }) => key)
    assert.match(keys[0] ?? '', /^[0-9a-f]{32}$/)
    assert.equal(new Set(keys).size, 1)
    await client.suites.create({ name: 'S' })
    assert.notEqual(service.requests.at(-1)?.key, keys[0])
    await client.suites.create({ name: 'S' }, { idempotencyKey: 'mine' })
    assert.equal(service.requests.at(-1)?.key, 'mine')
  })

  it('that act without a key are not retried when it is unknown whether they took effect', async () => {
    await using service = await faulty(cut, me)
    await assert.rejects(open(service).worlds.reset('wld_1'), { status: 0, code: 'network_error' })
    assert.equal(service.requests.length, 1)
  })

  it('are not retried when they are refused, or when the requested wait is too long', async () => {
    await using service = await faulty(
      refusal(404, 'not_found'),
      refusal(503, 'sandbox_unavailable', { 'retry-after': '60' }),
    )
    const client = open(service)
    await assert.rejects(client.worlds.get('wld_1'), { status: 404, code: 'not_found', requestId: 'req_1' })
    await assert.rejects(client.evaluations.list(), { status: 503, retryAfterMs: 60_000 })
    assert.equal(service.requests.length, 2)
  })

  it('end with a time-out of the client’s own, and with the caller’s reason when he gives up', async () => {
    await using service = await faulty(silent)
    await assert.rejects(open(service, { timeoutMs: 50, retries: 1 }).me.get(), { code: 'timeout' })
    assert.equal(service.requests.length, 2)
    const giveUp = new AbortController()
    const asked = open(service).me.get({ signal: giveUp.signal })
    giveUp.abort(new Error('enough'))
    await assert.rejects(asked, /enough/)
  })

  it('wait as long as the caller does, also where the runtime gives up on headers sooner', async () => {
    const earlier = getGlobalDispatcher()
    const hasty = new Agent({ headersTimeout: 50 })
    setGlobalDispatcher(hasty)
    const gaveUp = Promise.withResolvers<void>()
    try {
      // The second request is answered once the runtime has given up on the first one.
      await using service = await faulty(silent, (request, response) => {
        gaveUp.promise.then(() => me(request, response))
      })
      const plain = fetch(service.baseUrl)
      await eventually(() => service.requests.length === 1, 'the first request did not arrive')
      const asked = open(service, { retries: 0, timeoutMs: 600_000 }).me.get()
      await assert.rejects(plain, ({ cause }) => cause.code === 'UND_ERR_HEADERS_TIMEOUT')
      gaveUp.resolve()
      assert.equal((await asked).organization.createdAt, 'x')
    } finally {
      setGlobalDispatcher(earlier)
      await hasty.destroy()
    }
  })

  it('say what else than the service has answered', async () => {
    await using service = await faulty((_, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Sign in to the network</h1>'),
    )
    await assert.rejects(open(service).me.get(), { code: 'unreadable_reply' })
  })
})

describe('streams of a service in trouble', () => {
  it('go on after cuts, ends and refusals, resume after the last message and pass each event on once', async () => {
    await using service = await faulty(
      stream(`: open\n\nid: 0\n\n${event(1)}${event(2)}`, 'cut'),
      refusal(503, 'unavailable', { 'retry-after': '0' }),
      stream(`${event(2)}${event(3)}`, 'end'),
      stream(`${event(3)}${event(4)}`, 'open'),
    )
    const seen: string[] = []
    for await (const one of open(service).events.stream({ source: 's', after: 'evt_0' })) {
      seen.push(one.eventType)
      if (seen.length === 4) break
    }
    assert.deepEqual(seen, ['e1', 'e2', 'e3', 'e4'])
    assert.deepEqual(
      service.requests.map(({ lastEventId }) => lastEventId),
      [undefined, '2', '2', '3'],
    )
    assert.match(service.requests[0]?.url ?? '', /after=evt_0/)
    assert.doesNotMatch(service.requests[1]?.url ?? '', /after=/)
  })

  it('outlive a restart of the service', async () => {
    await using service = await faulty(stream(event(1), 'open'), stream(event(2), 'open'))
    const events = open(service).events.stream()[Symbol.asyncIterator]()
    assert.equal((await events.next()).value.eventType, 'e1')
    const next = events.next()
    await service.stop()
    await service.start()
    assert.equal((await next).value.eventType, 'e2')
    await events.return?.()
  })

  it('of an evaluation are over after run_finished', async () => {
    const step = (n: number, type: string) =>
      `id: ${n}\nevent: ${type}\ndata: {"type":"${type}","trial_id":"trl_${n}","status":"succeeded"}\n\n`
    await using service = await faulty(
      stream(step(1, 'trial_started'), 'cut'),
      stream(step(1, 'trial_started') + step(2, 'trial_finished') + step(3, 'run_finished'), 'end'),
    )
    const seen: string[] = []
    for await (const one of open(service).evaluations.stream('job_1')) seen.push(`${one.type} ${one.trialId}`)
    assert.deepEqual(seen, ['trial_started trl_1', 'trial_finished trl_2', 'run_finished trl_3'])
  })

  it('of an evaluation that break still lead to its results', async () => {
    const job = (status: string, done: number) =>
      json(200, { id: 'job_1', status, completed_trials: done, total_trials: 1, counts: {} })
    const finished =
      'id: 2\nevent: trial_finished\ndata: {"type":"trial_finished","trial_id":"trl_1","status":"succeeded"}\n\n'
    const over =
      'id: 3\nevent: run_finished\ndata: {"type":"run_finished","trial_id":null,"status":"succeeded"}\n\n'
    await using service = await faulty(
      job('queued', 0),
      job('running', 0),
      stream(': open\n\n', 'cut'),
      stream(finished + over, 'end'),
      refusal(503, 'unavailable', { 'retry-after': '0' }),
      job('running', 1),
      job('running', 1),
      job('succeeded', 1),
      json(200, { job_id: 'job_1', status: 'succeeded', task_results: [{ task_id: 'tsk_1', passed: true }] }),
    )
    const progress: string[] = []
    const { job: last, results } = await open(service).evaluations.runAndWait(
      { taskSuiteId: 'ste_1', agents: ['a@1'] },
      { pollMs: 1, onProgress: (run, step) => progress.push(`${run.completedTrials} ${step?.type ?? ''}`) },
    )
    assert.equal(last.status, 'succeeded')
    assert.equal(results.taskResults[0]?.taskId, 'tsk_1')
    assert.deepEqual(progress, ['0 ', '1 trial_finished', '1 ', '1 '])
    await using stuck = await faulty(job('running', 0), stream('', 'open'))
    await assert.rejects(open(stuck).evaluations.wait('job_1', { timeoutMs: 50 }), { code: 'timeout' })
  })

  it('end with the refusal where there is nothing to wait for, and when the caller gives up', async () => {
    await using service = await faulty(refusal(401, 'unauthorized'), stream(event(1), 'open'))
    const client = open(service)
    const first = async (signal?: AbortSignal) => {
      for await (const one of client.events.stream({}, { signal })) return one
    }
    await assert.rejects(first(), (error) => error instanceof DioramaError && error.status === 401)
    const giveUp = new AbortController()
    const reading = async () => {
      for await (const _ of client.events.stream({}, { signal: giveUp.signal }))
        giveUp.abort(new Error('enough'))
    }
    await assert.rejects(reading(), /enough/)
  })
})
