import { type TwinRequest, VendorError } from '@diorama/twin-kit/kernel/twin'
import { type RestReply, readJson } from '@diorama/twin-kit/wires/rest'
import { actor, subjectOf } from '../actor.ts'
import { readCsv, writeCsv } from '../csv.ts'
import type { Job } from '../operations/jobs.ts'
import type { Schema } from '../schema/schema.ts'
import { readXml, textIn, write } from '../soap/xml.ts'
import { type Bulk, linesOf, runBulkQuery, runLine, runRecord } from './lines.ts'

const namespace = 'http://www.force.com/2009/06/asyncapi/dataload'
const operations = ['insert', 'update', 'upsert', 'delete', 'hardDelete', 'query', 'queryAll']
const maxLines = 10_000

/** How one request is answered: its callers write and read XML or JSON. */
interface Writer {
  readonly isJson: boolean
  readonly document: (name: string, value: unknown, status?: number) => RestReply
  readonly refused: (code: string, message: string) => RestReply
}

const writerOf = (isJson: boolean): Writer => {
  const document: Writer['document'] = (name, value, status = 200) =>
    isJson
      ? { status, headers: { 'content-type': 'application/json' }, body: value }
      : {
          status,
          headers: { 'content-type': 'application/xml' },
          body: `<?xml version="1.0" encoding="UTF-8"?>${write(name, value).replace(`<${name}>`, `<${name} xmlns="${namespace}">`)}`,
        }
  return {
    isJson,
    document,
    refused: (code, message) => document('error', { exceptionCode: code, exceptionMessage: message }, 400),
  }
}

/** One request of the interface, with what answers it. */
interface Asked extends Bulk {
  readonly request: TwinRequest
  readonly writer: Writer
}

/** The first bulk interface, in XML and CSV or in JSON: `/services/async/{version}/job…`. */
export const bulkWire = (request: TwinRequest, bulk: Bulk, schema: Schema, rest: string): RestReply => {
  const { session } = bulk
  const writer = writerOf(/json/i.test(request.headers['content-type'] ?? request.headers.accept ?? ''))
  const { document, refused } = writer
  const asked: Asked = { ...bulk, request, writer }
  const token = request.headers['x-sfdc-session'] ?? ''
  const subject = subjectOf(token, session.principals, session.views)
  const caller = subject === undefined ? undefined : actor(subject, session.views)
  if (!caller) return refused('InvalidSessionId', 'Invalid session id')
  session.authenticate(caller)
  const [, id, batches, batchId, result, resultId] = rest.split('/').filter((segment) => segment !== '')
  try {
    if (id === undefined)
      return request.method === 'POST'
        ? createJob(asked, schema)
        : refused('InvalidUrl', 'The request is invalid')
    const job = session.call<Job>('readJob', { id })
    if (batches === undefined)
      return request.method === 'POST' ? closeJob(asked, job) : document('jobInfo', jobInfo(bulk, job))
    if (batchId === undefined) {
      if (request.method === 'POST') return addBatch(asked, job)
      const all = session.call<readonly Job[]>('listJobs', { kind: `batch ${job.id}` })
      return document('batchInfoList', { batchInfo: all.map(batchInfo) })
    }
    const batch = session.call<Job>('readJob', { id: batchId })
    if (result === undefined) return document('batchInfo', batchInfo(batch))
    return resultId === undefined ? results(asked, job, batch) : queryResult(asked, job, batch)
  } catch (error) {
    if (!(error instanceof VendorError)) throw error
    return refused(error.status === 404 ? 'InvalidJob' : camel(error.code), error.message)
  }
}

const camel = (code: string): string =>
  code.toLowerCase().replace(/(^|_)(\w)/g, (_all, _line, letter: string) => letter.toUpperCase())

const jobInfo = (bulk: Bulk, job: Job): Record<string, unknown> => {
  const batches = bulk.session.call<readonly Job[]>('listJobs', { kind: `batch ${job.id}` })
  return {
    id: job.id,
    operation: job.operation,
    object: job.object,
    createdById: job.createdById,
    createdDate: job.createdDate,
    systemModstamp: job.systemModstamp,
    state: job.state,
    ...(job.externalIdFieldName === undefined ? {} : { externalIdFieldName: job.externalIdFieldName }),
    concurrencyMode: 'Parallel',
    contentType: job.contentType ?? 'CSV',
    numberBatchesQueued: 0,
    numberBatchesInProgress: 0,
    numberBatchesCompleted: batches.filter(({ state }) => state === 'Completed').length,
    numberBatchesFailed: batches.filter(({ state }) => state === 'Failed').length,
    numberBatchesTotal: batches.length,
    numberRecordsProcessed: batches.reduce((sum, batch) => sum + Number(batch.numberRecordsProcessed), 0),
    numberRetries: 0,
    apiVersion: bulk.version,
    numberRecordsFailed: batches.reduce((sum, batch) => sum + Number(batch.numberRecordsFailed), 0),
    totalProcessingTime: 0,
    apiActiveProcessingTime: 0,
    apexProcessingTime: 0,
  }
}

const batchInfo = (batch: Job): Record<string, unknown> => ({
  id: batch.id,
  jobId: batch.jobId,
  state: batch.state,
  ...(batch.errorMessage === undefined ? {} : { stateMessage: batch.errorMessage }),
  createdDate: batch.createdDate,
  systemModstamp: batch.systemModstamp,
  numberRecordsProcessed: batch.numberRecordsProcessed,
  numberRecordsFailed: batch.numberRecordsFailed,
  totalProcessingTime: 0,
  apiActiveProcessingTime: 0,
  apexProcessingTime: 0,
})

/** The fields of a request's body, whichever way they are written; undefined where they cannot be read. */
const fieldsOf = ({ request, writer }: Asked): ((name: string) => string | undefined) | undefined => {
  if (!writer.isJson) {
    const element = readXml(new TextDecoder().decode(request.body).trim())
    return element?.name === 'jobInfo' ? (name) => textIn(element, name) : undefined
  }
  const read = readJson(request.body)
  if (!read.ok || typeof read.value !== 'object' || read.value === null) return undefined
  const body = read.value as Readonly<Record<string, unknown>>
  return (name) => (typeof body[name] === 'string' ? body[name] : undefined)
}

const contentTypes = ['CSV', 'JSON']

const createJob = (asked: Asked, schema: Schema): RestReply => {
  const { document, refused } = asked.writer
  const field = fieldsOf(asked)
  const operation = field?.('operation') ?? ''
  const object = schema.object(field?.('object') ?? '')
  if (!field || !operations.includes(operation))
    return refused('InvalidJob', `Unable to parse Job, or invalid operation: ${operation}`)
  if (!object) return refused('InvalidEntity', `Unable to find object: ${field('object') ?? ''}`)
  const external = field('externalIdFieldName')
  if (operation === 'upsert' && !external)
    return refused(
      'InvalidJob',
      `External ID was blank for ${object.name}. An External ID must be specified for upsert.`,
    )
  const contentType = field('contentType') ?? (asked.writer.isJson ? 'JSON' : 'CSV')
  if (!contentTypes.includes(contentType)) {
    asked.session.notEmulated(`bulk content type ${contentType}`)
    return refused('InvalidJob', `Content type is not supported: ${contentType}`)
  }
  const job = asked.session.call<Job>('createJob', {
    kind: 'bulk',
    fields: {
      object: object.name,
      operation,
      contentType,
      ...(external ? { externalIdFieldName: external } : {}),
    },
  })
  return document('jobInfo', jobInfo(asked, job), 201)
}

const closeJob = (asked: Asked, job: Job): RestReply => {
  const { document, refused } = asked.writer
  const state = fieldsOf(asked)?.('state')
  if (state !== 'Closed' && state !== 'Aborted')
    return refused('InvalidJob', `Invalid job state: ${state ?? ''}`)
  if (job.state === 'Aborted') return refused('InvalidJobState', 'Aborting already Aborted Job not allowed')
  const changed = asked.session.call<Job>('changeJob', { id: job.id, changes: { state } })
  return document('jobInfo', jobInfo(asked, changed))
}

/** A batch is done as soon as it is there. */
const addBatch = (asked: Asked, job: Job): RestReply => {
  const { document, refused } = asked.writer
  if (job.state !== 'Open') return refused('InvalidJobState', 'Job is not open for more batches')
  const { session } = asked
  const text = new TextDecoder().decode(asked.request.body).replace(/^\uFEFF/, '')
  if (text.trim() === '') return refused('ClientInputError', 'Failed to read the client input: there is none')
  const { id } = session.call<Job>('createJob', { kind: `batch ${job.id}`, fields: { jobId: job.id } })
  session.label(`bulk ${job.operation} ${job.object}`)
  const queries = job.operation === 'query' || job.operation === 'queryAll'
  const failed = queries
    ? runQueryBatch(asked, job, id, text)
    : job.contentType === 'JSON'
      ? runRecordBatch(asked, job, id, text)
      : runLineBatch(asked, job, id, text)
  if (failed !== undefined)
    session.call('changeJob', { id, changes: { state: 'Failed', errorMessage: failed } })
  const batch = session.call<Job>('readJob', { id })
  return document('batchInfo', { ...batchInfo(batch), state: 'Queued' }, 201)
}

const runQueryBatch = (bulk: Bulk, job: Job, id: string, query: string): string | undefined => {
  try {
    const page = runBulkQuery(bulk, query, job.operation === 'queryAll')
    const changes = { state: 'Completed', query, numberRecordsProcessed: page.totalSize }
    bulk.session.call('changeJob', { id, changes })
    return undefined
  } catch (error) {
    if (!(error instanceof VendorError)) throw error
    return `InvalidBatch : Failed to process query: ${error.code}: ${error.message}`
  }
}

const runRecordBatch = (bulk: Bulk, job: Job, id: string, text: string): string | undefined => {
  const read = readJson(Buffer.from(text))
  const records = read.ok && Array.isArray(read.value) ? read.value : undefined
  if (!records || records.length > maxLines)
    return 'InvalidBatch : Failed to parse JSON, or more records than a batch may have'
  const results = records.map((record) =>
    runRecord(bulk, job, typeof record === 'object' && record !== null ? record : {}),
  )
  bulk.session.call('finishJob', { id, header: [], results })
  bulk.session.call('changeJob', { id, changes: { state: 'Completed' } })
  return undefined
}

const runLineBatch = (bulk: Bulk, job: Job, id: string, text: string): string | undefined => {
  const [header, ...lines] = readCsv(text, ',') ?? []
  if (!header || lines.length > maxLines)
    return 'InvalidBatch : Failed to parse CSV, or more lines than a batch may have'
  const results = lines.map((line) => runLine(bulk, job, header, line))
  bulk.session.call('finishJob', { id, header, results })
  bulk.session.call('changeJob', { id, changes: { state: 'Completed' } })
  return undefined
}

const csv = (rows: readonly (readonly unknown[])[]): RestReply => ({
  status: 200,
  headers: { 'content-type': 'text/csv' },
  body: writeCsv(rows, ',', '\n'),
})

const results = ({ writer }: Asked, job: Job, batch: Job): RestReply => {
  const resultId = `752${batch.id.slice(3)}`
  if (job.operation === 'query' || job.operation === 'queryAll')
    return writer.document('result-list', writer.isJson ? [resultId] : { result: resultId })
  if (job.contentType !== 'JSON')
    return csv([
      ['Id', 'Success', 'Created', 'Error'],
      ...batch.results.map(({ id, created, error }) => [id, String(error === ''), String(created), error]),
    ])
  return writerOf(true).document(
    'results',
    batch.results.map(({ id, created, error }) => ({
      success: error === '',
      created,
      id: error === '' ? id : null,
      errors: error === '' ? [] : [errorOf(error)],
    })),
  )
}

/** `CODE:message:fields --`, as lines of CSV have it, in the parts that JSON has. */
const errorOf = (error: string): Record<string, unknown> => {
  const [, statusCode = '', message = '', fields = ''] = /^(\w+):([\s\S]*):([^:]*) --$/.exec(error) ?? []
  return { statusCode, message, fields: fields === '' ? [] : fields.split(', '), extendedErrorDetails: null }
}

const queryResult = (asked: Asked, job: Job, batch: Job): RestReply => {
  const query = String(batch.query ?? '')
  const page = runBulkQuery(asked, query, job.operation === 'queryAll')
  if (job.contentType === 'JSON') return writerOf(true).document('records', page.records)
  if (page.records.length === 0) return csv([['Records not found for this query']])
  return csv(linesOf(query, page.records))
}
