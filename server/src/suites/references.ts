import { type Kysely, sql } from 'kysely'
import type { FindReference } from '../storage/tables/references.ts'
import { transactionFor } from '../storage/tables/transaction.ts'
import type { SuiteTables } from './tables.ts'

/** A task, or a published version of a suite, that begins with a version. */
export const suiteReferences =
  (db: Kysely<SuiteTables>): FindReference =>
  async (organizationId, versionId, trx) => {
    const { rows } = await sql<{ found: string }>`
      select 'the task ' || id as found from tasks where environment_version_id = ${versionId}
      union all select 'version ' || number || ' of the suite ' || suite_id from suite_versions
        where organization_id = ${organizationId} and position(${versionId} in content::text) > 0
      limit 1`.execute(trx ? transactionFor<SuiteTables>(trx) : db)
    return rows[0]?.found
  }
