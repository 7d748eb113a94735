import { closeSync, constants, mkdtempSync, openSync, rmSync, writev } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chat } from '../twins/chat/twin.ts'
import { Instance } from '../twins/kernel/instance.ts'
import { integration, type Step } from '../twins/kernel/twin.ts'
import { testCompany } from '../twins/testing/host.ts'
import { chatSeed } from './chat-seed.ts'

// One side of bench/chat.ts: the chat twin behind a bare HTTP server, with every step recorded in a journal. A write
// is answered after its batch is on the disk; steps that arrive together are written together.

const folder = mkdtempSync(join(tmpdir(), 'bench-chat-'))
// A write to this file returns when it is on the disk.
const { O_APPEND, O_CREAT, O_DSYNC, O_WRONLY } = constants
const file = openSync(join(folder, 'journal'), O_WRONLY | O_CREAT | O_APPEND | O_DSYNC)
const seed = chatSeed(100)
const bare = new Instance({ seed, principals: [] })
const token = chat.token(integration, 'bench', bare.tables as never)
const instance = new Instance({ seed, principals: [{ subject: integration, token }] })
const started = Date.now()

let waiting: { entry: Uint8Array[]; done: () => void }[] = []
let isWriting = false

const flush = (): void => {
  if (isWriting || waiting.length === 0) return
  const batch = waiting
  waiting = []
  isWriting = true
  const parts = batch.flatMap(({ entry }) => entry)
  writev(file, parts, (error, bytes) => {
    const whole = parts.reduce((sum, { length }) => sum + length, 0)
    if (error || bytes !== whole) throw error ?? new Error('the journal was not written whole')
    isWriting = false
    for (const { done } of batch) done()
    flush()
  })
}
setInterval(flush, 50)

const slabBytes = 2 ** 20
const encoder = new TextEncoder()
let slab = Buffer.allocUnsafeSlow(slabBytes)
let used = 0

/** Answers are encoded once, one after another in a large piece of memory, for the socket and for the disk. */
const encode = (text: string): Buffer => {
  if (used + text.length * 3 > slab.length) {
    slab = Buffer.allocUnsafeSlow(Math.max(slabBytes, text.length * 3))
    used = 0
  }
  const { written } = encoder.encodeInto(text, slab.subarray(used))
  used += written
  return slab.subarray(used - written, used)
}

/** A line of facts, then the bodies as they were. Reads wait for the next write, or fifty milliseconds. */
const record = (step: Step, got: Buffer, done?: () => void): void => {
  const { request, reply: _, ...facts } = step
  const { path, body } = request
  const line = JSON.stringify({ ...facts, path, sent: body.length, got: got.length })
  const entry = [Buffer.from(`${line}\n`), body, got.subarray(0, 65_536)]
  waiting.push({ entry, done: done ?? (() => {}) })
  if (done) setImmediate(flush)
}

const answer = (incoming: IncomingMessage, outgoing: ServerResponse, body: Buffer): void => {
  const [path = '/', query = ''] = (incoming.url ?? '/').split('?')
  const headers = incoming.headers as Record<string, string>
  const request = { method: incoming.method ?? 'GET', path, query, headers, body, baseUrl: '' }
  const { step } = instance.handle(request, testCompany.clock + Date.now() - started)
  const { body: said } = step.reply
  const bytes = typeof said === 'string' ? encode(said) : Buffer.from(said)
  const send = () => {
    outgoing.writeHead(step.reply.status, { ...step.reply.headers, 'content-length': bytes.length })
    // A short text leaves in one piece with its headers; a long one would be copied for that.
    if (typeof said === 'string' && said.length === bytes.length && said.length < 4_096)
      outgoing.end(said, 'latin1')
    else outgoing.end(bytes)
  }
  if (step.changes.length > 0) record(step, bytes, send)
  else {
    record(step, bytes)
    send()
  }
}

const server = createServer((incoming, outgoing) => {
  const chunks: Buffer[] = []
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
  incoming.on('end', () => answer(incoming, outgoing, Buffer.concat(chunks)))
})

server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  const channel = seed.seed.keys.find(({ key }) => key === 'pumps')?.id
  process.send?.({ url: `http://127.0.0.1:${port}`, token, channel, tokens: 1 })
})
process.on('message', () => process.send?.(process.cpuUsage()))
process.on('disconnect', () => {
  closeSync(file)
  rmSync(folder, { recursive: true, force: true })
  process.exit(0)
})
