import type { Kysely } from 'kysely'
import { openLibrary } from './scoring/library.ts'
import { scorerHandlers } from './scoring/routes.ts'
import { scorerStore } from './scoring/store.ts'
import type { Database } from './storage/schema.ts'
import { openMaterialize } from './suites/materialize.ts'
import { suiteHandlers } from './suites/routes.ts'
import { suiteStore } from './suites/store.ts'
import { openSuites } from './suites/suites.ts'

export interface SuiteWiring {
  readonly db: Kysely<Database>
  readonly judgeModel: string | undefined
  readonly now: () => number
  readonly makeId: (prefix: string) => string
}

/** Puts suites and the scorer library together. */
export const wireSuites = ({ db, judgeModel, now, makeId }: SuiteWiring) => {
  const library = openLibrary({ store: scorerStore(db), now, makeId })
  const suites = openSuites({
    db,
    store: suiteStore(db),
    scorers: library.store,
    hasEnvironmentVersion: async (organizationId, id) => {
      const row = await db
        .selectFrom('environment_versions')
        .select('id')
        .where('organization_id', '=', organizationId)
        .where('id', '=', id)
        .executeTakeFirst()
      return row !== undefined
    },
    judgeModel,
    now,
    makeId,
  })
  return {
    library,
    suites,
    materialize: openMaterialize({ db, suites, createScorer: library.create }),
    handlers: { ...suiteHandlers(suites), ...scorerHandlers(library) },
  }
}
