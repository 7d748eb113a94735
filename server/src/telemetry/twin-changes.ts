import { sql } from 'kysely'
import { z } from 'zod'
import type { Storage } from '../storage/storage.ts'
import type { TwinChange, TwinChanges } from './timeline.ts'

const Changes = z.array(
  z.object({
    collection: z.string(),
    id: z.string(),
    operation: z.enum(['create', 'update', 'delete']),
    before: z.unknown(),
    after: z.unknown(),
  }),
)

interface StepRow {
  readonly id: string
  readonly at: Date
  readonly service: string
  readonly twin_id: string
  readonly world_id: string | null
  readonly changes: string
  readonly records: string[]
}

/** Reads from the twins' ledger what changed about one record, by the name of its collection and its native id. */
export const twinChangesIn =
  ({ db }: Pick<Storage, 'db'>): TwinChanges =>
  async (organizationId, { type, id, before, limit }) => {
    const names = collectionsNamed(type).map((collection) => `${collection}:${id}`)
    const until = before ? sql`and at <= ${before.at}` : sql``
    const { rows } = await sql<StepRow>`
      select id, at, service, twin_id, world_id, changes, records from twin_steps
      where organization_id = ${organizationId} and mutations > 0 and records && ${names}::text[] ${until}
      order by at desc, id desc limit ${limit + 1}`.execute(db)
    return rows
      .flatMap((row) => changesOf(row, new Set(names)))
      .filter((change) => !before || isBefore(change, before))
      .sort((a, b) => (isBefore(a, b) ? 1 : -1))
      .slice(0, limit)
  }

/** An event may say `Issue`, `issue` or `issues` of what a twin keeps under one of them. */
const collectionsNamed = (type: string): string[] => {
  const one = type.replace(/s$/, '')
  const capital = (word: string) => word.slice(0, 1).toUpperCase() + word.slice(1)
  const forms = [type, one, `${one}s`, type.toLowerCase(), one.toLowerCase(), capital(one), capital(type)]
  return [...new Set(forms)].filter((form) => form !== '')
}

const changesOf = (row: StepRow, names: ReadonlySet<string>): TwinChange[] =>
  Changes.parse(JSON.parse(row.changes)).flatMap((change, index) => {
    const name = `${change.collection}:${change.id}`
    if (!names.has(name) || !row.records.includes(name)) return []
    return [
      {
        id: `${row.id}:${String(index).padStart(4, '0')}`,
        at: row.at,
        service: row.service,
        twinId: row.twin_id,
        worldId: row.world_id,
        requestId: row.id,
        operation: change.operation,
        collection: change.collection,
        recordId: change.id,
        before: change.before ?? null,
        after: change.after ?? null,
      },
    ]
  })

type Place = { readonly at: Date; readonly id: string }
const isBefore = (a: Place, b: Place): boolean =>
  a.at < b.at || (a.at.getTime() === b.at.getTime() && a.id < b.id)
