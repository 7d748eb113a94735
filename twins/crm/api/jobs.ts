import { VendorError } from '@diorama/twin-kit/kernel/twin'
import type { Params, RestReply, Route } from '@diorama/twin-kit/wires/rest'
import { delimiters, readCsv, writeCsv } from '../csv.ts'
import type { Job } from '../operations/jobs.ts'
import { type ApiCall, type Body, bodyOf } from './context.ts'
import { bulkBatch, linesOf, runBulkQuery, runLine } from './lines.ts'

const ingestOperations = ['insert', 'update', 'upsert', 'delete', 'hardDelete']
const maxRows = 50_000

const text = (value: unknown, otherwise: string): string => (typeof value === 'string' ? value : otherwise)

const jobInfo = (api: ApiCall, job: Job): Body => {
  const ingest = job.kind === 'ingest'
  return {
    id: job.id,
    operation: job.operation,
    object: job.object,
    createdById: job.createdById,
    createdDate: job.createdDate,
    systemModstamp: job.systemModstamp,
    state: job.state,
    concurrencyMode: 'Parallel',
    contentType: 'CSV',
    apiVersion: Number(api.version),
    ...(ingest ? { contentUrl: `services/data/v${api.version}/jobs/ingest/${job.id}/batches` } : {}),
    ...(job.externalIdFieldName === undefined ? {} : { externalIdFieldName: job.externalIdFieldName }),
    ...(job.errorMessage === undefined ? {} : { errorMessage: job.errorMessage }),
    jobType: ingest ? 'V2Ingest' : 'V2Query',
    lineEnding: job.lineEnding,
    columnDelimiter: job.columnDelimiter,
    numberRecordsProcessed: job.numberRecordsProcessed,
    ...(ingest
      ? { numberRecordsFailed: job.numberRecordsFailed, apexProcessingTime: 0, apiActiveProcessingTime: 0 }
      : {}),
    retries: 0,
    totalProcessingTime: 0,
    ...(ingest ? {} : { isPkChunkingSupported: true }),
  }
}

const createIngest = (_params: Params, api: ApiCall): RestReply => {
  const body = bodyOf(api)
  const object = api.schema.object(text(body.object, ''))
  if (!object?.createable)
    throw new VendorError(
      'INVALIDENTITY',
      `Entity '${text(body.object, '')}' is not supported by the Bulk API.`,
    )
  if (!ingestOperations.includes(text(body.operation, '')))
    throw new VendorError('INVALIDJOB', `Invalid operation: ${text(body.operation, '')}`)
  if (body.operation === 'upsert' && typeof body.externalIdFieldName !== 'string')
    throw new VendorError(
      'INVALIDJOB',
      `External ID was blank for ${object.name}. An External ID must be specified for upsert.`,
    )
  const job = api.session.call<Job>('createJob', {
    kind: 'ingest',
    fields: {
      object: object.name,
      operation: text(body.operation, ''),
      lineEnding: text(body.lineEnding, 'LF'),
      columnDelimiter: text(body.columnDelimiter, 'COMMA'),
      ...(typeof body.externalIdFieldName === 'string'
        ? { externalIdFieldName: body.externalIdFieldName }
        : {}),
    },
  })
  return { status: 200, body: jobInfo(api, job) }
}

const upload = (params: Params, api: ApiCall): RestReply => {
  api.session.call('uploadJobData', { id: params('id'), data: new TextDecoder().decode(api.raw) })
  return { status: 201 }
}

const changeIngest = (params: Params, api: ApiCall): RestReply => {
  const { state } = bodyOf(api)
  const job = api.session.call<Job>('readJob', { id: params('id') })
  if (state === 'Aborted')
    return {
      status: 200,
      body: jobInfo(api, api.session.call('changeJob', { id: job.id, changes: { state } })),
    }
  if (state !== 'UploadComplete' || job.state !== 'Open')
    throw new VendorError('INVALIDJOBSTATE', `Job state is ${job.state}; it cannot become ${String(state)}`)
  const closed = { ...job, state: 'UploadComplete' }
  process(api, job)
  return { status: 200, body: jobInfo(api, closed) }
}

/** Processes every line at once; the real service does so a moment later. */
const process = (api: ApiCall, job: Job): void => {
  const rows = readCsv(job.data.replace(/^\uFEFF/, ''), delimiters[String(job.columnDelimiter)] ?? ',')
  const [header, ...lines] = rows ?? []
  if (!rows || (header === undefined && job.data.trim() !== '') || lines.length > maxRows) {
    api.session.call('changeJob', {
      id: job.id,
      changes: { state: 'Failed', errorMessage: 'InvalidBatch : Failed to parse CSV header or a line' },
    })
    return
  }
  api.session.label(`bulk ${job.operation} ${job.object}`)
  const results = lines.map((line) => runLine(api, job, header ?? [], line))
  api.session.call('finishJob', { id: job.id, header: header ?? [], results })
}

const csvReply = (
  job: Job,
  rows: readonly (readonly unknown[])[],
  headers: Readonly<Record<string, string>> = {},
): RestReply => ({
  status: 200,
  headers: { 'content-type': 'text/csv', ...headers },
  body: writeCsv(
    rows,
    delimiters[String(job.columnDelimiter)] ?? ',',
    job.lineEnding === 'CRLF' ? '\r\n' : '\n',
  ),
})

const results =
  (which: 'successful' | 'failed' | 'unprocessed') =>
  (params: Params, api: ApiCall): RestReply => {
    const job = api.session.call<Job>('readJob', { id: params('id') })
    const header = Array.isArray(job.header) ? job.header.map(String) : []
    const chosen = job.results.filter(({ error }) => (which === 'failed') === (error !== ''))
    if (which === 'unprocessed') return csvReply(job, [header])
    if (which === 'failed')
      return csvReply(job, [
        ['sf__Id', 'sf__Error', ...header],
        ...chosen.map(({ id, error, line }) => [id, error, ...line]),
      ])
    return csvReply(job, [
      ['sf__Id', 'sf__Created', ...header],
      ...chosen.map(({ id, created, line }) => [id, String(created), ...line]),
    ])
  }

const createQuery = (_params: Params, api: ApiCall): RestReply => {
  const body = bodyOf(api)
  const operation = text(body.operation, '')
  if (operation !== 'query' && operation !== 'queryAll')
    throw new VendorError('INVALIDJOB', `Invalid operation: ${operation}`)
  const query = text(body.query, '')
  const page = runBulkQuery(api, query, operation === 'queryAll')
  const job = api.session.call<Job>('createJob', {
    kind: 'query',
    fields: {
      object: page.object ?? '',
      operation,
      query,
      lineEnding: text(body.lineEnding, 'LF'),
      columnDelimiter: text(body.columnDelimiter, 'COMMA'),
    },
  })
  api.session.call('changeJob', {
    id: job.id,
    changes: { state: 'JobComplete', numberRecordsProcessed: page.totalSize },
  })
  return { status: 200, body: jobInfo(api, job) }
}

const queryResults = (params: Params, api: ApiCall): RestReply => {
  const job = api.session.call<Job>('readJob', { id: params('id') })
  if (job.state !== 'JobComplete') throw new VendorError('INVALIDJOBSTATE', `Job state is ${job.state}`)
  const page = runBulkQuery(api, String(job.query), job.operation === 'queryAll')
  const from = Number(api.query.get('locator') ?? 0) || 0
  const max = Math.min(Number(api.query.get('maxRecords') ?? 0) || bulkBatch, bulkBatch)
  const shown = page.records.slice(from, from + max)
  const next = from + shown.length
  return csvReply(job, linesOf(String(job.query), shown), {
    'sforce-numberofrecords': String(shown.length),
    'sforce-locator': next < page.records.length ? String(next) : 'null',
  })
}

const list =
  (kind: 'ingest' | 'query') =>
  (_params: Params, api: ApiCall): RestReply => ({
    status: 200,
    body: {
      done: true,
      records: api.session.call<readonly Job[]>('listJobs', { kind }).map((job) => jobInfo(api, job)),
      nextRecordsUrl: null,
    },
  })

const info = (params: Params, api: ApiCall): RestReply => ({
  status: 200,
  body: jobInfo(api, api.session.call('readJob', { id: params('id') })),
})

const remove = (params: Params, api: ApiCall): RestReply => {
  const { state } = api.session.call<Job>('readJob', { id: params('id') })
  if (state === 'Open' || state === 'InProgress')
    throw new VendorError('INVALIDJOBSTATE', `Job state is ${state}; a job is deleted once it is closed`)
  api.session.call('deleteJob', { id: params('id') })
  return { status: 204 }
}

export const jobRoutes: readonly Route<ApiCall>[] = [
  { method: 'POST', path: '/jobs/ingest', handle: createIngest },
  { method: 'GET', path: '/jobs/ingest', handle: list('ingest') },
  { method: 'GET', path: '/jobs/ingest/:id', handle: info },
  { method: 'PATCH', path: '/jobs/ingest/:id', handle: changeIngest },
  { method: 'DELETE', path: '/jobs/ingest/:id', handle: remove },
  { method: 'PUT', path: '/jobs/ingest/:id/batches', handle: upload },
  { method: 'GET', path: '/jobs/ingest/:id/successfulResults', handle: results('successful') },
  { method: 'GET', path: '/jobs/ingest/:id/failedResults', handle: results('failed') },
  { method: 'GET', path: '/jobs/ingest/:id/unprocessedrecords', handle: results('unprocessed') },
  { method: 'POST', path: '/jobs/query', handle: createQuery },
  { method: 'GET', path: '/jobs/query', handle: list('query') },
  { method: 'GET', path: '/jobs/query/:id', handle: info },
  { method: 'GET', path: '/jobs/query/:id/results', handle: queryResults },
  {
    method: 'PATCH',
    path: '/jobs/query/:id',
    handle: (params, api) => ({
      status: 200,
      body: jobInfo(api, api.session.call('changeJob', { id: params('id'), changes: { state: 'Aborted' } })),
    }),
  },
  { method: 'DELETE', path: '/jobs/query/:id', handle: remove },
]
