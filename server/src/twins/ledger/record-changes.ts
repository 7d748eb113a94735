import { type Kysely, sql } from 'kysely'
import { z } from 'zod'
import type { TwinRuntime } from '../open.ts'
import type { TwinTables } from '../tables.ts'

type Row = Readonly<Record<string, unknown>>
type Place = { readonly at: Date; readonly id: string }

/** A recorded change as people see it. */
export interface ShownChange {
  readonly collection: string
  /** The names of the collection, as an event might say them. */
  readonly kinds: readonly string[]
  readonly operation: 'create' | 'update' | 'delete'
  readonly id: string
  /** Its key in the blueprint, where it was seeded. */
  readonly key: string | null
  /** What people call it besides its native id. */
  readonly names: readonly string[]
  readonly before: Row | null
  readonly after: Row | null
}

/** One change of one record, with the request that made it. */
interface RecordChange
  extends Pick<ShownChange, 'operation' | 'collection' | 'names' | 'key' | 'before' | 'after'> {
  readonly id: string
  readonly at: Date
  readonly service: string
  readonly twinId: string
  readonly worldId: string | null
  readonly requestId: string
  readonly recordId: string
}

interface About {
  readonly type: string
  readonly id: string
  readonly before: Place | undefined
  readonly limit: number
}

interface RecordChangePage {
  readonly items: readonly RecordChange[]
  /** Where reading ended early, if it did: older changes are not among the items. */
  readonly readTo: Place | undefined
}

export interface RecordChangeDeps {
  readonly db: Kysely<TwinTables>
  /**
   * The changes of some steps of a twin, a list for each. Undefined where the twin cannot be read any more; its rows are
   * then shown as they were recorded.
   */
  readonly show: (
    organizationId: string,
    twinId: string,
    texts: readonly string[],
  ) => Promise<readonly (readonly ShownChange[])[] | undefined>
}

/** Shows changes by the twin that made them, wherever it runs. */
export const showChangesBy =
  ({ store, host }: Pick<TwinRuntime, 'store' | 'host'>): RecordChangeDeps['show'] =>
  async (organizationId, twinId, texts) => {
    const row = await store.find(organizationId, twinId)
    return row && host.inspect(row, { what: 'changes', texts })
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
const maxTwinsAtOnce = 20

const asRecorded = (text: string): ShownChange[] =>
  Changes.parse(JSON.parse(text)).map((change) => ({
    ...change,
    kinds: [change.collection],
    key: null,
    names: [],
  }))

/**
 * Reads from the twins' ledger what changed about one record: by the name of its collection and by its native id, or
 * by what people call it.
 */
export const recordChangesIn =
  ({ db, show }: RecordChangeDeps) =>
  async (organizationId: string, { type, id, before, limit }: About): Promise<RecordChangePage> => {
    const kinds = kindsNamed(type)
    const said = kinds.map((kind) => `${kind}:${id}`)
    // A change's id begins with its request's: the request of the last one shown may have more.
    const until = before ? sql`and (at, id collate "C") <= (${before.at}, ${before.id})` : sql``
    const { rows } = await sql<StepRow>`
      select id, at, service, twin_id, world_id, changes from twin_steps
      where organization_id = ${organizationId} and mutations > 0 and records && ${said}::text[] ${until}
      order by at desc, id collate "C" desc limit ${limit + 1}`.execute(db)
    const read = withFewTwins(rows)
    const byTwin = Map.groupBy(read, ({ twin_id }) => twin_id)
    const items: RecordChange[] = []
    for (const [twinId, steps] of byTwin) {
      const texts = steps.map(({ changes }) => changes)
      const shown = (await show(organizationId, twinId, texts)) ?? texts.map(asRecorded)
      steps.forEach((row, n) => {
        items.push(...changesOf(row, shown[n] ?? [], { kinds: new Set(kinds), id }))
      })
    }
    const behind = items.filter((item) => !before || isBefore(item, before))
    behind.sort((a, b) => (isBefore(a, b) ? 1 : -1))
    const last = read.at(-1)
    return {
      items: behind.slice(0, limit),
      readTo: read.length < rows.length && last ? { at: last.at, id: last.id } : undefined,
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

/** The first steps, of as many twins as may be read at once. */
const withFewTwins = (rows: readonly StepRow[]): StepRow[] => {
  const twins = new Set<string>()
  const cut = rows.findIndex(({ twin_id }) => twins.add(twin_id).size > maxTwinsAtOnce)
  return cut === -1 ? [...rows] : rows.slice(0, cut)
}

const changesOf = (
  row: StepRow,
  changes: readonly ShownChange[],
  about: { readonly kinds: ReadonlySet<string>; readonly id: string },
): RecordChange[] =>
  changes.flatMap(({ collection, kinds, id, operation, names, key, before, after }, index) => {
    if (!kinds.some((kind) => about.kinds.has(kind))) return []
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
        key,
        before,
        after,
      },
    ]
  })

const isBefore = (a: Place, b: Place): boolean =>
  a.at < b.at || (a.at.getTime() === b.at.getTime() && a.id < b.id)
