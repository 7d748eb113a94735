import { VendorError } from '@diorama/twin-kit/kernel/twin'
import type { RestReply, Route } from '@diorama/twin-kit/wires/rest'
import type { Search, SearchIn } from '../sosl/parse.ts'
import { readTerm } from '../sosl/terms.ts'
import { type ApiCall, type Body, bodyOf } from './context.ts'

const reply = (api: ApiCall, records: readonly unknown[]): RestReply => ({
  status: 200,
  body: Number(api.version) >= 37 ? { searchRecords: records } : records,
})

const scopes: readonly string[] = ['ALL', 'NAME', 'EMAIL', 'PHONE', 'SIDEBAR']

interface Asked {
  readonly q: unknown
  readonly within: unknown
  readonly fields: readonly string[]
  readonly objects: readonly {
    name: string
    fields: readonly string[]
    limit: number | undefined
    where: string
  }[]
  readonly overall: number | undefined
}

/** A search spelt out in parameters is the same search; braces and escapes are not needed there. */
const parameterized = (api: ApiCall, asked: Asked): RestReply => {
  if (typeof asked.q !== 'string' || asked.q.trim() === '')
    throw new VendorError('MALFORMED_SEARCH', 'Search term must be specified: q')
  const within = String(asked.within ?? 'ALL').toUpperCase()
  const search: Search = {
    term: readTerm(asked.q),
    within: (scopes.includes(within) ? within : 'ALL') as SearchIn,
    returning: asked.objects.map(({ name, fields, limit, where }) => ({
      object: name,
      fields: fields.length > 0 ? fields : asked.fields,
      clauses: `${where === '' ? '' : `WHERE ${where}`} ${limit === undefined ? '' : `LIMIT ${limit}`}`,
    })),
    limit: asked.overall,
  }
  return reply(api, api.session.call('search', { text: asked.q, version: api.version, search }))
}

const list = (text: string | undefined): string[] =>
  (text ?? '')
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')

const whole = (value: unknown): number | undefined => {
  const number = Number(value)
  return value === undefined || value === null || !Number.isInteger(number) || number < 0 ? undefined : number
}

const fromQuery = (api: ApiCall): Asked => {
  const { query } = api
  return {
    q: query.get('q'),
    within: query.get('in'),
    fields: list(query.get('fields')),
    objects: list(query.get('sobject')).map((name) => ({
      name,
      fields: list(query.get(`${name}.fields`)),
      limit: whole(query.get(`${name}.limit`)) ?? whole(query.get('defaultLimit')),
      where: query.get(`${name}.where`) ?? '',
    })),
    overall: whole(query.get('overallLimit')),
  }
}

const fromBody = (api: ApiCall): Asked => {
  const body = bodyOf(api)
  const texts = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : [])
  const objects = Array.isArray(body.sobjects) ? (body.sobjects as Body[]) : []
  return {
    q: body.q,
    within: body.in,
    fields: texts(body.fields),
    objects: objects.map((one) => ({
      name: String(one.name ?? ''),
      fields: texts(one.fields),
      limit: whole(one.limit) ?? whole(body.defaultLimit),
      where: typeof one.where === 'string' ? one.where : '',
    })),
    overall: whole(body.overallLimit),
  }
}

export const searchRoutes: readonly Route<ApiCall>[] = [
  {
    method: 'GET',
    path: '/search',
    handle: (_params, api) => {
      const text = api.query.get('q')
      if (text === undefined || text.trim() === '')
        throw new VendorError('MALFORMED_SEARCH', 'A search string has to be specified')
      return reply(api, api.session.call('search', { text, version: api.version }))
    },
  },
  {
    method: 'GET',
    path: '/parameterizedSearch',
    handle: (_params, api) => parameterized(api, fromQuery(api)),
  },
  {
    method: 'POST',
    path: '/parameterizedSearch',
    handle: (_params, api) => parameterized(api, fromBody(api)),
  },
]
