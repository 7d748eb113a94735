import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { silentLog } from '../../server/src/storage/log.ts'
import { openStorage } from '../../server/src/storage/storage.ts'
import { GroupWriter } from '../../server/src/storage/writers/group.ts'

// The floor of bench/ledger.ts: a bare HTTP server that parses the form, builds the same reply and writes request,
// reply and change as one row with a primary key, in group commits that wait for the disk.

interface Row {
  readonly id: number
  readonly request: string
  readonly reply: string
  readonly changes: string
}

const folder = mkdtempSync(join(tmpdir(), 'bench-floor-'))
const storage = await openStorage({ dataDir: folder, log: silentLog, now: Date.now, random: randomBytes })
await storage.pool.query('create table floor (id bigint primary key, request text, reply text, changes text)')
const insert =
  'insert into floor select * from unnest($1::bigint[], $2::text[], $3::text[], $4::text[]) as one'
const writer = new GroupWriter<Row, void>({
  lanes: 2,
  maxBatch: 256,
  flush: async (rows) => {
    const column = (of: (row: Row) => unknown) => rows.map(of)
    const values = [
      column(({ id }) => id),
      column(({ request }) => request),
      column(({ reply }) => reply),
      column(({ changes }) => changes),
    ]
    await storage.pool.query({ name: 'floor', text: insert, values })
    return rows.map(() => undefined)
  },
})

let next = 1
const answer = async (text: string, headers: unknown): Promise<string> => {
  const form = new URLSearchParams(text)
  const id = next++
  const ts = `${Math.floor(Date.now() / 1_000)}.${String(id).padStart(6, '0')}`
  const section = { type: 'rich_text_section', elements: [{ type: 'text', text: form.get('text') }] }
  const blocks = [{ type: 'rich_text', block_id: `b${id}`, elements: [section] }]
  const message = { type: 'message', user: 'U1', ts, text: form.get('text'), team: 'T1', blocks }
  const reply = JSON.stringify({ ok: true, channel: form.get('channel'), ts, message })
  const request = JSON.stringify({ headers, body: text })
  await writer.write({ id, request, reply, changes: JSON.stringify([{ before: null, after: message }]) })
  return reply
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    answer(Buffer.concat(chunks).toString(), request.headers).then((reply) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(reply)
    })
  })
})

/** The time of a bare insert and its commit, one after the other. */
const bareInserts = async (count: number): Promise<number[]> => {
  const times: number[] = []
  for (let n = 0; n < count; n++) {
    const began = performance.now()
    await storage.pool.query({
      name: 'bare',
      text: 'insert into floor values ($1, $2, $3, $4)',
      values: [next++, 'r', 'x'.repeat(800), 'y'.repeat(400)],
    })
    times.push(performance.now() - began)
  }
  return times
}

server.listen(0, '127.0.0.1', () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  process.send?.({ url, token: 'floor', channel: 'C1', tokens: 1, folder })
})
process.on('message', () => bareInserts(300).then((times) => process.send?.(times)))
process.on('disconnect', async () => {
  server.close()
  await storage.close()
  rmSync(folder, { recursive: true, force: true })
  process.exit(0)
})
