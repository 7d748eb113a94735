import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { eventually } from '../../test/eventually.ts'
import { type Authority, openAuthority } from './authority.ts'
import { BudgetExhausted, ByteBudget } from './byte-budget.ts'
import { type Gateway, openGateway } from './gateway.ts'

const mib = 2 ** 20
const here = mkdtempSync(join(tmpdir(), 'held-bytes-'))
let authority: Authority

before(async () => {
  authority = await openAuthority({ stateDir: here })
})
after(() => rmSync(here, { recursive: true }))

const openWith = (options: {
  heldBytes: number
  patienceMs: number
  replyBytes?: number
}): Promise<Gateway> =>
  openGateway({
    authority,
    route: () => ({ kind: 'twin', service: 'any' }),
    onRequest: async () => ({ status: 200, headers: {}, body: Buffer.alloc(options.replyBytes ?? 2) }),
    heldBytes: options.heldBytes,
    patienceMs: options.patienceMs,
  })

const open = (gateway: Gateway, bytes: string | Buffer): Socket => {
  const socket = connect(gateway.socketPath, () => socket.write(bytes))
  return socket.on('error', () => undefined)
}

/** The status line of the first reply on a connection; empty when it is cut without one. */
const statusOf = (socket: Socket): Promise<string> =>
  new Promise((resolve) => {
    socket.once('data', (chunk: Buffer) => resolve(chunk.toString('latin1').split('\r\n')[0] ?? ''))
    socket.once('close', () => resolve(''))
  })

const head = (size: number) => `POST / HTTP/1.1\r\nHost: twin.example\r\nContent-Length: ${size}\r\n\r\n`
const get = 'GET / HTTP/1.1\r\nHost: twin.example\r\n\r\n'

describe('What a trial makes the gateway hold', () => {
  test('stays within its budget however many bodies are left unfinished, and they end by time', async () => {
    await using gateway = await openWith({ heldBytes: 8 * mib, patienceMs: 1_500 })
    const unfinished = Buffer.concat([Buffer.from(head(2 * mib)), Buffer.alloc(2 * mib - 1)])
    const sockets = Array.from({ length: 40 }, () => open(gateway, unfinished))
    const statuses = Promise.all(sockets.map(statusOf))
    let peakBytes = 0
    const watch = setInterval(() => {
      peakBytes = Math.max(peakBytes, gateway.heldBytes)
    }, 5)
    await eventually(() => gateway.heldBytes > 0)
    for (const status of await statuses) assert.match(status, / (408|503) /)
    clearInterval(watch)
    assert.ok(peakBytes <= 8 * mib, `${peakBytes} bytes`)
    for (const socket of sockets) socket.destroy()
    await eventually(() => gateway.heldBytes === 0)
    const next = open(gateway, get)
    assert.match(await statusOf(next), / 200 /)
    next.destroy()
  })

  test('is freed when clients that do not read their replies are cut off', async () => {
    await using gateway = await openWith({ heldBytes: 16 * mib, patienceMs: 1_000, replyBytes: 4 * mib })
    const clients = Array.from({ length: 12 }, () => open(gateway, get).pause())
    await eventually(() => gateway.heldBytes >= 8 * mib)
    await eventually(() => gateway.heldBytes === 0)
    for (const client of clients) client.destroy()
  })

  test('makes requests wait for room and then serves all of them', async () => {
    await using gateway = await openWith({ heldBytes: 4 * mib, patienceMs: 20_000 })
    const whole = Buffer.concat([Buffer.from(head(2 * mib)), Buffer.alloc(2 * mib)])
    const sockets = Array.from({ length: 12 }, () => open(gateway, whole))
    for (const status of await Promise.all(sockets.map(statusOf))) assert.match(status, / 200 /)
    for (const socket of sockets) socket.destroy()
  })
})

describe('A budget of bytes', () => {
  test('serves in order, admits no one beyond its limit, and releases room once', async () => {
    const budget = new ByteBudget(10)
    const first = await budget.hold(6, 1_000)
    const served: string[] = []
    const large = budget.hold(8, 60_000).then((held) => {
      served.push('large')
      return held
    })
    const small = budget.hold(2, 60_000).then((held) => {
      served.push('small')
      return held
    })
    assert.equal(budget.heldBytes, 6)
    first[Symbol.dispose]()
    first[Symbol.dispose]()
    const both = await Promise.all([large, small])
    assert.deepEqual([served, budget.heldBytes], [['large', 'small'], 10])
    for (const held of both) held[Symbol.dispose]()
    assert.equal(budget.heldBytes, 0)
  })

  test('answers who waited too long, and then serves those behind', async () => {
    const budget = new ByteBudget(10)
    const first = await budget.hold(5, 1_000)
    const refused = assert.rejects(budget.hold(10, 20), BudgetExhausted)
    const behind = budget.hold(5, 60_000)
    await refused
    ;(await behind)[Symbol.dispose]()
    first.resize(1)
    assert.equal(budget.heldBytes, 1)
  })
})
