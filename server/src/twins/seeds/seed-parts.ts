import { promisify } from 'node:util'
import { constants, zstdCompress, zstdDecompress, zstdDecompressSync } from 'node:zlib'
import { byName, digestSeedText, type SeedText } from '@diorama/twin-kit/datasets/seed-text'
import { canonicalJson } from '@diorama/twin-kit/kernel/canonical'
import type { LazyRows } from '@diorama/twin-kit/kernel/rows/frozen'
import type { Seed } from '@diorama/twin-kit/kernel/seed'
import type { Row } from '@diorama/twin-kit/kernel/table'
import { type Kysely, sql, type Transaction } from 'kysely'
import type { TwinTables } from '../tables.ts'

type Db = Kysely<TwinTables> | Transaction<TwinTables>

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)
const fast = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }
const partChars = 2 << 20
const partsAtOnce = 8

/** Stores a seed of any size under its digest; rows go to the database in parts while they are read. */
export const saveSeedText = async (
  text: SeedText,
  entityCount: number,
  db: Db,
  known?: string,
): Promise<string> => {
  const sha256 = known ?? (await digestSeedText(text))
  const tables = Object.fromEntries(text.tables.map(({ name }) => [name, []]))
  const { kind, clock, keys } = text
  const inserted = await db
    .insertInto('seeds')
    .values({
      sha256,
      kind,
      entity_count: entityCount,
      body: Buffer.from(canonicalJson({ kind, clock, keys, tables })),
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('sha256')
    .executeTakeFirst()
  if (!inserted) return sha256
  const counts: Record<string, number> = {}
  let number = 0
  const put = async (table: string, rows: string) => {
    const body = await compress(Buffer.from(`[${rows}]`), fast)
    await db.insertInto('seed_parts').values({ sha256, number, table_name: table, body }).execute()
    number++
  }
  for (const { name, rows } of byName(text.tables)) {
    let held = ''
    for await (const row of rows()) {
      held += held === '' ? row : `,${row}`
      counts[name] = (counts[name] ?? 0) + 1
      if (held.length < partChars) continue
      await put(name, held)
      held = ''
    }
    if (held !== '') await put(name, held)
  }
  await db
    .updateTable('seeds')
    .set({ body: Buffer.from(canonicalJson({ kind, clock, keys, tables, counts })) })
    .where('sha256', '=', sha256)
    .execute()
  return sha256
}

export interface SeedPart {
  readonly table: string
  readonly rows: readonly Row[]
}

/** The parts of a stored seed, or of one of its tables, in their order; none of one that is stored whole. */
export async function* seedParts(db: Db, sha256: string, table?: string): AsyncGenerator<SeedPart> {
  for (let last = -1; ; ) {
    let query = db
      .selectFrom('seed_parts')
      .select(['number', 'table_name', 'body'])
      .where('sha256', '=', sha256)
      .where('number', '>', last)
    if (table !== undefined) query = query.where('table_name', '=', table)
    const parts = await query.orderBy('number').limit(partsAtOnce).execute()
    last = parts.at(-1)?.number ?? last
    const texts = await Promise.all(parts.map(({ body }) => decompress(body)))
    for (const [n, part] of parts.entries())
      yield { table: part.table_name, rows: JSON.parse(texts[n]?.toString('utf8') ?? '[]') as Row[] }
    if (parts.length < partsAtOnce) return
  }
}

/** A seed that is stored in parts says how many rows each of its tables has. */
interface StoredSeed extends Seed {
  readonly counts?: Readonly<Record<string, number>>
}

/** A stored seed: the twin's own bookkeeping at once, and the rows of the other tables when they are asked for. */
export const readSeed = async (
  db: Db,
  sha256: string,
): Promise<{ seed: Seed; kind: string; entityCount: number; later: Map<string, LazyRows> } | undefined> => {
  const row = await db.selectFrom('seeds').selectAll().where('sha256', '=', sha256).executeTakeFirst()
  if (!row) return undefined
  const { counts = {}, ...seed } = JSON.parse(row.body.toString('utf8')) as StoredSeed
  const parts = await db
    .selectFrom('seed_parts')
    .select(['table_name', 'body'])
    .where('sha256', '=', sha256)
    .orderBy('number')
    .execute()
  const later = new Map<string, LazyRows>()
  const tables: Record<string, readonly Row[]> = { ...seed.tables }
  for (const [name, some] of Map.groupBy(parts, ({ table_name }) => table_name)) {
    const bodies = some.map(({ body }) => body)
    const read = () => rowsIn(bodies)
    // What decides which tables there are is needed at once.
    if (name.startsWith('$') || counts[name] === undefined) tables[name] = read()
    else later.set(name, { count: counts[name], read })
  }
  return { seed: { ...seed, tables }, kind: row.kind, entityCount: row.entity_count, later }
}

const rowsIn = (bodies: readonly Buffer[]): Row[] => {
  const rows: Row[] = []
  for (const body of bodies)
    for (const row of JSON.parse(zstdDecompressSync(body).toString('utf8')) as Row[]) rows.push(row)
  return rows
}

/**
 * Deletes those of the seeds that no twin, environment or dataset begins with any more. A seed that is stored whole was
 * compiled from a blueprint; it is small, and nodes remember that it is there.
 */
export const dropUnusedSeeds = async (db: Db, digests: readonly string[]): Promise<void> => {
  for (const sha256 of digests)
    await sql`
      delete from seeds where sha256 = ${sha256}
        and exists (select 1 from seed_parts where sha256 = ${sha256})
        and not exists (select 1 from twins where seed_sha256 = ${sha256})
        and not exists (select 1 from environment_versions
          where services @> ${JSON.stringify([{ seed_sha256: sha256 }])}::jsonb)
        and not exists (select 1 from dataset_versions
          where services @> ${JSON.stringify([{ seed_sha256: sha256 }])}::jsonb)`.execute(db)
}
