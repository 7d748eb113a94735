import type { Row } from '@diorama/twin-kit/kernel/table'
import { type Call, type Operation, operation, VendorError } from '@diorama/twin-kit/kernel/twin'
import { makeId, podOf } from '../ids.ts'
import { type Org, orgOf } from '../records/org.ts'
import type { Meter } from '../records/organization.ts'
import type { Schema, SchemaIn } from '../schema/schema.ts'
import type { Json } from '../soql/project.ts'
import { type Answer, describeColumns, recordShape, runQuery } from '../soql/query.ts'
import { type CrmTables, cursorTable, tableOf, viewedTable } from '../tables.ts'

export interface QueryInput {
  /** The budget of the request; a fresh one by default. */
  readonly meter?: Meter
  readonly text: string
  readonly version: string
  readonly withDeleted: boolean
  readonly batchSize: number
}

/** One page of an answer. A cursor can be opened for the rest. */
export interface Page {
  readonly totalSize: number
  readonly records: readonly Json[]
  /** What is left for later pages. */
  readonly rest: readonly string[]
  readonly object: string | undefined
  /** Records that the caller looked at, by asking for them FOR VIEW or FOR REFERENCE. */
  readonly seen: readonly string[]
  readonly purpose: 'viewed' | 'referenced' | undefined
}

const orgFor = (
  schema: Schema,
  call: Call<CrmTables>,
  { withDeleted, version, meter }: Pick<QueryInput, 'withDeleted'> & Partial<QueryInput>,
): Org =>
  orgOf({
    ...(version === undefined ? {} : { version }),
    meter,
    schema,
    tables: call.tables,
    now: call.now,
    userId: call.actor?.id ?? '',
    baseUrl: call.baseUrl,
    withDeleted,
  })

const answer = (schema: Schema, call: Call<CrmTables>, input: QueryInput): Answer =>
  runQuery({ org: orgFor(schema, call, input), text: input.text, version: input.version })

export const queryOperations = (schemaIn: SchemaIn): Readonly<Record<string, Operation>> => ({
  query: operation<CrmTables, QueryInput, Page>({
    effect: 'read',
    run: (call, input) => firstPage(answer(schemaIn(call.tables), call, input), input.batchSize),
  }),
  queryMore: operation<CrmTables, { locator: string; offset: number; version: string }, Page>({
    effect: 'read',
    run: (call, { locator, offset, version }) =>
      nextPage(schemaIn(call.tables), call, locator, offset, version),
  }),
  openCursor: operation<CrmTables, OpenCursor, string>({ effect: 'write', run: openCursor }),
  markViewed: operation<CrmTables, { ids: readonly string[]; purpose: 'viewed' | 'referenced' }>({
    effect: 'write',
    run: (call, { ids, purpose }) => {
      for (const id of ids) markViewed(call, id, purpose)
    },
  }),
  recent: operation<CrmTables, { object?: string; limit: number }, readonly Row[]>({
    effect: 'read',
    run: (call, { object, limit }) => recent(schemaIn(call.tables), call, object, limit),
  }),
  queryColumns: operation<CrmTables, QueryInput, Json>({
    effect: 'read',
    run: (call, input) =>
      describeColumns({
        org: orgFor(schemaIn(call.tables), call, input),
        text: input.text,
        version: input.version,
      }),
  }),
  explain: operation<CrmTables, QueryInput, Json>({
    effect: 'read',
    run: (call, input) => explain(schemaIn(call.tables), call, input),
  }),
})

const firstPage = (found: Answer, batchSize: number): Page => {
  const nothing = { rest: [], object: undefined, seen: [], purpose: undefined }
  if (found.kind === 'count') return { totalSize: found.count, records: [], ...nothing }
  if (found.kind === 'groups') {
    if (found.records.length > 2_000)
      throw new VendorError(
        'EXCEEDED_ID_LIMIT',
        'Aggregate query does not support queryMore(), use LIMIT to restrict the results to a single batch',
      )
    return { totalSize: found.records.length, records: found.records, ...nothing }
  }
  const shown = found.rows.slice(0, batchSize)
  const purpose =
    found.purpose === 'view' ? 'viewed' : found.purpose === 'reference' ? 'referenced' : undefined
  return {
    totalSize: found.rows.length,
    records: shown.map(found.shape),
    rest: found.rows.slice(batchSize).map((row) => String(row.Id)),
    object: found.object.name,
    seen: purpose ? shown.map((row) => String(row.Id)) : [],
    purpose,
  }
}

interface OpenCursor {
  readonly text: string
  readonly withDeleted: boolean
  readonly batchSize: number
  readonly totalSize: number
  readonly rest: readonly string[]
}

const maxOpenCursors = 10

/** Keeps what is left of an answer as it was when it was asked for; a caller's oldest makes room for the newest. */
const openCursor = (call: Call<CrmTables>, input: OpenCursor): string => {
  const cursors = tableOf(call.tables, cursorTable)
  const user = call.actor?.id ?? ''
  const open = [...cursors.find('user', user)]
  for (const cursor of open.slice(0, Math.max(0, open.length - maxOpenCursors + 1)))
    cursors.delete(String(cursor.id))
  const [organization] = call.tables.Organization?.all() ?? []
  const number = call.sequence('cursor')
  const id = makeId('01g', podOf(String(organization?.Id)), number)
  cursors.insert({
    id,
    user,
    opened: number,
    text: input.text,
    withDeleted: input.withDeleted,
    batchSize: input.batchSize,
    totalSize: input.totalSize,
    skipped: input.totalSize - input.rest.length,
    rest: input.rest.join(' '),
  })
  return id
}

const nextPage = (
  schema: Schema,
  call: Call<CrmTables>,
  locator: string,
  offset: number,
  version: string,
): Page => {
  const cursor = call.tables[cursorTable]?.get(locator)
  const skipped = Number(cursor?.skipped)
  if (!cursor || cursor.user !== call.actor?.id || offset < skipped)
    throw new VendorError('INVALID_QUERY_LOCATOR', 'invalid query locator')
  const ids = String(cursor.rest)
    .split(' ')
    .slice(offset - skipped)
  const org = orgFor(schema, call, { withDeleted: true, version })
  const found = recordShape({ org, text: String(cursor.text), version })
  const batch = ids.slice(0, Number(cursor.batchSize))
  const rows = batch.map((id) => org.get(found.object, id)).filter((row) => row !== undefined)
  return {
    totalSize: Number(cursor.totalSize),
    records: rows.map(found.shape),
    rest: ids.slice(batch.length),
    object: found.object.name,
    seen: [],
    purpose: undefined,
  }
}

const markViewed = (call: Call<CrmTables>, id: string, purpose: 'viewed' | 'referenced'): void => {
  const user = call.actor?.id ?? ''
  const key = `${user} ${id}`
  const viewed = tableOf(call.tables, viewedTable)
  const fields = { [purpose]: call.now, referenced: call.now, order: call.sequence('viewed') }
  if (viewed.has(key)) viewed.update(key, fields)
  else viewed.insert({ key, user, id, ...fields })
}

const recent = (schema: Schema, call: Call<CrmTables>, object: string | undefined, limit: number): Row[] => {
  const org = orgFor(schema, call, { withDeleted: false })
  const rows: Row[] = []
  for (const seen of call.tables[viewedTable]?.find('user', call.actor?.id ?? '', { reverse: true }) ?? []) {
    if (rows.length >= limit) break
    const found = org.lookup(String(seen.id))
    if (!found || (object !== undefined && found.object.name !== object)) continue
    const name = found.object.nameField
    rows.push({
      object: found.object.name,
      Id: String(found.row.Id),
      Name: name ? org.read(found.object, name)(found.row) : null,
    })
  }
  return rows
}

const explain = (schema: Schema, call: Call<CrmTables>, input: QueryInput): Json => {
  const found = answer(schema, call, input)
  const cardinality =
    found.kind === 'records' ? found.rows.length : found.kind === 'count' ? found.count : found.records.length
  const name = found.kind === 'records' ? found.object.name : (/\bfrom\s+(\w+)/i.exec(input.text)?.[1] ?? '')
  return {
    plans: [
      {
        cardinality,
        fields: [],
        leadingOperationType: 'TableScan',
        notes: [],
        relativeCost: cardinality === 0 ? 0 : 1,
        sobjectCardinality: call.tables[name]?.size() ?? cardinality,
        sobjectType: name,
      },
    ],
    sourceQuery: input.text,
  }
}
