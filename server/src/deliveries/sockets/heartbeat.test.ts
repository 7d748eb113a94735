import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { it } from 'node:test'
import { WebSocket, WebSocketServer } from 'ws'
import { type Heartbeat, heartbeatOf } from './heartbeat.ts'

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
    heart: heartbeatOf(socket, request.socket) as Heartbeat,
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
  assert.equal(await both.heart.beat(1_772_442_000_500), true)
  assert.deepEqual(noted, ['pong 1772442000.5', 'ping 1772442000.5'])
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
