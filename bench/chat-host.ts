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
const record = (step: Step, done?: () => void): void => {
  const { request, reply, ...facts } = step
  const line = JSON.stringify({
    ...facts,
    path: request.path,
    sent: request.body.length,
    got: reply.body.length,
  })
  const body = Buffer.from(reply.body).subarray(0, 65_536)
  const entry = [Buffer.from(`${line}\n`), Buffer.from(request.body), body]
  waiting.push({ entry, done: done ?? (() => {}) })
  if (done) setImmediate(flush)
}

const answer = (incoming: IncomingMessage, outgoing: ServerResponse, body: Buffer): void => {
  const [path = '/', query = ''] = (incoming.url ?? '/').split('?')
  const headers = incoming.headers as Record<string, string>
  const request = { method: incoming.method ?? 'GET', path, query, headers, body, baseUrl: '' }
  const { step } = instance.handle(request, testCompany.clock + Date.now() - started)
  const send = () => {
    for (const [name, value] of Object.entries(step.reply.headers)) outgoing.setHeader(name, value)
    const length = Buffer.byteLength(step.reply.body)
    outgoing.setHeader('content-length', length)
    outgoing.end(step.reply.body, length === step.reply.body.length ? 'latin1' : 'utf8')
  }
  if (step.changes.length > 0) record(step, send)
  else {
    record(step)
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
