import type { builtinScorerRoutes, scorerRoutes, suiteRoutes } from '@diorama/contract'
import type { Kysely } from 'kysely'
import { datasetStore } from '../datasets/store.ts'
import type { Handlers } from '../http/handler.ts'
import { type Library, openLibrary } from '../scoring/library.ts'
import { scorerHandlers } from '../scoring/routes.ts'
import { scorerStore } from '../scoring/store.ts'
import type { CheckSyntax } from '../scoring/syntax.ts'
import type { ScorerTables } from '../scoring/tables.ts'
import type { Database } from '../storage/schema.ts'
import { transactionFor } from '../storage/tables/transaction.ts'
import { createFrozenSuites, type FrozenSuites } from '../suites/frozen-suites.ts'
import { type MaterializeParts, openMaterialize } from '../suites/materialize.ts'
import { type CreatePlannedSuite, createPlannedSuite } from '../suites/planned-suite.ts'
import { suiteHandlers } from '../suites/routes.ts'
import { suiteStore } from '../suites/store.ts'
import { openSuites, type Suites } from '../suites/suites.ts'
import type { Materialize } from '../worlds/launch.ts'
import { hasEnvironmentVersion, worldStore } from '../worlds/store.ts'

export interface SuiteDeps {
  readonly db: Kysely<Database>
  readonly judgeModel: string | undefined
  readonly now: () => number
  readonly makeId: (prefix: string) => string
  readonly checkSyntax: CheckSyntax
}

export interface SuitePart {
  readonly library: Library
  readonly suites: Suites
  readonly frozen: FrozenSuites
  readonly materialize: Materialize
  readonly createPlanned: CreatePlannedSuite
  readonly handlers: Handlers<typeof suiteRoutes & typeof scorerRoutes & typeof builtinScorerRoutes>
}

/** Puts suites and the scorer library together. */
export const composeSuites = ({ db, judgeModel, now, makeId, checkSyntax }: SuiteDeps): SuitePart => {
  const library = openLibrary({ store: scorerStore(db), now, makeId })
  const suites = openSuites({
    db,
    store: suiteStore(db),
    scorers: {
      ...library.store,
      definitions: (wanted, trx) =>
        library.store.definitions(wanted, trx && transactionFor<ScorerTables>(trx)),
    },
    hasEnvironmentVersion: hasEnvironmentVersion(worldStore(db, datasetStore(db).version)),
    judgeModel,
    now,
    makeId,
  })
  const making: MaterializeParts = {
    db,
    suites,
    createScorer: (organizationId, definition, trx) =>
      library.create(organizationId, definition, transactionFor<ScorerTables>(trx)),
  }
  return {
    library,
    suites,
    frozen: createFrozenSuites(suites),
    materialize: openMaterialize(making),
    createPlanned: createPlannedSuite(making),
    handlers: { ...suiteHandlers(suites), ...scorerHandlers(library, checkSyntax) },
  }
}
