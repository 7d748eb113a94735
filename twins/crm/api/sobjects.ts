import type { Row } from '@diorama/twin-kit/kernel/table'
import { VendorError } from '@diorama/twin-kit/kernel/twin'
import type { Params, RestReply, Route } from '@diorama/twin-kit/wires/rest'
import { readMoment } from '../dates.ts'
import { recordByExternalId, type Upserted } from '../operations/records.ts'
import { readingObject, readingRecord } from '../records/access/withheld.ts'
import { noColumn, noRelation, noResource } from '../records/refusals.ts'
import { existing } from '../records/save.ts'
import type { FieldSchema, ObjectSchema } from '../schema/schema.ts'
import { globalEntry } from '../shapes/describe.ts'
import { errorReply } from '../shapes/errors.ts'
import { wholeRecord } from '../soql/project.ts'
import { publishedBody } from '../streaming/publishing.ts'
import { readBlob, recordBody } from './blobs.ts'
import { type ApiCall, allowsDuplicates, type Body, bodyOf, isTrue, orgFor } from './context.ts'

const objectIn = (params: Params, api: ApiCall): ObjectSchema => {
  const object = api.schema.object(params('object'))
  if (!object || object.name === 'Name') {
    api.session.askedFor(readingObject(params('object')))
    throw noResource(params('object'))
  }
  api.session.label(`${api.method} ${object.name}`)
  return object
}

/** `?fields=`: a field that is not there is refused, never passed over. */
const fieldsAsked = (api: ApiCall, object: ObjectSchema): readonly FieldSchema[] => {
  const asked = api.query.get('fields')
  return asked === undefined || asked === '' ? object.fields : fieldsNamed(object, asked.split(','))
}

export const fieldsNamed = (object: ObjectSchema, names: readonly string[]): FieldSchema[] =>
  names
    .map((name) => name.trim())
    .filter((name) => name !== '')
    .map((name) => {
      const field = object.field(name)
      if (!field) throw noColumn(name, object.name)
      return field
    })

const describeMoment = 'Mon, 02 Feb 2026 00:00:00 GMT'

/** A description changes only with a release, so a caller that has the current one gets 304. */
const unlessModified = (api: ApiCall, body: () => unknown): RestReply => {
  const headers = { 'last-modified': describeMoment, etag: `"${api.version}-describe"` }
  const since = api.headers['if-modified-since']
  const unchanged =
    (since !== undefined && Date.parse(since) >= Date.parse(describeMoment)) ||
    api.headers['if-none-match'] === headers.etag
  return unchanged ? { status: 304, headers } : { status: 200, body: body(), headers }
}

const saved = (id: string): Body => ({ id, success: true, errors: [] })

const without = (body: Body, ...names: readonly string[]): Body =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name.toLowerCase())))

const readOne = (params: Params, api: ApiCall): RestReply => {
  const object = objectIn(params, api)
  const org = orgFor(api)
  api.session.askedFor(readingRecord(params('id')))
  const row = existing({ org }, object, params('id'))
  const since = api.headers['if-modified-since']
  if (since !== undefined && changedAt(row) <= Date.parse(since)) return { status: 304 }
  checkUnmodified(api, row)
  return { status: 200, body: wholeRecord(org, object, row, api.version, fieldsAsked(api, object)) }
}

/** When a record was changed last, in whole seconds, as HTTP dates are. */
const changedAt = (row: Row): number =>
  Math.floor((readMoment(String(row.LastModifiedDate ?? row.SystemModstamp ?? '')) ?? 0) / 1_000) * 1_000

/** `If-Unmodified-Since`: the caller acts only on the record that it has read. */
const checkUnmodified = (api: ApiCall, row: Row): void => {
  const since = api.headers['if-unmodified-since']
  if (since !== undefined && changedAt(row) > Date.parse(since))
    throw new VendorError(
      'PRECONDITION_FAILED',
      'The record was modified after the date in If-Unmodified-Since.',
      {
        status: 412,
      },
    )
}

const updateOne = (params: Params, api: ApiCall): RestReply => {
  const object = objectIn(params, api)
  const body = recordBody(api)
  if (Object.keys(body).some((name) => name.toLowerCase() === 'id'))
    throw new VendorError('INVALID_FIELD', 'The Id field should not be specified in the sobject data.')
  checkUnmodified(api, existing({ org: orgFor(api) }, object, params('id')))
  api.session.call('update', { object: object.name, id: params('id'), fields: body })
  return { status: 204 }
}

/** The parent that `/sobjects/Contact/003…/Account` names; nothing where the path names an external id. */
const parentOf = (api: ApiCall, object: ObjectSchema, id: string, relationship: string) => {
  const reference = object.field(id) === undefined ? object.parent(relationship) : undefined
  if (!reference) return undefined
  const org = orgFor(api)
  const found = org.lookup(String(existing({ org }, object, id)[reference.name] ?? ''))
  if (!found) throw noResource()
  return { object: found.object.name, id: String(found.row.Id) }
}

const upsertOne = (params: Params, api: ApiCall): RestReply => {
  const object = objectIn(params, api)
  const parent = parentOf(api, object, params('field'), params('value'))
  if (parent) {
    api.session.call('update', { ...parent, fields: bodyOf(api) })
    return { status: 204 }
  }
  const body = bodyOf(api)
  const field = params('field')
  const given = Object.keys(body).find((name) => name.toLowerCase() === field.toLowerCase())
  if (given !== undefined)
    throw new VendorError(
      'INVALID_FIELD',
      `The ${object.field(field)?.name ?? field} field should not be specified in the sobject data.`,
    )
  try {
    const { id, created } = api.session.call<Upserted>('upsert', {
      object: object.name,
      externalField: field,
      value: params('value'),
      fields: body,
      allowDuplicates: allowsDuplicates(api),
      updateOnly: isTrue(api.query.get('updateOnly') ?? false),
    })
    if (created) return { status: 201, body: { ...saved(id), created: true } }
    return Number(api.version) >= 46
      ? { status: 200, body: { ...saved(id), created: false } }
      : { status: 204 }
  } catch (error) {
    if (error instanceof VendorError && error.status === 300)
      return errorReply(error, api.version, object.name)
    throw error
  }
}

const readByExternalId = (params: Params, api: ApiCall): RestReply => {
  const object = objectIn(params, api)
  const org = orgFor(api)
  const [name, value] = [params('field'), params('value')]
  const blob = object.field(value)
  if (blob?.type === 'base64') return readBlob(api, object, { id: name, field: blob.name })
  const isId = object.field(name) === undefined
  if (isId) return readRelated(api, object, name, value)
  try {
    const row = recordByExternalId({ org }, object, name, value)
    return { status: 200, body: wholeRecord(org, object, row, api.version, fieldsAsked(api, object)) }
  } catch (error) {
    if (error instanceof VendorError && error.status === 300)
      return errorReply(error, api.version, object.name)
    throw error
  }
}

/** `/sobjects/Account/001…/Contacts`: a record's parent or children by the relationship's name. */
const readRelated = (api: ApiCall, object: ObjectSchema, id: string, relationship: string): RestReply => {
  const org = orgFor(api)
  const row = existing({ org }, object, id)
  const reference = object.parent(relationship)
  if (reference) {
    const found = org.lookup(String(row[reference.name] ?? ''))
    if (!found) throw noResource()
    return {
      status: 200,
      body: wholeRecord(org, found.object, found.row, api.version, fieldsAsked(api, found.object)),
    }
  }
  const child = object.child(relationship)
  const target = child && api.schema.object(child.object)
  const field = child && target?.field(child.field)
  if (!target || !field) throw noRelation(object.name, relationship)
  const rows = [...org.find(target, field, String(row.Id))]
  const fields = fieldsAsked(api, target)
  return {
    status: 200,
    body: {
      totalSize: rows.length,
      done: true,
      records: rows.slice(0, 2_000).map((one) => wholeRecord(org, target, one, api.version, fields)),
    },
  }
}

const windowOf = (api: ApiCall): { start: number; end: number } => {
  const [start, end] = ['start', 'end'].map((name) => {
    const text = (api.query.get(name) ?? '').replace(/ (\d\d:?\d\d)$/, '+$1')
    const ms = readMoment(text)
    if (ms === undefined)
      throw new VendorError('INVALID_REPLICATION_DATE', `${name} is not a date and time: ${text}`)
    return ms
  })
  if ((start ?? 0) < api.session.now - 30 * 86_400_000)
    throw new VendorError('INVALID_REPLICATION_DATE', 'startDate cannot be more than 30 days ago')
  if ((end ?? 0) - (start ?? 0) < 60_000)
    throw new VendorError(
      'INVALID_REPLICATION_DATE',
      'endDate must be at least one minute greater than startDate',
    )
  return { start: start ?? 0, end: end ?? 0 }
}

export const sobjectRoutes: readonly Route<ApiCall>[] = [
  {
    method: 'GET',
    path: '/sobjects',
    handle: (_params, api) =>
      unlessModified(api, () => api.session.call('describeGlobal', { version: api.version })),
  },
  {
    method: 'GET',
    path: '/sobjects/:object',
    handle: (params, api) => {
      const object = objectIn(params, api)
      const recent = api.session.call<readonly Body[]>('recent', { object: object.name, limit: 20 })
      return {
        status: 200,
        body: {
          objectDescribe: globalEntry(object, api.version),
          recentItems: recent.map(({ Id, Name }) => ({
            attributes: {
              type: object.name,
              url: `/services/data/v${api.version}/sobjects/${object.name}/${String(Id)}`,
            },
            Id,
            Name,
          })),
        },
      }
    },
  },
  {
    method: 'POST',
    path: '/sobjects/:object',
    handle: (params, api) => {
      const event = publishedBody(api, params('object'), () => recordBody(api))
      if (event) return { status: 201, body: event }
      const object = objectIn(params, api)
      const id = api.session.call<string>('create', {
        object: object.name,
        fields: without(recordBody(api), 'attributes'),
        allowDuplicates: allowsDuplicates(api),
      })
      return {
        status: 201,
        body: saved(id),
        headers: { location: `/services/data/v${api.version}/sobjects/${object.name}/${id}` },
      }
    },
  },
  {
    method: 'GET',
    path: '/sobjects/:object/describe',
    handle: (params, api) => {
      const object = objectIn(params, api)
      return unlessModified(api, () =>
        api.session.call('describeSObject', { object: object.name, version: api.version }),
      )
    },
  },
  {
    method: 'GET',
    path: '/sobjects/:object/updated',
    handle: (params, api) => ({
      status: 200,
      body: api.session.call('getUpdated', { object: objectIn(params, api).name, ...windowOf(api) }),
    }),
  },
  {
    method: 'GET',
    path: '/sobjects/:object/deleted',
    handle: (params, api) => ({
      status: 200,
      body: api.session.call('getDeleted', { object: objectIn(params, api).name, ...windowOf(api) }),
    }),
  },
  { method: 'GET', path: '/sobjects/:object/:id', handle: readOne },
  { method: 'PATCH', path: '/sobjects/:object/:id', handle: updateOne },
  {
    method: 'DELETE',
    path: '/sobjects/:object/:id',
    handle: (params, api) => {
      const object = objectIn(params, api)
      checkUnmodified(api, existing({ org: orgFor(api) }, object, params('id')))
      api.session.call('delete', { object: object.name, id: params('id') })
      return { status: 204 }
    },
  },
  { method: 'GET', path: '/sobjects/:object/:field/:value', handle: readByExternalId },
  { method: 'PATCH', path: '/sobjects/:object/:field/:value', handle: upsertOne },
  {
    method: 'DELETE',
    path: '/sobjects/:object/:field/:value',
    handle: (params, api) => {
      const object = objectIn(params, api)
      const parent = parentOf(api, object, params('field'), params('value'))
      const row = parent
        ? undefined
        : recordByExternalId({ org: orgFor(api) }, object, params('field'), params('value'))
      api.session.call('delete', parent ?? { object: object.name, id: String(row?.Id) })
      return { status: 204 }
    },
  },
]
