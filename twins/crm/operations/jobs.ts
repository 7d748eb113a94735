import type { Row } from '@diorama/twin-kit/kernel/table'
import { type Call, type Operation, operation, VendorError } from '@diorama/twin-kit/kernel/twin'
import { nativeSecond } from '../dates.ts'
import { makeId, podOf } from '../ids.ts'
import { noResource } from '../records/refusals.ts'
import type { Schema, SchemaIn } from '../schema/schema.ts'
import { type CrmTables, jobTable, tableOf } from '../tables.ts'

export interface Job extends Row {
  readonly id: string
  /** `ingest`, `query`, `bulk`, or `batch` and the id of its job. */
  readonly kind: string
  readonly object: string
  readonly operation: string
  readonly state: string
  readonly data: string
  readonly results: readonly JobResult[]
}

export interface JobResult {
  readonly id: string
  readonly created: boolean
  readonly error: string
  readonly line: readonly string[]
}

export type JobFields = Readonly<Record<string, string | number | undefined>>

const maxKeptJobs = 100

/** Bulk jobs: made, filled, started, and kept for their results. */
export const jobOperations = (schemaIn: SchemaIn): Readonly<Record<string, Operation>> => ({
  createJob: operation<CrmTables, { kind: string; fields: JobFields }, Job>({
    effect: 'write',
    run: (call, { kind, fields }) => createJob(schemaIn(call.tables), call, kind, fields),
  }),
  uploadJobData: operation<CrmTables, { id: string; data: string }, Job>({
    effect: 'write',
    run: (call, { id, data }) => {
      const job = jobNamed(call, id)
      if (job.state !== 'Open')
        throw new VendorError(
          'INVALIDJOBSTATE',
          `Found multiple contents for job: <${job.id}>, please 'Close' / 'Abort' / 'Delete' the current Job then create a new Job and make sure you only do 'PUT' once on a given Job.`,
        )
      return tableOf(call.tables, jobTable).update(job.id, { data: job.data + data }) as Job
    },
  }),
  changeJob: operation<CrmTables, { id: string; changes: JobFields & { results?: never } }, Job>({
    effect: 'write',
    run: (call, { id, changes }) => change(call, jobNamed(call, id), changes),
  }),
  finishJob: operation<
    CrmTables,
    { id: string; header: readonly string[]; results: readonly JobResult[] },
    Job
  >({
    effect: 'write',
    run: (call, { id, header, results }) =>
      change(call, jobNamed(call, id), {
        state: 'JobComplete',
        header,
        results,
        data: '',
        numberRecordsProcessed: results.length,
        numberRecordsFailed: results.filter(({ error }) => error !== '').length,
      }),
  }),
  deleteJob: operation<CrmTables, { id: string }>({
    effect: 'write',
    run: (call, { id }) => tableOf(call.tables, jobTable).delete(jobNamed(call, id).id),
  }),
  readJob: operation<CrmTables, { id: string }, Job>({
    effect: 'read',
    run: (call, { id }) => jobNamed(call, id),
  }),
  listJobs: operation<CrmTables, { kind: string }, readonly Job[]>({
    effect: 'read',
    run: (call, { kind }) => [...tableOf(call.tables, jobTable).find('kind', kind)] as Job[],
  }),
})

const createJob = (schema: Schema, call: Call<CrmTables>, kind: string, fields: JobFields): Job => {
  const jobs = tableOf(call.tables, jobTable)
  for (const old of [...jobs.all()].slice(0, Math.max(0, jobs.size() - maxKeptJobs + 1)))
    jobs.delete(String(old.id))
  const [organization] = call.tables.Organization?.all() ?? []
  const id = makeId(
    kind.startsWith('batch') ? '751' : '750',
    podOf(String(organization?.Id)),
    call.sequence('job'),
  )
  const object = schema.object(String(fields.object ?? ''))
  return jobs.insert({
    id,
    kind,
    ...fields,
    object: object?.name ?? String(fields.object ?? ''),
    state: kind === 'query' ? 'UploadComplete' : 'Open',
    createdById: call.actor?.id ?? '',
    createdDate: nativeSecond(call.now),
    systemModstamp: nativeSecond(call.now),
    data: '',
    results: [],
    numberRecordsProcessed: 0,
    numberRecordsFailed: 0,
  }) as Job
}

const change = (call: Call<CrmTables>, job: Job, changes: Row): Job =>
  tableOf(call.tables, jobTable).update(job.id, { ...changes, systemModstamp: nativeSecond(call.now) }) as Job

const jobNamed = (call: Call<CrmTables>, id: string): Job => {
  const jobs = tableOf(call.tables, jobTable)
  const job = jobs.get(id) ?? [...jobs.all()].find((one) => String(one.id).slice(0, 15) === id)
  if (!job) throw noResource()
  return job as Job
}
