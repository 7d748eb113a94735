import { VendorError } from '@diorama/twin-kit/kernel/twin'
import type { RestReply, Route } from '@diorama/twin-kit/wires/rest'
import type { Page } from '../operations/queries.ts'
import type { ApiCall, Body } from './context.ts'

const defaultBatch = 2_000
const smallestBatch = 200

/** `Sforce-Query-Options: batchSize=500`: a wish, kept to what the service allows. */
const batchSizeOf = (api: ApiCall): number => {
  const wished = /batchsize\s*=\s*(\d+)/i.exec(api.headers['sforce-query-options'] ?? '')?.[1]
  return wished === undefined ? defaultBatch : Math.min(defaultBatch, Math.max(smallestBatch, Number(wished)))
}

export const answerQuery = (api: ApiCall, text: string, withDeleted: boolean): Body => {
  const batchSize = batchSizeOf(api)
  const page = api.session.call<Page>('query', { text, version: api.version, withDeleted, batchSize })
  if (page.purpose && page.seen.length > 0)
    api.session.call('markViewed', { ids: page.seen, purpose: page.purpose })
  if (page.rest.length === 0) return { totalSize: page.totalSize, done: true, records: page.records }
  const locator = api.session.call<string>('openCursor', {
    text,
    withDeleted,
    batchSize,
    totalSize: page.totalSize,
    rest: page.rest,
  })
  return paged(api, page, locator)
}

const paged = (api: ApiCall, page: Page, locator: string): Body => {
  const next = page.totalSize - page.rest.length
  return {
    totalSize: page.totalSize,
    done: page.rest.length === 0,
    ...(page.rest.length === 0
      ? {}
      : { nextRecordsUrl: `/services/data/v${api.version}/query/${locator}-${next}` }),
    records: page.records,
  }
}

const runQueryCall = (api: ApiCall, withDeleted: boolean): RestReply => {
  const text = api.query.get('q')
  const explained = api.query.get('explain')
  if (explained !== undefined && text === undefined)
    return {
      status: 200,
      body: api.session.call('explain', { text: explained, version: api.version, withDeleted, batchSize: 0 }),
    }
  if (text === undefined || text.trim() === '')
    throw new VendorError('MALFORMED_QUERY', 'A query string has to be specified')
  if (api.query.get('columns') === 'true')
    return {
      status: 200,
      body: api.session.call('queryColumns', { text, version: api.version, withDeleted, batchSize: 0 }),
    }
  return { status: 200, body: answerQuery(api, text, withDeleted) }
}

const more = (params: (name: string) => string, api: ApiCall): RestReply => {
  const match = /^(\w{15,18})-(\d+)$/.exec(params('locator'))
  if (!match) throw new VendorError('INVALID_QUERY_LOCATOR', 'invalid query locator')
  const [, locator = '', offset = '0'] = match
  const page = api.session.call<Page>('queryMore', { locator, offset: Number(offset), version: api.version })
  return { status: 200, body: paged(api, page, locator) }
}

export const queryRoutes: readonly Route<ApiCall>[] = [
  { method: 'GET', path: '/query', handle: (_params, api) => runQueryCall(api, false) },
  { method: 'GET', path: '/queryAll', handle: (_params, api) => runQueryCall(api, true) },
  { method: 'GET', path: '/query/:locator', handle: more },
  { method: 'GET', path: '/queryAll/:locator', handle: more },
  { method: 'GET', path: '/tooling/query', handle: (_params, api) => runQueryCall(api, false) },
  { method: 'GET', path: '/tooling/query/:locator', handle: more },
]
