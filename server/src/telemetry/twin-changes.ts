import { sql } from 'kysely'
import { z } from 'zod'
import type { Storage } from '../storage/storage.ts'
import type { TwinChange, TwinChanges } from './timeline.ts'

type Row = Readonly<Record<string, unknown>>

/** How one twin tells of its records. */
export interface TwinShown {
  /** A row as people see it. */
  readonly record: (collection: string, row: Row | null) => Row | null
  /** What people call it besides its native id. */
  readonly names: (collection: string, row: Row) => readonly string[]
  /** Its key in the blueprint, where it was seeded. */
  readonly key: (collection: string, id: string) => string | null
  /** The names of a collection, as an event might say them. */
  readonly kinds: (collection: string) => readonly string[]
}

export interface TwinChangeParts extends Pick<Storage, 'db'> {
  /** Undefined where the twin cannot be read any more; its rows are then shown as they were recorded. */
  readonly show: (organizationId: string, twinId: string) => Promise<TwinShown | undefined>
}

const Record = z.record(z.string(), z.unknown()).nullable().default(null)
const Changes = z.array(
  z.object({
    collection: z.string(),
    id: z.string(),
    operation: z.enum(['create', 'update', 'delete']),
    before: Record,
    after: Record,
  }),
)

interface StepRow {
  readonly id: string
  readonly at: Date
  readonly service: string
  readonly twin_id: string
  readonly world_id: string | null
  readonly changes: string
}

/** Copies of a world have the same records, so that one page may be about many twins; each must be read for its part. */
const mostTwinsAtOnce = 20

const asRecorded: TwinShown = {
  record: (_, row) => row,
  names: () => [],
  key: () => null,
  kinds: (collection) => [collection],
}

/**
 * Reads from the twins' ledger what changed about one record: by the name of its collection and by its native id, or
 * by what people call it.
 */
export const twinChangesIn =
  ({ db, show }: TwinChangeParts): TwinChanges =>
  async (organizationId, { type, id, before, limit }) => {
    const kinds = kindsNamed(type)
    const said = kinds.map((kind) => `${kind}:${id}`)
    // A change's id begins with its request's: the request of the last one shown may have more.
    const until = before ? sql`and (at, id collate "C") <= (${before.at}, ${before.id})` : sql``
    const { rows } = await sql<StepRow>`
      select id, at, service, twin_id, world_id, changes from twin_steps
      where organization_id = ${organizationId} and mutations > 0 and records && ${said}::text[] ${until}
      order by at desc, id collate "C" desc limit ${limit + 1}`.execute(db)
    const twins = new Map<string, TwinShown>()
    const items: TwinChange[] = []
    let read = 0
    for (const row of rows) {
      const known = twins.get(row.twin_id)
      if (!known && twins.size === mostTwinsAtOnce) break
      const shown = known ?? (await show(organizationId, row.twin_id)) ?? asRecorded
      twins.set(row.twin_id, shown)
      items.push(...changesOf(row, shown, { kinds: new Set(kinds), id }))
      read++
    }
    const behind = items.filter((item) => !before || isBefore(item, before))
    behind.sort((a, b) => (isBefore(a, b) ? 1 : -1))
    const last = rows[read - 1]
    return {
      items: behind.slice(0, limit),
      readTo: read < rows.length && last ? { at: last.at, id: last.id } : undefined,
    }
  }

/** An event may say `Issue`, `issue` or `issues` of what a twin keeps under one of them, and `SalesOrder` of a sales_order. */
const kindsNamed = (type: string): string[] => {
  const one = type.replace(/s$/, '')
  const capital = (word: string) => word.slice(0, 1).toUpperCase() + word.slice(1)
  const snake = (word: string) => word.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toLowerCase()
  const forms = [type, one, `${one}s`, type.toLowerCase(), one.toLowerCase(), capital(one), capital(type)]
  return [...new Set([...forms, snake(one), snake(type)])].filter((form) => form !== '')
}

const changesOf = (
  row: StepRow,
  shown: TwinShown,
  about: { readonly kinds: ReadonlySet<string>; readonly id: string },
): TwinChange[] =>
  Changes.parse(JSON.parse(row.changes)).flatMap(({ collection, id, operation, before, after }, index) => {
    if (!shown.kinds(collection).some((kind) => about.kinds.has(kind))) return []
    const names = [...new Set([before, after].flatMap((one) => (one ? shown.names(collection, one) : [])))]
    if (id !== about.id && !names.includes(about.id)) return []
    return [
      {
        id: `${row.id}:${String(index).padStart(4, '0')}`,
        at: row.at,
        service: row.service,
        twinId: row.twin_id,
        worldId: row.world_id,
        requestId: row.id,
        operation,
        collection,
        recordId: id,
        names,
        key: shown.key(collection, id),
        before: shown.record(collection, before),
        after: shown.record(collection, after),
      },
    ]
  })

type Place = { readonly at: Date; readonly id: string }
const isBefore = (a: Place, b: Place): boolean =>
  a.at < b.at || (a.at.getTime() === b.at.getTime() && a.id < b.id)
