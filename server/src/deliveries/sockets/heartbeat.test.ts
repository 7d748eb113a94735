import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { it } from 'node:test'
import { WebSocket, WebSocketServer } from 'ws'
import { type Heartbeat, heartbeatOf } from './heartbeat.ts'

const at = 1_772_442_000_500

const connected = async (options: { autoPong?: boolean } = {}) => {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const arrived = once(server, 'connection')
  const client = new WebSocket(`ws://127.0.0.1:${port}`, options)
  const upgraded = once(client, 'upgrade')
  await once(client, 'open')
  const [{ socket: clientSocket }] = (await upgraded) as [IncomingMessage]
  const [socket, request] = (await arrived) as [WebSocket, IncomingMessage]
  return {
    client,
    /** What arrives at the client, as it arrives. */
    sent: clientSocket,
    heart: heartbeatOf(socket, request.socket, () => at) as Heartbeat,
    [Symbol.asyncDispose]: async () => {
      client.terminate()
      server.close()
      await once(server, 'close')
    },
  }
}

it('a client has noted a pong of the new time before its timers are let run', async () => {
  await using both = await connected()
  const noted: string[] = []
  both.client.on('pong', (data: Buffer) => noted.push(`pong ${data}`))
  both.client.on('ping', (data: Buffer) => noted.push(`ping ${data}`))
  assert.equal(await both.heart.beat(at), true)
  assert.deepEqual(noted, ['pong 1772442000.5', 'ping 1772442000.5'])
})

it('a client that writes the time into its pings gets a pong as if it had pinged at the new time', async () => {
  await using both = await connected()
  const noted: string[] = []
  both.client.on('pong', (data: Buffer) => noted.push(`${data}`))
  for (const ping of ['a1b2-1234567890:1772442000.1234567', 'at 1772442000400 ms', 'no time: 1234567890']) {
    both.client.ping(ping)
    await once(both.client, 'pong')
    assert.equal(await both.heart.beat(at + 7_200_000), true)
  }
  assert.deepEqual(noted, [
    'a1b2-1234567890:1772442000.1234567',
    'a1b2-1234567890:1772449200.5',
    'at 1772442000400 ms',
    'at 1772449200500 ms',
    'no time: 1234567890',
    'at 1772449200500 ms',
  ])
})

it('a message comes after a heartbeat of its time, in one piece with it', async () => {
  await using both = await connected()
  const noted: string[] = []
  const pieces: number[] = []
  for (const kind of ['pong', 'ping', 'message'] as const)
    both.client.on(kind, (data: Buffer) => noted.push(`${kind} ${data}`))
  const heard = once(both.client, 'message')
  both.sent.on('data', (chunk: Buffer) => pieces.push(chunk.length))
  both.heart.send('Hello', 2_000)
  await heard
  assert.deepEqual(noted, ['pong 2', 'ping 2', 'message Hello'])
  assert.equal(pieces.length, 1)
})

it('a socket that ends instead of answering is not waited for', async () => {
  await using both = await connected({ autoPong: false })
  let hasEnded = false
  both.heart.onEnded(() => {
    hasEnded = true
  })
  both.client.on('ping', () => both.client.terminate())
  assert.equal(await both.heart.beat(1_000), false)
  assert.equal(hasEnded, true)
  assert.equal(await both.heart.beat(2_000), false)
})
