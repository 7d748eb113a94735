import type { Kysely } from 'kysely'
import type { FindReference } from '../storage/tables/references.ts'
import { transactionFor } from '../storage/tables/transaction.ts'
import type { EvaluationTables } from './tables.ts'

/** An evaluation whose tasks begin with a version. */
export const evaluationReferences =
  (db: Kysely<EvaluationTables>): FindReference =>
  async (_organizationId, versionId, trx) => {
    const found = await (trx ? transactionFor<EvaluationTables>(trx) : db)
      .selectFrom('eval_jobs')
      .select('id')
      .where('environment_version_id', '=', versionId)
      .limit(1)
      .executeTakeFirst()
    return found && `the evaluation ${found.id}`
  }
