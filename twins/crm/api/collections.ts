import { VendorError } from '@diorama/twin-kit/kernel/twin'
import { isRecord } from '@diorama/twin-kit/records'
import type { Params, RestReply, Route } from '@diorama/twin-kit/wires/rest'
import { readId } from '../ids.ts'
import { lookupField, type Upserted } from '../operations/records.ts'
import { noResource, refuse } from '../records/refusals.ts'
import { objectNamed } from '../records/save.ts'
import { rowError } from '../shapes/errors.ts'
import { wholeRecord } from '../soql/project.ts'
import { publishedBody } from '../streaming/publishing.ts'
import { type ApiCall, allowsDuplicates, type Body, bodyOf, isTrue, orgFor } from './context.ts'
import { fieldsNamed } from './sobjects.ts'

const maxRows = 200

/** What became of one row. */
type Outcome = { body: Body; failed: boolean }

/** Processes each row separately; with allOrNone one failing row rolls back the others. */
export const eachRow = <R>(
  api: ApiCall,
  rows: readonly R[],
  allOrNone: boolean,
  work: (row: R) => Body,
  failure: Body = {},
): Body[] => {
  if (rows.length > maxRows)
    throw new VendorError(
      'EXCEEDED_ID_LIMIT',
      `record limit reached. cannot submit more than ${maxRows} records in this operation`,
    )
  const attempt = (): Outcome[] => rows.map((row) => tryRow(row, work, failure))
  if (!allOrNone) return attempt().map(({ body }) => body)
  let outcomes: Outcome[] = []
  try {
    api.session.atomic(() => {
      outcomes = attempt()
      if (outcomes.some(({ failed }) => failed)) throw new RolledBack()
    })
    return outcomes.map(({ body }) => body)
  } catch (error) {
    if (!(error instanceof RolledBack)) throw error
    return outcomes.map(({ body, failed }) =>
      failed ? body : { success: false, ...failure, errors: [rolledBack] },
    )
  }
}

class RolledBack extends Error {}

const rolledBack = {
  statusCode: 'ALL_OR_NONE_OPERATION_ROLLED_BACK',
  message: 'Record rolled back because not all records were valid and the request was using AllOrNone header',
  fields: [],
}

const tryRow = <R>(row: R, work: (row: R) => Body, failure: Body): Outcome => {
  try {
    return { body: work(row), failed: false }
  } catch (error) {
    if (!(error instanceof VendorError)) throw error
    return { body: { success: false, ...failure, errors: [rowError(error)] }, failed: true }
  }
}

const saved = (id: string, more: Body = {}): Body => ({ id, success: true, errors: [], ...more })

const recordsOf = (body: Body): Body[] => {
  if (!Array.isArray(body.records))
    throw new VendorError('JSON_PARSER_ERROR', 'A list of records is required under: records')
  return body.records.map((record) => (isRecord(record) ? record : {}))
}

const typeOf = (record: Body): string => {
  const attributes = record.attributes
  const type = typeof attributes === 'object' && attributes !== null ? (attributes as Body).type : undefined
  if (typeof type !== 'string')
    throw refuse('INVALID_TYPE', 'sObject type is not specified: records need attributes with a type', [])
  return type
}

/** An unknown object that a row names is the row's own failure. */
const objectFor = (api: ApiCall, name: string) => {
  const object = api.schema.object(name)
  if (object && object.name !== 'Name') return object
  api.session.countMissing(noResource(name))
  throw refuse('INVALID_TYPE', `sObject type '${name}' is not supported.`, [])
}

const split = (record: Body, name: string): { taken: unknown; rest: Body } => {
  const key = Object.keys(record).find((one) => one.toLowerCase() === name.toLowerCase())
  const rest = Object.fromEntries(
    Object.entries(record).filter(([one]) => one !== key && one !== 'attributes'),
  )
  return { taken: key === undefined ? undefined : record[key], rest }
}

const createMany = (_params: Params, api: ApiCall): RestReply => {
  const body = bodyOf(api)
  const rows = recordsOf(body)
  label(api, rows)
  return {
    status: 200,
    body: eachRow(api, rows, isTrue(body.allOrNone), (record) => {
      const event = publishedBody(api, typeOf(record), () => record)
      if (event) return event
      const object = objectFor(api, typeOf(record))
      const { rest } = split(record, 'attributes')
      return saved(
        api.session.call('create', {
          object: object.name,
          fields: rest,
          allowDuplicates: allowsDuplicates(api),
        }),
      )
    }),
  }
}

const updateMany = (_params: Params, api: ApiCall): RestReply => {
  const body = bodyOf(api)
  const rows = recordsOf(body)
  label(api, rows)
  return {
    status: 200,
    body: eachRow(api, rows, isTrue(body.allOrNone), (record) => {
      const object = objectFor(api, typeOf(record))
      const { taken, rest } = split(record, 'id')
      if (typeof taken !== 'string')
        throw refuse('MISSING_ARGUMENT', 'Id not specified in an update call', [])
      return saved(api.session.call('update', { object: object.name, id: taken, fields: rest }))
    }),
  }
}

const upsertMany = (params: Params, api: ApiCall): RestReply => {
  const object = objectNamed({ own: orgFor(api) }, params('object'))
  const field = lookupField(object, params('field'))
  const body = bodyOf(api)
  api.session.label(`PATCH ${object.name}`)
  return {
    status: 200,
    body: eachRow(
      api,
      recordsOf(body),
      isTrue(body.allOrNone),
      (record) => {
        const { taken, rest } = split(record, field.name)
        const { id, created } = api.session.call<Upserted>('upsert', {
          object: object.name,
          externalField: field.name,
          value: taken === undefined || taken === null ? null : String(taken),
          fields: rest,
          allowDuplicates: allowsDuplicates(api),
        })
        return saved(id, { created })
      },
      { created: true },
    ),
  }
}

const deleteMany = (_params: Params, api: ApiCall): RestReply => {
  const ids = (api.query.get('ids') ?? '')
    .split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '')
  if (ids.length === 0) throw new VendorError('MISSING_ARGUMENT', 'The ids parameter is required')
  return {
    status: 200,
    body: eachRow(api, ids, isTrue(api.query.get('allOrNone')), (id) =>
      saved(readId(api.session.call<string>('delete', { id })) ?? id),
    ),
  }
}

const retrieveMany = (
  params: Params,
  api: ApiCall,
  ids: readonly string[],
  names: readonly string[],
): RestReply => {
  const object = api.schema.object(params('object'))
  if (!object || object.name === 'Name') throw noResource(params('object'))
  if (ids.length > 2_000)
    throw new VendorError('EXCEEDED_ID_LIMIT', 'at most 2000 ids can be retrieved at once')
  const org = orgFor(api)
  const fields = fieldsNamed(object, ['Id', ...names.filter((name) => name.toLowerCase() !== 'id')])
  api.session.label(`GET ${object.name}`)
  return {
    status: 200,
    body: ids.map((id) => {
      const row = org.get(object, readId(id) ?? '')
      return row ? wholeRecord(org, object, row, api.version, fields) : null
    }),
  }
}

const texts = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : [])

const label = (api: ApiCall, rows: readonly Body[]): void => {
  const attributes = rows[0]?.attributes
  const type = typeof attributes === 'object' && attributes !== null ? (attributes as Body).type : undefined
  if (typeof type === 'string') api.session.label(`${api.method} ${api.schema.object(type)?.name ?? type}`)
}

export const collectionRoutes: readonly Route<ApiCall>[] = [
  { method: 'POST', path: '/composite/sobjects', handle: createMany },
  { method: 'PATCH', path: '/composite/sobjects', handle: updateMany },
  { method: 'DELETE', path: '/composite/sobjects', handle: deleteMany },
  {
    method: 'GET',
    path: '/composite/sobjects/:object',
    handle: (params, api) =>
      retrieveMany(
        params,
        api,
        (api.query.get('ids') ?? '').split(','),
        (api.query.get('fields') ?? 'Id').split(','),
      ),
  },
  {
    method: 'POST',
    path: '/composite/sobjects/:object',
    handle: (params, api) => {
      const body = bodyOf(api)
      return retrieveMany(params, api, texts(body.ids), texts(body.fields))
    },
  },
  { method: 'PATCH', path: '/composite/sobjects/:object/:field', handle: upsertMany },
]
