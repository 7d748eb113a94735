import type { AgentSecret } from '@diorama/contract'
import { type Kysely, type Selectable, sql } from 'kysely'
import { ApiError, notFound } from '../../http/api-error.ts'
import { keysetPage } from '../../storage/pages.ts'
import type { Sealing } from '../../storage/secrets/sealing.ts'
import type { AgentTables } from '../tables.ts'

const maxSecrets = 200

export interface SecretDeps {
  readonly db: Kysely<AgentTables>
  readonly sealing: Sealing
  readonly now: () => number
}

type SecretRow = Selectable<AgentTables['agent_secrets']>

/** Secrets of an organization: sealed at rest, opened only for a sandbox that an agent's version is started in. */
export interface Secrets {
  list(
    organizationId: string,
    page: { limit: number; cursor?: string | undefined },
  ): Promise<{ items: AgentSecret[]; nextCursor: string | null }>
  put(
    organizationId: string,
    secret: { name: string; value: string; description: string; createdBy: string },
  ): Promise<AgentSecret>
  remove(organizationId: string, name: string): Promise<void>
  /** Variables with the values of the secrets they name, or the first name that there is no secret for. */
  variables(
    organizationId: string,
    wanted: Readonly<Record<string, string>>,
  ): Promise<{ readonly env: Readonly<Record<string, string>> } | { readonly missing: string }>
}

export const createSecrets = ({ db, sealing, now }: SecretDeps): Secrets => {
  // The context is authenticated, so a value that is copied to another row does not open there.
  const contextOf = (organizationId: string, name: string) => `agent secret ${organizationId} ${name}`

  return {
    list: async (organizationId, page) => {
      const query = db.selectFrom('agent_secrets').selectAll().where('organization_id', '=', organizationId)
      const { items, nextCursor } = await keysetPage(query, {
        column: 'created_at',
        ...page,
        position: (row) => ({ at: row.created_at, id: row.id }),
      })
      return { items: items.map(toSecret), nextCursor }
    },
    put: async (organizationId, { name, value, description, createdBy }) => {
      const at = new Date(now())
      const sealed = sealing.seal(value, contextOf(organizationId, name))
      const row = await db.transaction().execute(async (trx) => {
        await sql`select pg_advisory_xact_lock(hashtextextended(${`secrets ${organizationId}`}, 0))`.execute(
          trx,
        )
        const { others } = await trx
          .selectFrom('agent_secrets')
          .select((eb) => eb.fn.countAll<number>().as('others'))
          .where('organization_id', '=', organizationId)
          .where('name', '<>', name)
          .executeTakeFirstOrThrow()
        if (Number(others) >= maxSecrets)
          throw new ApiError('limit_exceeded', `An organization has at most ${maxSecrets} secrets.`)
        return trx
          .insertInto('agent_secrets')
          .values({
            id: `${organizationId} ${name}`,
            organization_id: organizationId,
            name,
            description,
            sealed,
            created_by: createdBy,
            created_at: at,
            updated_at: at,
          })
          .onConflict((conflict) =>
            conflict.column('id').doUpdateSet({ sealed, description, updated_at: at }),
          )
          .returningAll()
          .executeTakeFirstOrThrow()
      })
      return toSecret(row)
    },
    remove: async (organizationId, name) => {
      const { numDeletedRows } = await db
        .deleteFrom('agent_secrets')
        .where('organization_id', '=', organizationId)
        .where('name', '=', name)
        .executeTakeFirst()
      if (numDeletedRows === 0n) throw notFound('secret')
    },
    variables: async (organizationId, wanted) => {
      const names = [...new Set(Object.values(wanted))]
      if (names.length === 0) return { env: {} }
      const rows = await db
        .selectFrom('agent_secrets')
        .select(['name', 'sealed'])
        .where('organization_id', '=', organizationId)
        .where('name', 'in', names)
        .execute()
      const values = new Map(
        rows.map(({ name, sealed }) => [name, sealing.open(sealed, contextOf(organizationId, name))]),
      )
      const missing = names.find((name) => !values.has(name))
      if (missing !== undefined) return { missing }
      return {
        env: Object.fromEntries(
          Object.entries(wanted).map(([variable, name]) => [variable, values.get(name) ?? '']),
        ),
      }
    },
  }
}

const toSecret = (row: SecretRow): AgentSecret => ({
  name: row.name,
  description: row.description,
  created_by: row.created_by,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
})
