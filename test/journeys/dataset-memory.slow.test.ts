import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { after, before, describe, it } from 'node:test'
import { patientFetch } from '../../sdk/core/patient-fetch.ts'
import type { Any } from '../../server/src/datasets/testing-upload.ts'
import { killProcess, type Running, startProcess } from '../../server/src/testing-process.ts'
import { zipStream } from './zip-stream.ts'

const mib = 2 ** 20
const sizeBytes = 600 * mib
/** What one import may add to a service of any age, whatever its size. */
const maxGrowthBytes = 512 * mib
const key = `dk_${'5eed'.repeat(12)}`

const company = JSON.stringify({
  organization: { name: 'Ember Works', slug: 'ember-works', emailDomain: 'ember.example' },
  clock: '2026-03-02T09:00:00Z',
})
const channel = JSON.stringify({
  ...{ id: 'C_OLD', name: 'general', kind: 'public_channel', created: 1, creator: 'U_MIRA', updated: 1 },
  ...{ is_archived: false, is_general: true, previous_names: [] },
  topic: { value: '', creator: '', last_set: 0 },
  purpose: { value: '', creator: '', last_set: 0 },
})
/** Every fourth message is a reply, each to another message. */
const message = (n: number): string => {
  const ts = `${1_500_000_000 + n}.000100`
  const parent = n % 4 === 3 ? { thread_ts: `${1_500_000_000 + n - 3}.000100`, parent_user_id: 'U_MIRA' } : {}
  const text = `${n} kiln glaze order shipment late invoice renewal sensor drift — `.repeat(3)
  return JSON.stringify({
    ...{ id: `C_OLD:${ts}`, channel: 'C_OLD', ts, type: 'message', user: 'U_MIRA', text },
    ...parent,
  })
}

/** Pieces of text, as bytes of a quarter of a megabyte. */
function* bytes(pieces: Iterable<string>): Generator<Buffer> {
  let held = ''
  for (const piece of pieces) {
    held += piece
    if (held.length < 262_144) continue
    yield Buffer.from(held)
    held = ''
  }
  yield Buffer.from(held)
}

/** Messages until there is enough text of them. */
function* messages(wrap: (row: string, n: number) => string, counted: { rows: number }): Generator<string> {
  counted.rows = 0
  for (let size = 0; size < sizeBytes; counted.rows++) {
    const piece = wrap(message(counted.rows), counted.rows)
    size += piece.length
    yield piece
  }
}

const line = (collection: string, row: string) =>
  `{"service":"chat","collection":"${collection}","row":${row}}\n`
const counted = { rows: 0 }
const forms: Readonly<
  Record<string, { type: string; body: () => AsyncIterable<Buffer> | Iterable<Buffer> }>
> = {
  NDJSON: {
    type: 'application/x-ndjson',
    body: () =>
      bytes(
        (function* () {
          yield `{"company":${company}}\n${line('channel', channel)}`
          yield* messages((row) => line('message', row), counted)
        })(),
      ),
  },
  JSON: {
    type: 'application/json',
    body: () =>
      bytes(
        (function* () {
          yield `{"company":${company},"twins":{"chat":{"channel":[${channel}],"message":[`
          yield* messages((row, n) => (n === 0 ? row : `,${row}`), counted)
          yield ']}}}'
        })(),
      ),
  },
  'a zip': {
    type: 'application/zip',
    body: () =>
      zipStream([
        ['company.json', () => [Buffer.from(company)]],
        ['chat/channel.ndjson', () => [Buffer.from(channel)]],
        ['chat/message.ndjson', () => bytes(messages((row) => `${row}\n`, counted))],
      ]),
  },
}

describe('an upload of 600 MiB', {
  skip: process.platform !== 'linux' && 'memory is read from /proc',
}, () => {
  const folder = mkdtempSync(join(tmpdir(), 'diorama-memory-'))
  let running: Running
  before(async () => {
    running = await startProcess(folder, key)
  })
  after(async () => {
    await killProcess(running)
    rmSync(folder, { recursive: true, force: true })
  })
  /** In bytes: what is in memory now (VmRSS), or was at its peak (VmHWM). */
  const memory = (field: 'VmRSS' | 'VmHWM'): number => {
    const status = readFileSync(`/proc/${running.process.pid}/status`, 'utf8')
    return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1]) * 1_024
  }

  it('adds the same small amount to the memory of the service, as NDJSON, as JSON and as a zip', async () => {
    const idle = memory('VmRSS')
    for (const [name, { type, body }] of Object.entries(forms)) {
      const reply = await patientFetch(`${running.baseUrl}/v1/datasets?name=large`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': type },
        body: Readable.toWeb(Readable.from(body())) as ReadableStream,
        duplex: 'half',
      } as RequestInit)
      const version = (await reply.json()) as Any
      assert.equal(reply.status, 201, JSON.stringify(version).slice(0, 500))
      const { collections } = version.services[0]
      assert.equal(collections.find((one: { name: string }) => one.name === 'message').count, counted.rows)
      const growth = memory('VmHWM') - idle
      assert.ok(growth < maxGrowthBytes, `${name}: the service grew by ${Math.round(growth / mib)} MiB`)
    }
  })
})
