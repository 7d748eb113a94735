import { Refusal, type TwinRequest } from '../../kernel/twin.ts'
import type { RestReply } from '../../kernel/wires/rest.ts'
import { actorOf, subjectOf } from '../actor.ts'
import { readCsv, writeCsv } from '../csv.ts'
import type { Job } from '../operations/jobs.ts'
import type { Schema } from '../schema/schema.ts'
import { readXml, textIn, write } from '../soap/xml.ts'
import { type Bulk, linesOf, runBulkQuery, runLine } from './lines.ts'

const namespace = 'http://www.force.com/2009/06/asyncapi/dataload'
const operations = ['insert', 'update', 'upsert', 'delete', 'hardDelete', 'query', 'queryAll']
const mostLines = 10_000

const document = (name: string, value: unknown, status = 200): RestReply => ({
  status,
  headers: { 'content-type': 'application/xml' },
  body: `<?xml version="1.0" encoding="UTF-8"?>${write(name, value).replace(`<${name}>`, `<${name} xmlns="${namespace}">`)}`,
})

const refused = (code: string, message: string): RestReply =>
  document('error', { exceptionCode: code, exceptionMessage: message }, 400)

/** The first bulk interface, in XML and CSV: `/services/async/{version}/job…`. */
export const bulkWire = (request: TwinRequest, bulk: Bulk, schema: Schema, rest: string): RestReply => {
  const { session } = bulk
  const token = request.headers['x-sfdc-session'] ?? ''
  const subject = subjectOf(token, session.principals, session.views)
  const actor = subject === undefined ? undefined : actorOf(subject, session.views)
  if (!actor) return refused('InvalidSessionId', 'Invalid session id')
  session.authenticate(actor)
  const [, id, batches, batchId, result, resultId] = rest.split('/').filter((segment) => segment !== '')
  try {
    if (id === undefined) return request.method === 'POST' ? createJob(request, bulk, schema) : unsupported()
    const job = session.call<Job>('readJob', { id })
    if (batches === undefined)
      return request.method === 'POST'
        ? closeJob(request, bulk, job)
        : document('jobInfo', jobInfo(bulk, job))
    if (batchId === undefined)
      return request.method === 'POST'
        ? addBatch(request, bulk, job)
        : document('batchInfoList', {
            batchInfo: session.call<readonly Job[]>('listJobs', { kind: `batch ${job.id}` }).map(batchInfo),
          })
    const batch = session.call<Job>('readJob', { id: batchId })
    if (result === undefined) return document('batchInfo', batchInfo(batch))
    return resultId === undefined ? results(job, batch) : queryResult(bulk, job, batch)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return refused(error.status === 404 ? 'InvalidJob' : camel(error.code), error.message)
  }
}

const unsupported = (): RestReply => refused('InvalidUrl', 'The request is invalid')
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
    contentType: 'CSV',
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

const createJob = (request: TwinRequest, bulk: Bulk, schema: Schema): RestReply => {
  const asked = readXml(new TextDecoder().decode(request.body).trim())
  const operation = textIn(asked, 'operation') ?? ''
  const object = schema.object(textIn(asked, 'object') ?? '')
  if (asked?.name !== 'jobInfo' || !operations.includes(operation))
    return refused('InvalidJob', `Unable to parse Job, or invalid operation: ${operation}`)
  if (!object) return refused('InvalidEntity', `Unable to find object: ${textIn(asked, 'object') ?? ''}`)
  const external = textIn(asked, 'externalIdFieldName')
  if (operation === 'upsert' && !external)
    return refused(
      'InvalidJob',
      `External ID was blank for ${object.name}. An External ID must be specified for upsert.`,
    )
  const job = bulk.session.call<Job>('createJob', {
    kind: 'bulk',
    fields: { object: object.name, operation, ...(external ? { externalIdFieldName: external } : {}) },
  })
  return document('jobInfo', jobInfo(bulk, job), 201)
}

const closeJob = (request: TwinRequest, bulk: Bulk, job: Job): RestReply => {
  const state = textIn(readXml(new TextDecoder().decode(request.body).trim()), 'state')
  if (state !== 'Closed' && state !== 'Aborted')
    return refused('InvalidJob', `Invalid job state: ${state ?? ''}`)
  if (job.state === 'Aborted') return refused('InvalidJobState', 'Aborting already Aborted Job not allowed')
  return document(
    'jobInfo',
    jobInfo(bulk, bulk.session.call('changeJob', { id: job.id, changes: { state } })),
  )
}

/** A batch is done as soon as it is there. */
const addBatch = (request: TwinRequest, bulk: Bulk, job: Job): RestReply => {
  if (job.state !== 'Open') return refused('InvalidJobState', 'Job is not open for more batches')
  const { session } = bulk
  const text = new TextDecoder().decode(request.body).replace(/^\uFEFF/, '')
  if (text.trim() === '') return refused('ClientInputError', 'Failed to read the client input: there is none')
  const { id } = session.call<Job>('createJob', { kind: `batch ${job.id}`, fields: { jobId: job.id } })
  session.label(`bulk ${job.operation} ${job.object}`)
  const queries = job.operation === 'query' || job.operation === 'queryAll'
  const failed = queries ? runQueryBatch(bulk, job, id, text) : runLineBatch(bulk, job, id, text)
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
    if (!(error instanceof Refusal)) throw error
    return `InvalidBatch : Failed to process query: ${error.code}: ${error.message}`
  }
}

const runLineBatch = (bulk: Bulk, job: Job, id: string, text: string): string | undefined => {
  const [header, ...lines] = readCsv(text, ',') ?? []
  if (!header || lines.length > mostLines)
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

const results = (job: Job, batch: Job): RestReply => {
  if (job.operation === 'query' || job.operation === 'queryAll')
    return document('result-list', { result: `752${batch.id.slice(3)}` })
  return csv([
    ['Id', 'Success', 'Created', 'Error'],
    ...batch.results.map(({ id, created, error }) => [id, String(error === ''), String(created), error]),
  ])
}

const queryResult = (bulk: Bulk, job: Job, batch: Job): RestReply => {
  const query = String(batch.query ?? '')
  const page = runBulkQuery(bulk, query, job.operation === 'queryAll')
  if (page.records.length === 0) return csv([['Records not found for this query']])
  return csv(linesOf(query, page.records))
}
