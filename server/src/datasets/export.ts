import { Readable } from 'node:stream'
import type { DatasetCompany } from '@diorama/contract'
import { canonicalJson } from '@diorama/twin-kit/kernel/canonical'
import type { Seed } from '@diorama/twin-kit/kernel/seed'
import type { Row } from '@diorama/twin-kit/kernel/table'
import type { Kysely } from 'kysely'
import { seedParts } from '../twins/seeds/seed-parts.ts'
import type { TwinTables } from '../twins/tables.ts'
import { keysCollection } from './intake/compile.ts'

export interface ExportedService {
  readonly service: string
  readonly seed_sha256: string
}

const batchChars = 262_144

/** A dataset as NDJSON, read from its stored seeds as it is sent: the company, then every row of every service. */
export const exportStream = (
  db: Kysely<TwinTables>,
  company: DatasetCompany,
  services: readonly ExportedService[],
  after: () => Promise<void> = async () => {},
): Readable => Readable.from(batches(lines(db, company, services), after), { objectMode: false })

async function* batches(source: AsyncIterable<string>, after: () => Promise<void>): AsyncGenerator<string> {
  try {
    let held = ''
    for await (const line of source) {
      held += `${line}\n`
      if (held.length < batchChars) continue
      yield held
      held = ''
    }
    if (held !== '') yield held
  } finally {
    await after()
  }
}

async function* lines(
  db: Kysely<TwinTables>,
  company: DatasetCompany,
  services: readonly ExportedService[],
): AsyncGenerator<string> {
  yield canonicalJson({ company })
  for (const { service, seed_sha256 } of services) {
    const stored = await db
      .selectFrom('seeds')
      .select('body')
      .where('sha256', '=', seed_sha256)
      .executeTakeFirstOrThrow()
    const seed = JSON.parse(stored.body.toString('utf8')) as Seed
    const line = (collection: string, row: object) => JSON.stringify({ service, collection, row })
    for (const key of seed.keys) yield line(keysCollection, key)
    for (const [collection, rows] of Object.entries(seed.tables))
      for (const row of rows) yield line(collection, row)
    for await (const { table, rows } of seedParts(db, seed_sha256))
      for (const row of rows) yield line(table, row)
  }
}

/** A page of a collection's rows, in their order; `skip` of them come before it. */
export const seedRows = async (
  db: Kysely<TwinTables>,
  sha256: string,
  collection: string,
  { skip, limit }: { skip: number; limit: number },
): Promise<{ rows: Row[]; hasMore: boolean }> => {
  const rows: Row[] = []
  let passed = 0
  const take = (some: readonly Row[]): boolean => {
    for (const row of some) {
      if (passed++ < skip) continue
      if (rows.length === limit) return true
      rows.push(row)
    }
    return false
  }
  const stored = await db.selectFrom('seeds').select('body').where('sha256', '=', sha256).executeTakeFirst()
  const seed = stored && (JSON.parse(stored.body.toString('utf8')) as Seed)
  if (take(seed?.tables[collection] ?? [])) return { rows, hasMore: true }
  for await (const part of seedParts(db, sha256, collection))
    if (take(part.rows)) return { rows, hasMore: true }
  return { rows, hasMore: false }
}
