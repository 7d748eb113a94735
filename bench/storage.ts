import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Insertable } from 'kysely'
import { silentLog } from '../server/src/storage/log.ts'
import type { Database } from '../server/src/storage/schema.ts'
import { openStorage, type Storage } from '../server/src/storage/storage.ts'
import { bulkInsert } from '../server/src/storage/writers/bulk.ts'
import { GroupWriter } from '../server/src/storage/writers/group.ts'

// What our layer costs beside the bare driver, in one run, on the embedded server with its disk synced: the
// same rows into the same table, by turns. The table with a key, a JSON column and a reference represents
// events. DATABASE_URL chooses another server.

type Row = Insertable<Database['idempotency_keys']>

interface Way {
  readonly name: string
  readonly write: () => Promise<void>
}

interface Contest {
  readonly title: string
  /** Rows written by one call of `write`. */
  readonly rows: number
  readonly raw: Way
  readonly ours: readonly Way[]
}

const rounds = 5
const roundMs = 1_200
const target = 0.7
const batch = 1_000
const crowd = 256

const columns = ['organization_id', 'key', 'fingerprint', 'route', 'status', 'reply', 'created_at'] as const
const payload = JSON.stringify({
  channel: 'general',
  author: 'U024BE7LH',
  text: 'The quarterly numbers are in; see the thread for the three accounts that need a call this week.',
  reactions: [{ name: 'eyes', count: 3 }],
  thread: { replies: 4, latest: '2026-05-04T10:11:12.000Z' },
})

function makeRow(storage: Storage): Row {
  return {
    organization_id: 'org_bench',
    key: storage.makeId('evt'),
    fingerprint: 'message.posted',
    route: 'chat',
    status: 200,
    reply: payload,
    created_at: new Date(),
  }
}

function insertText(rows: number): string {
  const tuple = (row: number) =>
    `(${columns.map((_, column) => `$${row * columns.length + column + 1}`).join(',')})`
  return `insert into idempotency_keys (${columns.join(',')}) values ${Array.from({ length: rows }, (_, row) => tuple(row)).join(',')}`
}

function contests(storage: Storage): readonly Contest[] {
  const { db, pool } = storage
  const many = (count: number) => Array.from({ length: count }, () => makeRow(storage))
  const values = (rows: readonly Row[]) => rows.flatMap((row) => columns.map((column) => row[column]))
  const insertMany = bulkInsert({
    table: 'idempotency_keys',
    columns: {
      organization_id: 'text',
      key: 'text',
      fingerprint: 'text',
      route: 'text',
      status: 'integer',
      reply: 'jsonb',
      created_at: 'timestamptz',
    },
  })
  const writer = new GroupWriter<Row, void>({
    async flush(rows) {
      await insertMany(pool, rows)
      return rows.map(() => undefined)
    },
  })
  const oneText = insertText(1)
  const batchText = insertText(batch)
  const rawOne = async () => {
    await pool.query({ name: 'bench-one', text: oneText, values: values(many(1)) })
  }
  const kyselyOne = async () => {
    await db.insertInto('idempotency_keys').values(makeRow(storage)).execute()
  }
  const together = (write: () => Promise<void>) => async () => {
    await Promise.all(Array.from({ length: crowd }, write))
  }
  return [
    {
      title: `batches of ${batch} rows`,
      rows: batch,
      raw: {
        name: 'driver, one statement of parameters',
        write: async () =>
          void (await pool.query({ name: 'bench-many', text: batchText, values: values(many(batch)) })),
      },
      ours: [
        { name: 'bulk insert', write: async () => void (await insertMany(pool, many(batch))) },
        {
          name: 'group writer, row by row',
          write: async () => void (await Promise.all(many(batch).map((row) => writer.write(row)))),
        },
      ],
    },
    {
      title: 'single rows, one after another',
      rows: 1,
      raw: { name: 'driver, prepared statement', write: rawOne },
      ours: [
        { name: 'kysely', write: kyselyOne },
        { name: 'group writer', write: () => writer.write(makeRow(storage)) },
      ],
    },
    {
      title: `single rows, ${crowd} at once`,
      rows: crowd,
      raw: { name: 'driver, prepared statement', write: together(rawOne) },
      ours: [
        { name: 'kysely', write: together(kyselyOne) },
        { name: 'group writer', write: together(() => writer.write(makeRow(storage))) },
      ],
    },
  ]
}

/** Rows a second. */
async function measure(way: Way, rows: number): Promise<number> {
  const started = performance.now()
  let written = 0
  while (performance.now() - started < roundMs) {
    await way.write()
    written += rows
  }
  return (written * 1_000) / (performance.now() - started)
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0
}

/** By turns, so that a slow moment of the machine falls on all alike; the first round warms up. */
async function hold(storage: Storage, { title, rows, raw, ours }: Contest): Promise<boolean> {
  const ways = [raw, ...ours]
  const speeds = ways.map((): number[] => [])
  for (let round = 0; round <= rounds; round++) {
    for (const [index, way] of ways.entries()) {
      await storage.pool.query('truncate idempotency_keys')
      const speed = await measure(way, rows)
      if (round > 0) speeds[index]?.push(speed)
    }
  }
  const base = median(speeds[0] ?? [])
  console.log(title)
  const ratios = ways.map((way, index) => {
    const speed = median(speeds[index] ?? [])
    const rate = Math.round(speed).toLocaleString('en').padStart(9)
    console.log(`  ${way.name.padEnd(38)} ${rate} rows/s  ${(speed / base).toFixed(2)}`)
    return speed / base
  })
  return ratios.every((ratio) => ratio >= target)
}

const folder = mkdtempSync(join(tmpdir(), 'diorama-bench-'))
try {
  const databaseUrl = process.env.DATABASE_URL
  await using storage = await openStorage({
    ...(databaseUrl === undefined ? {} : { databaseUrl }),
    dataDir: folder,
    log: silentLog,
    now: Date.now,
    random: randomBytes,
  })
  await storage.pool.query(
    `insert into organizations (id, name, limits) values ('org_bench', 'Bench', '{}') on conflict do nothing`,
  )
  let passed = true
  for (const contest of contests(storage)) passed = (await hold(storage, contest)) && passed
  console.log(passed ? `each reaches ${target} of the driver` : `one falls short of ${target} of the driver`)
  process.exitCode = passed ? 0 : 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
