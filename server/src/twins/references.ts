import type { Kysely } from 'kysely'
import type { FindReference } from '../storage/tables/references.ts'
import { transactionFor } from '../storage/tables/transaction.ts'
import type { TwinTables } from './tables.ts'

/** A twin outside worlds that begins with a version of an environment. */
export const environmentTwins =
  (db: Kysely<TwinTables>): FindReference =>
  async (_organizationId, versionId, trx) => {
    const found = await (trx ? transactionFor<TwinTables>(trx) : db)
      .selectFrom('twins')
      .select('id')
      .where('environment_version_id', '=', versionId)
      .where('world_id', 'is', null)
      .limit(1)
      .executeTakeFirst()
    return found && `the twin ${found.id}`
  }

/** A world, or a twin outside worlds and trials, that begins with a version of a dataset. */
export const datasetTwins =
  (db: Kysely<TwinTables>): FindReference =>
  async (_organizationId, versionId, trx) => {
    const found = await (trx ? transactionFor<TwinTables>(trx) : db)
      .selectFrom('twins')
      .select(['id', 'world_id'])
      .where('dataset_version_id', '=', versionId)
      .where(({ eb }) => eb.or([eb('world_id', 'is not', null), eb('trial_id', 'is', null)]))
      .orderBy('world_id')
      .limit(1)
      .executeTakeFirst()
    return found && (found.world_id === null ? `the twin ${found.id}` : `the world ${found.world_id}`)
  }
