import { type Call, type Operation, operation } from '@diorama/twin-kit/kernel/twin'
import { nativeMoment } from '../dates.ts'
import { accessOf } from '../records/access/access.ts'
import { visibleSchema } from '../records/access/visible.ts'
import { noResource } from '../records/refusals.ts'
import type { Schema, SchemaIn } from '../schema/schema.ts'
import { describeGlobal, describeObject, latestVersion, versions } from '../shapes/describe.ts'
import type { Json } from '../soql/project.ts'
import { type BinRow, binTable, type CrmTables, tableOf } from '../tables.ts'

/** What an organization says about itself. */
export const metadataOperations = (schemaIn: SchemaIn): Readonly<Record<string, Operation>> => ({
  versions: operation<CrmTables, unknown, unknown>({ effect: 'read', run: () => versions() }),
  describeGlobal: operation<CrmTables, { version: string }, Json>({
    effect: 'read',
    run: (call, { version }) => describeGlobal(seenBy(schemaIn(call.tables), call), version),
  }),
  describeSObject: operation<CrmTables, { object: string; version: string }, Json>({
    effect: 'read',
    run: (call, { object, version }) => {
      const found = seenBy(schemaIn(call.tables), call).object(object)
      if (!found || found.name === 'Name') throw noResource(object)
      const recordTypes = [...(call.tables.RecordType?.all() ?? [])].filter(
        ({ SobjectType }) => SobjectType === found.name,
      )
      return describeObject(found, version, recordTypes)
    },
  }),
  limits: operation<CrmTables, { used: number }, Json>({
    effect: 'read',
    run: (call, { used }) => {
      const records = schemaIn(call.tables).objects.reduce(
        (sum, { name }) => sum + (call.tables[name]?.size() ?? 0),
        0,
      )
      const megabytes = Math.ceil(records / 512)
      return Object.fromEntries(
        Object.entries(limits(used, megabytes)).map(([name, [max, left]]) => [
          name,
          { Max: max, Remaining: Math.max(0, left) },
        ]),
      )
    },
  }),
  recordCount: operation<CrmTables, { objects: readonly string[] }, Json>({
    effect: 'read',
    run: (call, { objects }) => {
      const seen = seenBy(schemaIn(call.tables), call)
      const wanted = objects.length > 0 ? objects : seen.objects.map(({ name }) => name)
      return {
        sObjects: wanted.flatMap((name) => {
          const object = seen.object(name)
          const count = object && call.tables[object.name]?.size()
          return object && count !== undefined && (objects.length > 0 || count > 0)
            ? [{ count, name: object.name }]
            : []
        }),
      }
    },
  }),
  getUpdated: operation<CrmTables, Window, Json>({
    effect: 'read',
    run: (call, { object, start, end }) => {
      const schema = schemaIn(call.tables)
      const { name } = named(schema, object)
      const [from, to] = [nativeMoment(start), nativeMoment(end)]
      const { canRead } = accessOf(schema, call.tables, call.actor?.id ?? '')
      const ids = [...tableOf(call.tables, name).all()]
        .filter((row) => canRead(named(schema, object), row))
        .filter((row) => String(row.SystemModstamp) >= from && String(row.SystemModstamp) < to)
        .map((row) => String(row.Id))
      return { ids, latestDateCovered: nativeMoment(Math.min(end, call.now)) }
    },
  }),
  getDeleted: operation<CrmTables, Window, Json>({
    effect: 'read',
    run: (call, { object, start, end }) => {
      const schema = schemaIn(call.tables)
      const { name } = named(schema, object)
      const [from, to] = [nativeMoment(start), nativeMoment(end)]
      const bin = [...tableOf(call.tables, binTable).find('object', name)] as BinRow[]
      const { canRead } = accessOf(schema, call.tables, call.actor?.id ?? '')
      const deleted = bin.filter(
        ({ at, row }) => at >= from && at < to && canRead(named(schema, object), row),
      )
      return {
        deletedRecords: deleted.map(({ Id, at }) => ({ deletedDate: at, id: Id })),
        earliestDateAvailable: nativeMoment(call.now - 30 * 86_400_000),
        latestDateCovered: nativeMoment(Math.min(end, call.now)),
      }
    },
  }),
})

/** The schema as the caller sees it. */
const seenBy = (schema: Schema, { tables, actor }: Call<CrmTables>): Schema =>
  visibleSchema(schema, accessOf(schema, tables, actor?.id ?? ''))

interface Window {
  readonly object: string
  readonly start: number
  readonly end: number
}

const named = (schema: Schema, object: string) => {
  const found = schema.object(object)
  if (!found?.replicateable) throw noResource(found ? undefined : object)
  return found
}

export const dailyRequests = 15_000

const limits = (used: number, megabytes: number): Record<string, [number, number]> => ({
  ActiveScratchOrgs: [0, 0],
  ConcurrentAsyncGetReportInstances: [200, 200],
  ConcurrentSyncReportRuns: [20, 20],
  DailyApiRequests: [dailyRequests, dailyRequests - used],
  DailyAsyncApexExecutions: [250_000, 250_000],
  DailyBulkApiBatches: [15_000, 15_000],
  DailyBulkV2QueryFileStorageMB: [976_562, 976_562],
  DailyBulkV2QueryJobs: [10_000, 10_000],
  DailyGenericStreamingApiEvents: [10_000, 10_000],
  DailyStreamingApiEvents: [10_000, 10_000],
  DailyWorkflowEmails: [1_000, 1_000],
  DataStorageMB: [10_240, 10_240 - megabytes],
  FileStorageMB: [10_240, 10_240],
  HourlyODataCallout: [1_000, 1_000],
  HourlyTimeBasedWorkflow: [1_000, 1_000],
  MassEmail: [5_000, 5_000],
  PermissionSets: [1_500, 1_500],
  SingleEmail: [5_000, 5_000],
  StreamingApiConcurrentClients: [1_000, 1_000],
})

export { latestVersion }
