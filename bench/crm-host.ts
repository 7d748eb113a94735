import { closeSync, fdatasync, mkdtempSync, openSync, rmSync, writev } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crm } from '../twins/crm/twin.ts'
import { Instance } from '../twins/kernel/instance.ts'
import { integration } from '../twins/kernel/twin.ts'
import { testCompany } from '../twins/testing/host.ts'
import { crmSeed } from './crm-seed.ts'

// One side of bench/crm.ts: the crm twin behind a bare HTTP server. A write is answered after the batch of steps that
// it is in is on the disk, as the chat twin's host does it.

const folder = mkdtempSync(join(tmpdir(), 'bench-crm-'))
const file = openSync(join(folder, 'journal'), 'a')
const seed = crmSeed(100)
const bare = new Instance({ seed, principals: [] })
const token = crm.token(integration, '0123456789abcdef0123456789abcdef', bare.tables as never)
const instance = new Instance({ seed, principals: [{ subject: integration, token }] })
const started = Date.now()

let waiting: { entry: Buffer; done: () => void }[] = []
let isWriting = false
const flush = (): void => {
  if (isWriting || waiting.length === 0) return
  const batch = waiting
  waiting = []
  isWriting = true
  writev(
    file,
    batch.map(({ entry }) => entry),
    () =>
      fdatasync(file, () => {
        isWriting = false
        for (const { done } of batch) done()
        flush()
      }),
  )
}

const server = createServer((incoming, outgoing) => {
  const chunks: Buffer[] = []
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
  incoming.on('end', () => {
    const [path = '/', query = ''] = (incoming.url ?? '/').split('?')
    const headers = incoming.headers as Record<string, string>
    const body = Buffer.concat(chunks)
    const request = { method: incoming.method ?? 'GET', path, query, headers, body, baseUrl: '' }
    const { step } = instance.handle(request, testCompany.clock + Date.now() - started)
    const { reply, request: _, ...facts } = step
    const entry = Buffer.from(
      `${JSON.stringify({ ...facts, path, got: reply.body.length })}\n${body.toString()}${String(reply.body).slice(0, 65_536)}\n`,
    )
    const done = () => {
      outgoing.writeHead(reply.status, { ...(reply.headers as Record<string, string>) })
      outgoing.end(reply.body)
    }
    waiting.push({ entry, done })
    setImmediate(flush)
  })
})

server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.send?.({ url: `http://127.0.0.1:${port}`, token })
})
process.on('message', () => process.send?.(process.cpuUsage()))
process.on('disconnect', () => {
  closeSync(file)
  rmSync(folder, { recursive: true, force: true })
  process.exit(0)
})
