import type { CassetteVersion, ModelWire } from '@diorama/contract'
import { type Kysely, sql, type Transaction } from 'kysely'
import { ApiError, notFound } from '../../http/api-error.ts'
import { BoundedCache } from '../../storage/bounded-cache.ts'
import { keysetPage } from '../../storage/pages.ts'
import type { ModelTables } from '../tables.ts'
import { nearestInWords } from './nearest.ts'
import { type CassetteEntry, pack, type Recording, unpack } from './recording.ts'

const maxIndexedEntries = 200_000
const maxCachedBytes = 64 * 1_048_576
/** Recorded requests that a miss is held against. */
const maxCompared = 300
const batch = 200
/** Runs that record one cassette at the same time. */
const maxWriters = 200

/** A version of a cassette that answers. */
export interface LoadedCassette {
  /** The recording of the same trial and turn, else another one of the same request. */
  find(
    sha256: string,
    place: { readonly scope: string; readonly ordinal: number },
  ): Promise<Recording | undefined>
  /** How the nearest recorded request differs, in words. */
  nearest(canonical: string, of: { operation: string; model: string | null }): Promise<string | undefined>
  wireOf(provider: string): ModelWire | undefined
}

export interface ResolvedVersion {
  readonly id: string
  readonly version: number
}

type Page = { readonly limit: number; readonly cursor?: string | undefined }
type Listed = { items: CassetteVersion[]; next_cursor: string | null }

/** Recorded model calls, by name and version. A version is written by one evaluation, or imported, and then never changes. */
export interface Cassettes {
  list(organizationId: string, page: Page): Promise<Listed>
  versions(organizationId: string, name: string, page: Page): Promise<Listed>
  remove(organizationId: string, name: string): Promise<void>
  /** The version that `name` or `name@version` means: without a number the newest one that no evaluation is writing. */
  resolve(organizationId: string, reference: string): Promise<ResolvedVersion | undefined>
  load(organizationId: string, versionId: string): Promise<LoadedCassette>
  /** Adds what a trial recorded to the version of its evaluation, which the first of them makes. */
  record(place: RecordPlace, entries: readonly CassetteEntry[]): Promise<void>
  entries(versionId: string, organizationId: string): Promise<CassetteEntry[]>
  import(
    place: Omit<RecordPlace, 'jobId' | 'baseId'>,
    entries: readonly CassetteEntry[],
  ): Promise<CassetteVersion>
}

export interface RecordPlace {
  readonly organizationId: string
  readonly name: string
  readonly jobId: string
  /** A version whose entries the new one has too. */
  readonly baseId: string | null
  readonly by: string
}

/** What cassettes must know of evaluations. */
export interface CassetteRuns {
  /** Those of the evaluations that have not ended. */
  unfinished(jobIds: readonly string[]): Promise<ReadonlySet<string>>
  /** Whether an evaluation that has not ended records or replays the cassette. */
  isUsed(organizationId: string, cassette: string): Promise<boolean>
}

export interface CassetteDeps {
  readonly db: Kysely<ModelTables>
  readonly runs: CassetteRuns
  readonly now: () => number
  readonly makeId: (prefix: string) => string
}

type EntryRow = ModelTables['cassette_entries']

export const createCassettes = ({ db, runs, now, makeId }: CassetteDeps): Cassettes => {
  const indexes = new BoundedCache<Promise<readonly EntryRow[]>>({ most: 64 })
  const recordings = new BoundedCache<{ recording: Recording; bytes: number }>({
    most: maxCachedBytes,
    weigh: ({ bytes }) => bytes,
  })

  const recordingOf = async (organizationId: string, sha256: string): Promise<Recording> => {
    const key = `${organizationId} ${sha256}`
    const there = recordings.get(key)
    if (there) return there.recording
    const row = await db
      .selectFrom('model_recordings')
      .select('data')
      .where('organization_id', '=', organizationId)
      .where('sha256', '=', sha256)
      .executeTakeFirstOrThrow()
    const recording = unpack(row.data)
    recordings.set(key, { recording, bytes: row.data.length * 4 })
    return recording
  }

  const rowsOf = (versionId: string): Promise<readonly EntryRow[]> => {
    const there = indexes.get(versionId)
    if (there) return there
    const reading = db
      .selectFrom('cassette_entries')
      .selectAll()
      .where('version_id', '=', versionId)
      .orderBy('scope')
      .orderBy('ordinal')
      .limit(maxIndexedEntries)
      .execute()
    indexes.set(versionId, reading)
    reading.catch(() => indexes.delete(versionId))
    return reading
  }

  /** Makes the version that an evaluation or an import writes, under the lock of the name; or finds the evaluation's. */
  const versionIn = async (
    trx: Transaction<ModelTables>,
    { organizationId, name, jobId, baseId, by }: Omit<RecordPlace, 'jobId'> & { jobId: string | null },
  ): Promise<{ id: string; version: number }> => {
    await sql`select pg_advisory_xact_lock(hashtextextended(${`cassette ${organizationId} ${name}`}, 0))`.execute(
      trx,
    )
    const versions = trx
      .selectFrom('cassette_versions')
      .select(['id', 'version'])
      .where('organization_id', '=', organizationId)
    const there = jobId === null ? undefined : await versions.where('job_id', '=', jobId).executeTakeFirst()
    if (there) return there
    const last = await versions.where('name', '=', name).orderBy('version', 'desc').executeTakeFirst()
    const id = makeId('cas')
    const version = (last?.version ?? 0) + 1
    await trx
      .insertInto('cassette_versions')
      .values({
        ...{ id, organization_id: organizationId, name, version, job_id: jobId, created_by: by },
        created_at: new Date(now()),
      })
      .execute()
    if (baseId !== null)
      await sql`insert into cassette_entries select ${id}, request_sha256, scope, ordinal, recording_sha256, provider,
        wire, operation, model from cassette_entries where version_id = ${baseId}`.execute(trx)
    return { id, version }
  }

  const find = async (organizationId: string, name: string, version?: number) => {
    const query = db
      .selectFrom('cassette_versions')
      .select(['id', 'version', 'job_id'])
      .where('organization_id', '=', organizationId)
      .where('name', '=', name)
      .orderBy('version', 'desc')
    if (version !== undefined) return query.where('version', '=', version).executeTakeFirst()
    const newest = await query.limit(maxWriters).execute()
    const open = await runs.unfinished(newest.flatMap(({ job_id }) => job_id ?? []))
    return newest.find(({ job_id }) => job_id === null || !open.has(job_id))
  }

  return {
    list: (organizationId, page) => listed({ db, runs }, { organizationId, newest: true }, page),
    versions: async (organizationId, name, page) => {
      const found = await listed({ db, runs }, { organizationId, name }, page)
      if (found.items.length === 0 && page.cursor === undefined) throw notFound('cassette')
      return found
    },
    remove: (organizationId, name) => removeCassette({ db, runs }, organizationId, name),
    resolve: (organizationId, reference) => {
      const [name = '', version] = reference.split('@')
      return find(organizationId, name, version === undefined ? undefined : Number(version))
    },
    load: async (organizationId, versionId) => {
      const rows = await rowsOf(versionId)
      const byRequest = Map.groupBy(rows, ({ request_sha256 }) => request_sha256)
      return {
        find: async (sha256, place) => {
          const row = bestOf(byRequest.get(sha256) ?? [], place)
          return row && recordingOf(organizationId, row.recording_sha256)
        },
        nearest: async (canonical, { operation, model }) => {
          const alike = rows.filter((row) => row.operation === operation)
          const same = alike.filter((row) => row.model === model)
          const compared = (same.length > 0 ? same : alike).slice(0, maxCompared)
          const unique = [...new Set(compared.map(({ recording_sha256 }) => recording_sha256))]
          const requests: string[] = []
          for (const one of unique) requests.push((await recordingOf(organizationId, one)).request)
          return nearestInWords(requests, canonical)
        },
        wireOf: (provider) => rows.find((row) => row.provider === provider)?.wire as ModelWire | undefined,
      }
    },
    record: async (place, entries) => {
      if (entries.length === 0) return
      await db.transaction().execute(async (trx) => {
        const { id } = await versionIn(trx, place)
        await writeEntries(trx, { versionId: id, organizationId: place.organizationId }, entries)
      })
    },
    entries: async (versionId, organizationId) => {
      const found: CassetteEntry[] = []
      for (const row of await rowsOf(versionId))
        found.push({
          requestSha256: row.request_sha256,
          scope: row.scope,
          ordinal: row.ordinal,
          recording: await recordingOf(organizationId, row.recording_sha256),
        })
      return found
    },
    import: async (place, entries) => {
      const { version } = await db.transaction().execute(async (trx) => {
        const made = await versionIn(trx, { ...place, jobId: null, baseId: null })
        await writeEntries(trx, { versionId: made.id, organizationId: place.organizationId }, entries)
        return made
      })
      const { items } = await listed({ db, runs }, { ...place, version }, { limit: 1 })
      const [made] = items
      if (!made) throw notFound('cassette')
      return made
    },
  }
}

/** Of the recordings of a request: the same trial's of the same turn, its last one, or that of the first trial. */
const bestOf = (
  rows: readonly EntryRow[],
  { scope, ordinal }: { readonly scope: string; readonly ordinal: number },
): EntryRow | undefined => {
  const own = rows.filter((row) => row.scope === scope)
  const from = own.length > 0 ? own : rows
  return from.find((row) => row.ordinal === ordinal) ?? from.at(-1)
}

const writeEntries = async (
  trx: Transaction<ModelTables>,
  { versionId, organizationId }: { versionId: string; organizationId: string },
  entries: readonly CassetteEntry[],
): Promise<void> => {
  const packed = entries.map((entry) => ({ entry, ...pack(entry.recording) }))
  // The last one of a place counts: a trial that ran again recorded again.
  const places = new Map(
    packed.map((one) => [`${one.entry.requestSha256} ${one.entry.ordinal} ${one.entry.scope}`, one]),
  )
  const unique = [...places.values()].sort((a, b) => (a.sha256 < b.sha256 ? -1 : 1))
  for (let at = 0; at < unique.length; at += batch) {
    const some = unique.slice(at, at + batch)
    const bodies = new Map(some.map(({ sha256, data }) => [sha256, data]))
    await trx
      .insertInto('model_recordings')
      .values([...bodies].map(([sha256, data]) => ({ organization_id: organizationId, sha256, data })))
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    await trx
      .insertInto('cassette_entries')
      .values(
        some.map(({ entry, sha256 }) => ({
          ...{ version_id: versionId, request_sha256: entry.requestSha256, scope: entry.scope },
          ...{ ordinal: entry.ordinal, recording_sha256: sha256, provider: entry.recording.provider },
          ...{
            wire: entry.recording.wire,
            operation: entry.recording.operation,
            model: entry.recording.model,
          },
        })),
      )
      .onConflict((conflict) =>
        conflict
          .columns(['version_id', 'request_sha256', 'scope', 'ordinal'])
          .doUpdateSet((eb) => ({ recording_sha256: eb.ref('excluded.recording_sha256') })),
      )
      .execute()
  }
}

type ListDeps = Pick<CassetteDeps, 'db' | 'runs'>

const listed = async (
  { db, runs }: ListDeps,
  wanted: { organizationId: string; name?: string; version?: number; newest?: boolean },
  page: Page,
): Promise<Listed> => {
  let query = db
    .selectFrom('cassette_versions')
    .selectAll()
    .select((eb) => [
      eb
        .selectFrom('cassette_entries')
        .select((inner) => inner.fn.countAll<number>().as('count'))
        .whereRef('cassette_entries.version_id', '=', 'cassette_versions.id')
        .as('entries'),
    ])
    .where('organization_id', '=', wanted.organizationId)
  if (wanted.name !== undefined) query = query.where('name', '=', wanted.name)
  if (wanted.version !== undefined) query = query.where('version', '=', wanted.version)
  if (wanted.newest)
    query = query.where(
      sql<boolean>`not exists (select 1 from cassette_versions l where l.organization_id = cassette_versions.organization_id
        and l.name = cassette_versions.name and l.version > cassette_versions.version)`,
    )
  const { items, nextCursor } = await keysetPage(query, {
    column: 'created_at',
    ...page,
    position: (row) => ({ at: row.created_at, id: row.id }),
  })
  const open = await runs.unfinished(items.flatMap(({ job_id }) => job_id ?? []))
  return {
    items: items.map((row) => ({
      ...{ name: row.name, version: row.version, job_id: row.job_id },
      open: row.job_id !== null && open.has(row.job_id),
      entries: Number(row.entries ?? 0),
      created_at: row.created_at.toISOString(),
    })),
    next_cursor: nextCursor,
  }
}

const removeCassette = async (
  { db, runs }: ListDeps,
  organizationId: string,
  name: string,
): Promise<void> => {
  if (await runs.isUsed(organizationId, name))
    throw new ApiError('conflict', `An evaluation that has not ended uses the cassette ${name}.`)
  await db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(hashtextextended(${`cassette ${organizationId} ${name}`}, 0))`.execute(
      trx,
    )
    const { numDeletedRows } = await trx
      .deleteFrom('cassette_versions')
      .where('organization_id', '=', organizationId)
      .where('name', '=', name)
      .executeTakeFirst()
    if (numDeletedRows === 0n) throw notFound('cassette')
    await sql`delete from model_recordings r where r.organization_id = ${organizationId} and not exists (
      select 1 from cassette_entries e join cassette_versions v on v.id = e.version_id
      where v.organization_id = r.organization_id and e.recording_sha256 = r.sha256)`.execute(trx)
  })
}
