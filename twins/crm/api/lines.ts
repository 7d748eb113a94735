import { type Session, VendorError } from '@diorama/twin-kit/kernel/twin'
import type { JobResult } from '../operations/jobs.ts'
import type { Page } from '../operations/queries.ts'
import type { Upserted } from '../operations/records.ts'
import { isGrouped } from '../soql/aggregate.ts'
import type { Json } from '../soql/project.ts'
import { parseQuery } from '../soql/syntax/parse.ts'
import type { CrmTables } from '../tables.ts'

/** What both bulk interfaces work with. */
export interface Bulk {
  readonly session: Session<CrmTables>
  readonly version: string
}

/** What is to be done with the lines of a job. */
export interface LineJob {
  readonly object: string
  readonly operation: string
  readonly externalIdFieldName?: unknown
}

export const bulkBatch = 100_000

/** Processes one line; a failure affects this line alone. */
export const runLine = (
  bulk: Bulk,
  job: LineJob,
  header: readonly string[],
  line: readonly string[],
): JobResult => {
  const fields: Record<string, unknown> = {}
  for (const [at, name] of header.entries()) {
    const value = line[at] ?? ''
    const [relationship = '', key] = name.trim().split('.')
    if (value === '') continue
    const given = value === '#N/A' ? null : value
    fields[relationship] = key === undefined ? given : given === null ? null : { [key]: given }
  }
  return runRecord(bulk, job, fields, line)
}

/** Processes one record; a failure affects this record alone. */
export const runRecord = (
  bulk: Bulk,
  job: LineJob,
  given: Readonly<Record<string, unknown>>,
  line: readonly string[] = [],
): JobResult => {
  const { attributes: _attributes, ...fields }: Record<string, unknown> = given
  const idKey = Object.keys(fields).find((name) => name.toLowerCase() === 'id')
  const id = idKey === undefined ? '' : String(fields[idKey] ?? '')
  if (idKey !== undefined) delete fields[idKey]
  try {
    const done = apply(bulk, job, id, fields)
    return { ...done, error: '', line }
  } catch (error) {
    if (!(error instanceof VendorError)) throw error
    const named = Array.isArray(error.data.fields) ? error.data.fields.join(', ') : ''
    return { id, created: false, error: `${error.code}:${error.message}:${named} --`, line }
  }
}

const apply = (bulk: Bulk, job: LineJob, id: string, fields: Record<string, unknown>) => {
  const { session } = bulk
  const object = job.object
  if (job.operation === 'insert')
    return { id: session.call<string>('create', { object, fields, allowDuplicates: true }), created: true }
  if (job.operation === 'update')
    return { id: session.call<string>('update', { object, id, fields }), created: false }
  if (job.operation === 'delete' || job.operation === 'hardDelete') {
    session.call('delete', { object, id })
    if (job.operation === 'hardDelete') session.call('emptyRecycleBin', { id })
    return { id, created: false }
  }
  const external = String(job.externalIdFieldName)
  if (external.toLowerCase() === 'id')
    return session.call<Upserted>('upsert', {
      object,
      externalField: 'Id',
      value: id,
      fields,
      allowDuplicates: true,
    })
  const key = Object.keys(fields).find((name) => name.toLowerCase() === external.toLowerCase())
  const value = key === undefined ? null : String(fields[key])
  if (key !== undefined) delete fields[key]
  return session.call<Upserted>('upsert', {
    object,
    externalField: external,
    value,
    fields,
    allowDuplicates: true,
  })
}

export const runBulkQuery = (bulk: Bulk, query: string, withDeleted: boolean): Page => {
  checkBulkQuery(query)
  return bulk.session.call<Page>('query', {
    text: query,
    version: bulk.version,
    withDeleted,
    batchSize: bulkBatch,
  })
}

/** Bulk queries return plain columns of records: nothing grouped, nested or chosen by type, and no later page. */
const checkBulkQuery = (text: string): void => {
  const query = parseQuery(text)
  const refuse = (what: string) => new VendorError('API_ERROR', `${what} not supported in Bulk Query`)
  if (query.select.some((item) => item.kind === 'subquery')) throw refuse('Aggregate Relationships')
  if (isGrouped(query)) throw refuse('Aggregate functions and GROUP BY')
  if (query.offset !== undefined) throw refuse('OFFSET')
  if (query.select.some((item) => item.kind === 'typeof')) throw refuse('TYPEOF')
}

/** A query's answer as lines: the names of what was selected, then the records. */
export const linesOf = (query: string, records: readonly Json[]): unknown[][] => {
  const columns = parseQuery(query).select.flatMap((item) =>
    item.kind === 'path' ? [item.path.parts.map(({ name }) => name)] : [],
  )
  return [
    columns.map((column) => column.join('.')),
    ...records.map((record) => columns.map((column) => pick(record, column))),
  ]
}

const pick = (record: Json, column: readonly string[]): unknown => {
  let value: unknown = record
  for (const name of column) {
    if (typeof value !== 'object' || value === null) return null
    const held = value as Json
    const key = Object.keys(held).find((one) => one.toLowerCase() === name.toLowerCase())
    value = key === undefined ? null : held[key]
  }
  return value
}
