import { type Kysely, sql } from 'kysely'
import type { EvaluationTables } from '../tables.ts'

/** What cassettes ask of evaluations. */
export interface CassetteQueries {
  /** Those of the evaluations that have not ended. */
  readonly unfinished: (jobIds: readonly string[]) => Promise<ReadonlySet<string>>
  /** Whether an evaluation that has not ended records or replays a cassette. */
  readonly isUsed: (organizationId: string, cassette: string) => Promise<boolean>
}

export const cassetteQueries = (db: Kysely<EvaluationTables>): CassetteQueries => ({
  unfinished: async (jobIds) => {
    if (jobIds.length === 0) return new Set()
    const query = db.selectFrom('eval_jobs').select('id').where('finished_at', 'is', null)
    const rows = await query.where('id', 'in', [...jobIds]).execute()
    return new Set(rows.map(({ id }) => id))
  },
  isUsed: async (organizationId, cassette) => {
    const row = await db
      .selectFrom('eval_jobs')
      .select('id')
      .where('organization_id', '=', organizationId)
      .where('finished_at', 'is', null)
      .where(sql<boolean>`split_part(models ->> 'cassette', '@', 1) = ${cassette}`)
      .executeTakeFirst()
    return row !== undefined
  },
})
