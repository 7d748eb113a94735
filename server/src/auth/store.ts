import {
  type ApiKey,
  defaultLimits,
  KeyClass,
  type Limits,
  Limits as LimitsSchema,
  type Organization,
  Scope,
} from '@diorama/contract'
import { type Kysely, type Selectable, sql } from 'kysely'
import { z } from 'zod'
import { keysetPage, type Page } from '../storage/pages.ts'
import type { AuthTables } from './tables.ts'

export type KeyRow = Selectable<AuthTables['api_keys']>
type OrganizationRow = Selectable<AuthTables['organizations']>

export interface NewKey {
  readonly id: string
  readonly organizationId: string
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly class: KeyClass
  readonly secretHash: Buffer
  readonly expiresAt: Date | null
  readonly requestsPerMinute: number | null
  readonly createdAt: Date
}

export interface AuthStore {
  readonly insertOrganization: (
    organization: { id: string; name: string; limits: Limits; createdAt: Date },
    key: NewKey,
  ) => Promise<void>
  readonly findOrganization: (id: string) => Promise<Organization | undefined>
  readonly anyOrganization: () => Promise<boolean>
  readonly listOrganizations: (page: {
    limit: number
    cursor?: string | undefined
  }) => Promise<Page<Organization>>
  readonly databaseBytes: () => Promise<number>
  readonly updateOrganization: (
    id: string,
    change: { name?: string | undefined; limits?: Limits | undefined },
  ) => Promise<Organization | undefined>
  readonly insertKey: (key: NewKey) => Promise<unknown>
  readonly findKey: (organizationId: string, id: string) => Promise<ApiKey | undefined>
  /** A key with its organization, by the hash of its secret. */
  readonly findBySecret: (
    secretHash: Buffer,
  ) => Promise<{ key: KeyRow; organization: Organization } | undefined>
  readonly listKeys: (
    organizationId: string,
    page: { limit: number; cursor?: string | undefined },
  ) => Promise<Page<ApiKey>>
  /** Says whether a working key was revoked. */
  readonly revokeKey: (organizationId: string, id: string, at: Date) => Promise<boolean>
  readonly touchKeys: (used: ReadonlyMap<string, Date>) => Promise<void>
}

/** The SQL of organizations and keys. */
export const authStore = ({ db }: { readonly db: Kysely<AuthTables> }): AuthStore => ({
  insertOrganization: async (
    organization: { id: string; name: string; limits: Limits; createdAt: Date },
    key: NewKey,
  ) => {
    await db.transaction().execute(async (trx) => {
      await trx
        .insertInto('organizations')
        .values({
          id: organization.id,
          name: organization.name,
          limits: JSON.stringify(organization.limits),
          created_at: organization.createdAt,
        })
        .execute()
      await trx.insertInto('api_keys').values(keyValues(key)).execute()
    })
  },

  findOrganization: async (id: string): Promise<Organization | undefined> => {
    const row = await db.selectFrom('organizations').selectAll().where('id', '=', id).executeTakeFirst()
    return row && toOrganization(row)
  },

  anyOrganization: async (): Promise<boolean> =>
    (await db.selectFrom('organizations').select('id').limit(1).executeTakeFirst()) !== undefined,

  listOrganizations: async (page: {
    limit: number
    cursor?: string | undefined
  }): Promise<Page<Organization>> => {
    const { items, nextCursor } = await keysetPage(db.selectFrom('organizations').selectAll(), {
      column: 'created_at',
      ...page,
      position: (row) => ({ at: row.created_at, id: row.id }),
    })
    return { items: items.map(toOrganization), nextCursor }
  },

  databaseBytes: async (): Promise<number> => {
    const { rows } = await sql<{
      bytes: string
    }>`select pg_database_size(current_database()) as bytes`.execute(db)
    return Number(rows[0]?.bytes ?? 0)
  },

  updateOrganization: async (
    id: string,
    change: { name?: string | undefined; limits?: Limits | undefined },
  ) => {
    const row = await db
      .updateTable('organizations')
      .set({
        id,
        ...(change.name === undefined ? {} : { name: change.name }),
        ...(change.limits === undefined ? {} : { limits: JSON.stringify(change.limits) }),
      })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirst()
    return row && toOrganization(row)
  },

  insertKey: (key: NewKey) => db.insertInto('api_keys').values(keyValues(key)).execute(),

  findKey: async (organizationId: string, id: string): Promise<ApiKey | undefined> => {
    const row = await db
      .selectFrom('api_keys')
      .selectAll()
      .where('organization_id', '=', organizationId)
      .where('id', '=', id)
      .executeTakeFirst()
    return row && toKey(row)
  },

  findBySecret: async (
    secretHash: Buffer,
  ): Promise<{ key: KeyRow; organization: Organization } | undefined> => {
    const key = await db
      .selectFrom('api_keys')
      .selectAll()
      .where('secret_hash', '=', secretHash)
      .executeTakeFirst()
    if (!key) return undefined
    const row = await db
      .selectFrom('organizations')
      .selectAll()
      .where('id', '=', key.organization_id)
      .executeTakeFirst()
    return row && { key, organization: toOrganization(row) }
  },

  listKeys: async (
    organizationId: string,
    page: { limit: number; cursor?: string | undefined },
  ): Promise<Page<ApiKey>> => {
    const query = db.selectFrom('api_keys').selectAll().where('organization_id', '=', organizationId)
    const { items, nextCursor } = await keysetPage(query, {
      column: 'created_at',
      ...page,
      position: (row) => ({ at: row.created_at, id: row.id }),
    })
    return { items: items.map(toKey), nextCursor }
  },

  revokeKey: async (organizationId: string, id: string, at: Date): Promise<boolean> => {
    const done = await db
      .updateTable('api_keys')
      .set({ revoked_at: at })
      .where('organization_id', '=', organizationId)
      .where('id', '=', id)
      .where('revoked_at', 'is', null)
      .executeTakeFirst()
    return done.numUpdatedRows > 0n
  },

  touchKeys: async (used: ReadonlyMap<string, Date>): Promise<void> => {
    for (const [id, at] of used)
      await db.updateTable('api_keys').set({ last_used_at: at }).where('id', '=', id).execute()
  },
})

const keyValues = (key: NewKey) => ({
  id: key.id,
  organization_id: key.organizationId,
  name: key.name,
  scopes: [...key.scopes],
  class: key.class,
  secret_hash: key.secretHash,
  created_at: key.createdAt,
  expires_at: key.expiresAt,
  revoked_at: null,
  last_used_at: null,
  requests_per_minute: key.requestsPerMinute,
})

const toOrganization = (row: OrganizationRow): Organization => ({
  id: row.id,
  name: row.name,
  limits: LimitsSchema.parse({ ...defaultLimits, ...row.limits }),
  created_at: row.created_at.toISOString(),
})

const Scopes = z.array(Scope).catch([])

export const toKey = (row: KeyRow): ApiKey => ({
  id: row.id,
  name: row.name,
  scopes: Scopes.parse(row.scopes),
  class: KeyClass.parse(row.class),
  created_at: row.created_at.toISOString(),
  expires_at: row.expires_at?.toISOString() ?? null,
  revoked_at: row.revoked_at?.toISOString() ?? null,
  last_used_at: row.last_used_at?.toISOString() ?? null,
  requests_per_minute: row.requests_per_minute,
})
