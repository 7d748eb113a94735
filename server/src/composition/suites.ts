import type { Kysely } from 'kysely'
import { openLibrary } from '../scoring/library.ts'
import { scorerHandlers } from '../scoring/routes.ts'
import { scorerStore } from '../scoring/store.ts'
import type { ScorerTables } from '../scoring/tables.ts'
import type { Database } from '../storage/schema.ts'
import { transactionFor } from '../storage/tables/transaction.ts'
import { openMaterialize } from '../suites/materialize.ts'
import { suiteHandlers } from '../suites/routes.ts'
import { suiteStore } from '../suites/store.ts'
import { openSuites } from '../suites/suites.ts'
import { worldStore } from '../worlds/store.ts'

export interface SuiteDeps {
  readonly db: Kysely<Database>
  readonly judgeModel: string | undefined
  readonly now: () => number
  readonly makeId: (prefix: string) => string
}

/** Puts suites and the scorer library together. */
export const composeSuites = ({ db, judgeModel, now, makeId }: SuiteDeps) => {
  const worlds = worldStore(db)
  const library = openLibrary({ store: scorerStore(db), now, makeId })
  const suites = openSuites({
    db,
    store: suiteStore(db),
    scorers: {
      ...library.store,
      definitions: (wanted, trx) =>
        library.store.definitions(wanted, trx && transactionFor<ScorerTables>(trx)),
    },
    hasEnvironmentVersion: async (organizationId, id) =>
      (await worlds.environmentVersion(organizationId, id)) !== undefined,
    judgeModel,
    now,
    makeId,
  })
  return {
    library,
    suites,
    materialize: openMaterialize({
      db,
      suites,
      createScorer: (organizationId, definition, trx) =>
        library.create(organizationId, definition, transactionFor<ScorerTables>(trx)),
    }),
    handlers: { ...suiteHandlers(suites), ...scorerHandlers(library) },
  }
}
