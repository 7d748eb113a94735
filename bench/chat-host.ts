import { closeSync, fdatasync, mkdtempSync, openSync, rmSync, writev } from 'node:fs'
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
const file = openSync(join(folder, 'journal'), 'a')
const seed = chatSeed(100)
const bare = new Instance({ seed, principals: [] })
const token = chat.token(integration, 'bench', bare.tables as never)
const instance = new Instance({ seed, principals: [{ subject: integration, token }] })
const started = Date.now()

let waiting: { entry: Buffer[]; done: () => void }[] = []
let isWriting = false

const flush = (): void => {
  if (isWriting || waiting.length === 0) return
  const batch = waiting
  waiting = []
  isWriting = true
  const parts = batch.flatMap(({ entry }) => entry)
  writev(file, parts, () =>
    fdatasync(file, () => {
      isWriting = false
      for (const { done } of batch) done()
      flush()
    }),
  )
}
setInterval(flush, 50)

/** A line of facts, then the bodies as they were. Reads wait for the next write, or fifty milliseconds. */
const record = (step: Step, got: Buffer, done?: () => void): void => {
  const { request, reply: _, ...facts } = step
  const sent = Buffer.from(request.body)
  const line = JSON.stringify({ ...facts, path: request.path, sent: sent.length, got: got.length })
  const entry = [Buffer.from(`${line}\n`), sent, got.subarray(0, 65_536)]
  waiting.push({ entry, done: done ?? (() => {}) })
  if (done) setImmediate(flush)
}

const answer = (incoming: IncomingMessage, outgoing: ServerResponse, body: Buffer): void => {
  const [path = '/', query = ''] = (incoming.url ?? '/').split('?')
  const headers = incoming.headers as Record<string, string>
  const request = { method: incoming.method ?? 'GET', path, query, headers, body, baseUrl: '' }
  const { step } = instance.handle(request, testCompany.clock + Date.now() - started)
  // Encoded once, for the socket and for the journal.
  const bytes = Buffer.from(step.reply.body)
  const send = () => {
    outgoing.writeHead(step.reply.status, { ...step.reply.headers, 'content-length': bytes.length })
    outgoing.end(bytes)
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
