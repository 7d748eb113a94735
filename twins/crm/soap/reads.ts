import { VendorError } from '@diorama/twin-kit/kernel/twin'
import { readMoment } from '../dates.ts'
import type { Page } from '../operations/queries.ts'
import type { Json } from '../soql/project.ts'
import type { SoapCall } from './calls.ts'
import { all, escapeXml, RawXml, textIn } from './xml.ts'

const maxRetrieved = 2_000
const maxDescribed = 100
const defaultBatch = 500
const space = ' xmlns:sf="urn:sobject.partner.soap.sforce.com"'

/** A record as the partner interface writes it: its type, its id, and the fields that were asked for. */
const recordXml = (name: string, record: Json): string => {
  const { attributes, ...fields } = record
  const { type, url } = (attributes ?? {}) as { type?: string; url?: string }
  const id = typeof fields.Id === 'string' ? fields.Id : (url ?? '').split('/').at(-1)
  const inside = Object.entries(fields).map(([field, value]) => valueXml(`sf:${field}`, value))
  const shown = type === 'AggregateResult' ? '<sf:Id xsi:nil="true"/>' : `<sf:Id>${id ?? ''}</sf:Id>`
  return `<${name} xsi:type="sf:sObject"${space}><sf:type>${type ?? ''}</sf:type>${shown}${inside.join('')}</${name}>`
}

const valueXml = (name: string, value: unknown): string => {
  if (value === null || value === undefined) return `<${name} xsi:nil="true"/>`
  if (typeof value !== 'object') return `<${name}>${escapeXml(String(value))}</${name}>`
  const json = value as Json
  if (Array.isArray(json.records))
    return `<${name} xsi:type="QueryResult"><done>true</done><queryLocator xsi:nil="true"/>${json.records.map((one) => recordXml('records', one as Json)).join('')}<size>${String(json.totalSize)}</size></${name}>`
  if (json.attributes !== undefined) return recordXml(name, json)
  const parts = Object.entries(json).map(([part, one]) => valueXml(part, one))
  return `<${name}>${parts.join('')}</${name}>`
}

const resultOf = (page: Page, locator: string | undefined): RawXml => {
  const records = page.records.map((record) => recordXml('records', record)).join('')
  const next =
    locator === undefined ? '<queryLocator xsi:nil="true"/>' : `<queryLocator>${locator}</queryLocator>`
  return new RawXml(
    `<result xsi:type="QueryResult"><done>${String(page.rest.length === 0)}</done>${next}${records}<size>${page.totalSize}</size></result>`,
  )
}

const batchSizeOf = ({ document }: SoapCall): number => {
  const header = all(document, 'Header').flatMap((one) => all(one, 'QueryOptions'))[0]
  const wished = Number(textIn(header, 'batchSize') ?? defaultBatch)
  return Number.isFinite(wished) ? Math.min(2_000, Math.max(200, Math.trunc(wished))) : defaultBatch
}

const query = (call: SoapCall, withDeleted: boolean): RawXml => {
  const { method, session, version } = call
  const [text, batchSize] = [textIn(method, 'queryString') ?? '', batchSizeOf(call)]
  const page = session.call<Page>('query', { text, version, withDeleted, batchSize })
  if (page.rest.length === 0) return resultOf(page, undefined)
  const cursor = { text, withDeleted, batchSize, totalSize: page.totalSize, rest: page.rest }
  const locator = session.call<string>('openCursor', cursor)
  return resultOf(page, `${locator}-${page.totalSize - page.rest.length}`)
}

const queryMore = ({ method, session, version }: SoapCall): RawXml => {
  const match = /^(\w{15,18})-(\d+)$/.exec(textIn(method, 'queryLocator') ?? '')
  if (!match) throw new VendorError('INVALID_QUERY_LOCATOR', 'invalid query locator')
  const [, locator = '', offset = '0'] = match
  const page = session.call<Page>('queryMore', { locator, offset: Number(offset), version })
  const next = page.rest.length === 0 ? undefined : `${locator}-${page.totalSize - page.rest.length}`
  return resultOf(page, next)
}

/** Records by their ids, in the order asked for; nothing where there is none. */
const retrieve = ({ method, session, version }: SoapCall): RawXml => {
  const ids = all(method, 'ids').map(({ text }) => text.trim())
  if (ids.length > maxRetrieved)
    throw new VendorError(
      'EXCEEDED_ID_LIMIT',
      `retrieve id limit reached. cannot retrieve more than ${maxRetrieved} records`,
    )
  const [fields, object] = [textIn(method, 'fieldList') ?? 'Id', textIn(method, 'sObjectType') ?? '']
  const list = ids.map((id) => `'${id.replaceAll(/[^0-9A-Za-z]/g, '')}'`).join(',') || "''"
  const text = `SELECT ${withId(fields)} FROM ${object} WHERE Id IN (${list})`
  const page = session.call<Page>('query', { text, version, withDeleted: false, batchSize: maxRetrieved })
  const found = new Map(page.records.map((record) => [String(record.Id).slice(0, 15), record]))
  const results = ids.map((id) => {
    const record = found.get(id.slice(0, 15))
    return record ? recordXml('result', record) : '<result xsi:nil="true"/>'
  })
  return new RawXml(results.join(''))
}

const withId = (fields: string): string => {
  const names = fields.split(',').map((name) => name.trim())
  return names.some((name) => name.toLowerCase() === 'id') ? names.join(',') : ['Id', ...names].join(',')
}

const search = ({ method, session, version }: SoapCall): RawXml => {
  const found = session.call<Json[]>('search', { text: textIn(method, 'searchString') ?? '', version })
  const records = found.map((record) => `<searchRecords>${recordXml('record', record)}</searchRecords>`)
  return new RawXml(`<result>${records.join('')}</result>`)
}

const windowOf = ({ method }: SoapCall): { object: string; start: number; end: number } => {
  const [start, end] = ['startDate', 'endDate'].map((name) => readMoment(textIn(method, name) ?? ''))
  if (start === undefined || end === undefined || end - start < 60_000)
    throw new VendorError(
      'INVALID_REPLICATION_DATE',
      'endDate must be at least one minute greater than startDate',
    )
  return { object: textIn(method, 'sObjectType') ?? '', start, end }
}

/** The methods of the partner interface that read. */
export const soapReads: Readonly<Record<string, (call: SoapCall) => unknown>> = {
  query: (call) => query(call, false),
  queryAll: (call) => query(call, true),
  queryMore,
  retrieve,
  search,
  describeGlobal: ({ session, version }) => session.call('describeGlobal', { version }),
  describeSObject: ({ method, session, version }) =>
    session.call('describeSObject', { object: textIn(method, 'sObjectType') ?? '', version }),
  describeSObjects: ({ method, session, version }) => {
    const names = all(method, 'sObjectType').map(({ text }) => text.trim())
    if (names.length > maxDescribed)
      throw new VendorError('EXCEEDED_MAX_TYPES_LIMIT', `cannot describe more than ${maxDescribed} types`)
    return names.map((object) => session.call('describeSObject', { object, version }))
  },
  getUpdated: (call) => call.session.call('getUpdated', windowOf(call)),
  getDeleted: (call) => call.session.call('getDeleted', windowOf(call)),
}
