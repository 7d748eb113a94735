import type { Row } from '@diorama/twin-kit/kernel/table'
import { VendorError } from '@diorama/twin-kit/kernel/twin'
import { isRecord } from '@diorama/twin-kit/records'
import type { Params, RestReply, Route } from '@diorama/twin-kit/wires/rest'
import { type ApiCall, type Body, bodyOf, isTrue, orgFor } from '../api/context.ts'
import { readId } from '../ids.ts'
import { noResource } from '../records/refusals.ts'
import { nameObject, type ObjectSchema } from '../schema/schema.ts'
import { errorEntry } from '../shapes/errors.ts'
import type { Json } from '../soql/project.ts'
import { masterRecordType, objectEntry, objectInfo, picklistValues } from './object-info.ts'
import { uiRecord, wantedOf } from './record.ts'

const maxBatch = 200

const objectNamed = (api: ApiCall, name: string): ObjectSchema => {
  const object = api.schema.object(name)
  if (!object || object.name === nameObject) throw noResource(name)
  return object
}

const recordTypesOf = (api: ApiCall, object: ObjectSchema): Row[] =>
  [...(api.session.views.RecordType?.all() ?? [])].filter(({ SobjectType }) => SobjectType === object.name)

/** A record with the fields that the caller names. Fields by page layout are not there: the twin has no layouts. */
const readRecord = (api: ApiCall, id: string): Json => {
  const org = orgFor(api)
  const found = org.lookup(readId(id) ?? id)
  if (!found) throw noResource()
  const object = objectNamed(api, found.object.name)
  const [fields, optional] = [api.query.get('fields') ?? '', api.query.get('optionalFields') ?? '']
  if (fields === '' && optional === '') {
    if (api.query.has('layoutTypes')) api.session.notEmulated('ui-api layouts')
    throw new VendorError(
      'ILLEGAL_QUERY_PARAMETER_VALUE',
      'You must specify one of the following query parameters: fields, optionalFields',
    )
  }
  api.session.label(`GET ui-api ${object.name}`)
  const wanted = wantedOf(org, object, fields, false)
  return uiRecord(org, object, found.row, wantedOf(org, object, optional, true, wanted))
}

/** A record after a change: every field that the caller may see. */
const savedRecord = (api: ApiCall, id: string): Json => {
  const org = orgFor(api)
  const found = org.lookup(id)
  if (!found) throw noResource()
  const object = objectNamed(api, found.object.name)
  const fields = new Set(object.fields.filter(({ type }) => type !== 'address').map(({ name }) => name))
  return uiRecord(org, object, found.row, { fields, parents: new Map() })
}

/** A refused change is one error, with what is wrong with which field inside. */
const saving = (api: ApiCall, work: () => RestReply): RestReply => {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof VendorError) || error.status === 404) throw error
    const { message, errorCode } = errorEntry(error)
    const fields = Array.isArray(error.data.fields) ? error.data.fields.map(String) : []
    const entries = fields.map((field) => ({
      constituentField: null,
      duplicateRecordError: null,
      errorCode,
      field,
      fieldLabel: field,
      message,
    }))
    const plain = {
      constituentField: null,
      duplicateRecordError: null,
      errorCode,
      field: null,
      fieldLabel: null,
      message,
    }
    api.session.countMissing(error)
    return {
      status: error.status,
      body: [
        {
          errorCode,
          message,
          enhancedErrorType: 'RecordError',
          output: {
            errors: entries.length > 0 ? [] : [plain],
            fieldErrors: Object.fromEntries(entries.map((entry) => [entry.field, [entry]])),
          },
        },
      ],
    }
  }
}

const fieldsIn = (body: Body): Body => (isRecord(body.fields) ? body.fields : {})

const create = (api: ApiCall): RestReply => {
  const body = bodyOf(api)
  const object = objectNamed(api, typeof body.apiName === 'string' ? body.apiName : '')
  api.session.label(`POST ui-api ${object.name}`)
  return saving(api, () => {
    const id = api.session.call<string>('create', {
      object: object.name,
      fields: fieldsIn(body),
      allowDuplicates: isTrue(body.allowSaveOnDuplicate),
    })
    return { status: 201, body: savedRecord(api, id) }
  })
}

const change = (params: Params, api: ApiCall): RestReply => {
  const found = orgFor(api).lookup(readId(params('id')) ?? '')
  if (!found) throw noResource()
  api.session.label(`PATCH ui-api ${found.object.name}`)
  return saving(api, () => {
    const id = String(found.row.Id)
    api.session.call('update', { object: found.object.name, id, fields: fieldsIn(bodyOf(api)) })
    return { status: 200, body: savedRecord(api, id) }
  })
}

const batch = (params: Params, api: ApiCall): RestReply => {
  const ids = params('ids').split(',')
  if (ids.length > maxBatch)
    throw new VendorError('ILLEGAL_QUERY_PARAMETER_VALUE', `At most ${maxBatch} records can be read at once`)
  const results = ids.map((id) => {
    try {
      return { result: readRecord(api, id), statusCode: 200 }
    } catch (error) {
      if (!(error instanceof VendorError)) throw error
      return { result: [errorEntry(error)], statusCode: error.status }
    }
  })
  return { status: 200, body: { hasErrors: results.some(({ statusCode }) => statusCode >= 400), results } }
}

const picklists = (params: Params, api: ApiCall, only?: string): RestReply => {
  const object = objectNamed(api, params('object'))
  const type = readId(params('type'))
  if (type !== masterRecordType && !recordTypesOf(api, object).some(({ Id }) => Id === type))
    throw noResource()
  const base = `/services/data/v${api.version}/ui-api/object-info/${object.name}/picklist-values/${type}`
  const fields = object.fields.filter((field) => ['picklist', 'multipicklist'].includes(field.type))
  if (only === undefined)
    return {
      status: 200,
      body: {
        picklistFieldValues: Object.fromEntries(
          fields.map((field) => [field.name, picklistValues(field, `${base}/${field.name}`)]),
        ),
      },
    }
  const field = fields.find(({ name }) => name.toLowerCase() === only.toLowerCase())
  if (!field) throw noResource()
  return { status: 200, body: picklistValues(field, `${base}/${field.name}`) }
}

export const uiRoutes: readonly Route<ApiCall>[] = [
  { method: 'GET', path: '/ui-api/records/batch/:ids', handle: batch },
  {
    method: 'GET',
    path: '/ui-api/records/:id',
    handle: (params, api) => ({ status: 200, body: readRecord(api, params('id')) }),
  },
  { method: 'POST', path: '/ui-api/records', handle: (_params, api) => create(api) },
  { method: 'PATCH', path: '/ui-api/records/:id', handle: change },
  {
    method: 'DELETE',
    path: '/ui-api/records/:id',
    handle: (params, api) => {
      const found = orgFor(api).lookup(readId(params('id')) ?? '')
      if (!found) throw noResource()
      api.session.label(`DELETE ui-api ${found.object.name}`)
      api.session.call('delete', { object: found.object.name, id: String(found.row.Id) })
      return { status: 204 }
    },
  },
  {
    method: 'GET',
    path: '/ui-api/object-info',
    handle: (_params, api) => ({
      status: 200,
      body: {
        objects: Object.fromEntries(
          api.schema.objects
            .filter(({ name }) => name !== nameObject)
            .map((object) => [object.name, objectEntry(object, api.version)]),
        ),
      },
    }),
  },
  {
    method: 'GET',
    path: '/ui-api/object-info/:object',
    handle: (params, api) => {
      const object = objectNamed(api, params('object'))
      api.session.label(`GET ui-api object-info ${object.name}`)
      return { status: 200, body: objectInfo(api.schema, object, recordTypesOf(api, object)) }
    },
  },
  {
    method: 'GET',
    path: '/ui-api/object-info/:object/picklist-values/:type',
    handle: (params, api) => picklists(params, api),
  },
  {
    method: 'GET',
    path: '/ui-api/object-info/:object/picklist-values/:type/:field',
    handle: (params, api) => picklists(params, api, params('field')),
  },
]
