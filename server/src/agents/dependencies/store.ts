import { InstalledDependencies } from '@diorama/contract'
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely'
import type { AgentTables } from '../tables.ts'

type Connection = Kysely<AgentTables> | Transaction<AgentTables>
export type DependencyRow = Selectable<AgentTables['agent_dependencies']>

export interface InstallationKey {
  readonly organizationId: string
  readonly lockSha256: string
  readonly platform: string
}

export interface InstallationEnd {
  readonly status: 'ready' | 'failed'
  readonly error: string | null
  readonly log: string
  readonly archive: { readonly sha256: string; readonly size: number } | null
}

export interface DependencyStore {
  /** Queues an installation where there is none for any of the platforms, or only failed ones. */
  readonly request: (key: Omit<InstallationKey, 'platform'>, at: Date) => Promise<void>
  /** Queues an installation for one platform where there is none. */
  readonly requestFor: (key: InstallationKey, at: Date) => Promise<void>
  readonly find: (key: InstallationKey) => Promise<DependencyRow | undefined>
  /** The newest installation of each lock. */
  readonly shown: (organizationId: string, lockSha256: string) => Promise<InstalledDependencies | undefined>
  /** Whether anything waits to be installed. */
  readonly hasOpen: () => Promise<boolean>
  /** Takes up the next one that this platform can install; organizations take turns. */
  readonly claim: (claim: Claim) => Promise<DependencyRow | undefined>
  /** Keeps a claim; false when it was lost. */
  readonly renew: (key: InstallationKey, claim: string, until: Date) => Promise<boolean>
  /** Writes the end of an installation; false when the claim was lost. */
  readonly finish: (
    key: InstallationKey,
    claim: string,
    end: InstallationEnd & { at: Date },
  ) => Promise<boolean>
  readonly release: (key: InstallationKey, claim: string) => Promise<void>
  readonly touch: (key: InstallationKey, at: Date) => Promise<void>
  /** What an organization must give up, least recently used first, so that the rest fits. */
  readonly beyond: (organizationId: string, quotaBytes: number) => Promise<readonly InstallationKey[]>
  readonly remove: (key: InstallationKey) => Promise<void>
}

export interface Claim {
  readonly platform: string
  readonly claim: string
  readonly at: Date
  readonly until: Date
  readonly maxAttempts: number
}

/** The SQL of installations. */
export const dependencyStore = (db: Connection): DependencyStore => {
  const at = ({ organizationId, lockSha256, platform }: InstallationKey) =>
    ({ organization_id: organizationId, lock_sha256: lockSha256, platform }) as const
  const queued = (key: InstallationKey, time: Date) => ({
    ...at(key),
    status: 'queued',
    created_at: time,
    updated_at: time,
    used_at: time,
    log: '',
    attempts: 0,
  })
  const insert = async (key: InstallationKey, time: Date): Promise<void> => {
    await db
      .insertInto('agent_dependencies')
      .values(queued(key, time))
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }
  return {
    request: async ({ organizationId, lockSha256 }, time) => {
      await db
        .updateTable('agent_dependencies')
        .set({ status: 'queued', error: null, attempts: 0, created_at: time, updated_at: time })
        .where('organization_id', '=', organizationId)
        .where('lock_sha256', '=', lockSha256)
        .where('status', '=', 'failed')
        .execute()
      const there = await db
        .selectFrom('agent_dependencies')
        .select('platform')
        .where('organization_id', '=', organizationId)
        .where('lock_sha256', '=', lockSha256)
        .limit(1)
        .executeTakeFirst()
      if (!there) await insert({ organizationId, lockSha256, platform: '' }, time)
    },
    requestFor: insert,
    find: (key) =>
      db
        .selectFrom('agent_dependencies')
        .selectAll()
        .where((eb) => eb.and(at(key)))
        .executeTakeFirst(),
    shown: async (organizationId, lockSha256) => {
      const row = await db
        .selectFrom('agent_dependencies')
        .selectAll()
        .where('organization_id', '=', organizationId)
        .where('lock_sha256', '=', lockSha256)
        .orderBy('updated_at', 'desc')
        .limit(1)
        .executeTakeFirst()
      return row && toShown(row)
    },
    hasOpen: async () => {
      const open = await db
        .selectFrom('agent_dependencies')
        .select('platform')
        .where('status', 'in', ['queued', 'installing'])
        .limit(1)
        .executeTakeFirst()
      return open !== undefined
    },
    claim: async ({ platform, claim, at: time, until, maxAttempts }) => {
      await exhausted(db, maxAttempts, time)
      const { rows } = await sql<DependencyRow>`
        update agent_dependencies set status = 'installing', platform = ${platform}, claim = ${claim},
          claimed_until = ${until}, attempts = attempts + 1, updated_at = ${time}, log = ''
        where (organization_id, lock_sha256, platform) in (
          select organization_id, lock_sha256, platform from agent_dependencies as next
          where (status = 'queued' or (status = 'installing' and claimed_until < ${time}))
            and (platform = ${platform} or (platform = '' and not exists (
              select 1 from agent_dependencies as same where same.organization_id = next.organization_id
                and same.lock_sha256 = next.lock_sha256 and same.platform = ${platform})))
          order by (select max(updated_at) from agent_dependencies as last
            where last.organization_id = next.organization_id and last.status <> 'queued') nulls first, created_at
          limit 1 for update skip locked)
        returning *`.execute(db)
      return rows[0]
    },
    renew: async (key, claim, until) => {
      const renewed = await db
        .updateTable('agent_dependencies')
        .set({ claimed_until: until })
        .where((eb) => eb.and({ ...at(key), claim }))
        .executeTakeFirst()
      return renewed.numUpdatedRows > 0n
    },
    finish: async (key, claim, { status, error, log, archive, at: time }) => {
      const done = await db
        .updateTable('agent_dependencies')
        .set({
          ...{ status, error, log, claim: null, claimed_until: null, updated_at: time, used_at: time },
          ...{ archive_sha256: archive?.sha256 ?? null, size: archive?.size ?? null },
        })
        .where((eb) => eb.and({ ...at(key), claim }))
        .executeTakeFirst()
      return done.numUpdatedRows > 0n
    },
    release: async (key, claim) => {
      await db
        .updateTable('agent_dependencies')
        .set({ status: 'queued', claim: null, claimed_until: null })
        .where((eb) => eb.and({ ...at(key), claim }))
        .execute()
    },
    touch: async (key, time) => {
      await db
        .updateTable('agent_dependencies')
        .set({ used_at: time })
        .where((eb) => eb.and(at(key)))
        .execute()
    },
    beyond: async (organizationId, quotaBytes) => {
      const { rows } = await sql<{ lock_sha256: string; platform: string }>`
        select lock_sha256, platform from (
          select lock_sha256, platform, sum(size) over (order by used_at desc, lock_sha256, platform) as held
          from agent_dependencies where organization_id = ${organizationId} and status = 'ready'
        ) as newest where held > ${quotaBytes}`.execute(db)
      return rows.map(({ lock_sha256, platform }) => ({ organizationId, lockSha256: lock_sha256, platform }))
    },
    remove: async (key) => {
      await db
        .deleteFrom('agent_dependencies')
        .where((eb) => eb.and(at(key)))
        .execute()
    },
  }
}

/** A node that dies while it installs may have died of it. */
const exhausted = async (db: Connection, maxAttempts: number, at: Date): Promise<void> => {
  await db
    .updateTable('agent_dependencies')
    .set({
      status: 'failed',
      error: `The installation was begun ${maxAttempts} times and never ended.`,
      updated_at: at,
    })
    .where('status', '=', 'installing')
    .where('claimed_until', '<', at)
    .where('attempts', '>=', maxAttempts)
    .execute()
}

const toShown = (row: DependencyRow): InstalledDependencies => ({
  status: InstalledDependencies.shape.status.parse(row.status),
  error: row.error,
  log: row.log,
  lock_sha256: row.lock_sha256,
  platform: row.platform === '' ? null : row.platform,
  size: row.size === null ? null : Number(row.size),
  updated_at: row.updated_at.toISOString(),
})
