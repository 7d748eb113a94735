import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import type { DeliveryChannel, SocketRules } from '@diorama/twin-kit/kernel/deliveries'
import type { Outgoing } from '../transport.ts'
import { createSockets } from './sockets.ts'

const rules: SocketRules = {
  maxConnections: 2,
  refreshAfterMs: 60_000,
  warnBeforeMs: 10_000,
  greeting: (_, connections) => [`hello ${connections}`],
  farewell: (reason) => `bye ${reason}`,
  parse: (text) => ({ acknowledges: text }),
  messageId: ({ id }) => id,
}

const channel: DeliveryChannel = {
  transport: 'socket',
  timeoutMs: 3_000,
  retryAfterMs: [],
  request: () => ({ method: '', headers: {}, body: '' }),
}

const outgoing = (id: string) =>
  ({
    twin: { id: 'twn_1' },
    emission: { id, channel: 'events', kind: 'note', receiver: 'app', url: null, payload: {} },
    channel,
    attempt: { number: 1, at: 0 },
    request: { method: '', headers: {}, body: id },
  }) as unknown as Outgoing

const start = () => {
  const sockets = createSockets()
  const connect = (refreshAfterMs?: number) => {
    const got: string[] = []
    const open = sockets.open(
      { id: 'twn_1', rules },
      { receiver: 'app', ...(refreshAfterMs !== undefined && { refreshAfterMs }) },
      { send: (text) => void got.push(text), close: (code, reason) => void got.push(`${code} ${reason}`) },
    )
    return { got, ...open }
  }
  return { sockets, connect }
}

test('a connection is warned, asked to reconnect at the end of its life, and gets nothing new after that', async () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  try {
    const { sockets, connect } = start()
    const old = connect()
    mock.timers.tick(50_000)
    assert.deepEqual(old.got, ['hello 1', 'bye warning'])
    const next = connect()
    mock.timers.tick(10_000)
    assert.deepEqual(old.got.slice(2), ['bye refresh_requested', '1000 refresh_requested'])
    for (const id of ['a', 'b']) {
      const sent = sockets.send(outgoing(id))
      next.heard(id)
      assert.equal('answer' in (await sent), true)
    }
    assert.deepEqual(next.got, ['hello 2', 'a', 'b'])
    old.ended()
    assert.equal(sockets.countOf('twn_1', 'app'), 1)
  } finally {
    mock.timers.reset()
  }
})

test('each message goes to any of the connections, and one too many is sent away', async () => {
  const { sockets, connect } = start()
  const [first, second, third] = [connect(), connect(), connect()]
  assert.deepEqual(third.got, ['bye too_many_websockets', '1000 too_many_websockets'])
  const ids = Array.from({ length: 40 }, (_, n) => `message ${n}`)
  const sent = ids.map((id) => sockets.send(outgoing(id)))
  const [ofFirst, ofSecond] = [first.got.slice(1), second.got.slice(1)]
  assert.deepEqual([...ofFirst, ...ofSecond].toSorted(), ids.toSorted())
  assert.ok(ofFirst.length >= 10 && ofSecond.length >= 10)
  for (const id of ofFirst) first.heard(id)
  second.ended()
  const faults = (await Promise.all(sent)).map((outcome) => ('fault' in outcome ? outcome.fault : null))
  assert.deepEqual(
    faults,
    ids.map((id) => (ofFirst.includes(id) ? null : 'closed')),
  )
  first.ended()
  third.ended()
  assert.equal('fault' in (await sockets.send(outgoing('e'))), true)
})
