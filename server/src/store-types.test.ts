import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely'
import type { AgentTables } from './agents/tables.ts'
import type { EvaluationTables } from './evaluations/tables.ts'
import type { SuiteTables } from './suites/tables.ts'
import type { TelemetryTables } from './telemetry/tables.ts'
import type { TwinTables } from './twins/tables.ts'
import type { WorldTables } from './worlds/tables.ts'

/** Compiles statements, and runs none. */
const connection = <T>(): Kysely<T> =>
  new Kysely<T>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  })

describe('a store', () => {
  // The compiler is the judge: where one of the lines below compiled, its `@ts-expect-error` would be an error.
  it('reads its own tables, and does not compile where it reads those of another noun', () => {
    assert.match(connection<WorldTables>().selectFrom('worlds').selectAll().compile().sql, /"worlds"/)
    const foreign = [
      // @ts-expect-error: tasks belong to suites.
      connection<WorldTables>().selectFrom('tasks'),
      // @ts-expect-error: worlds belong to worlds.
      connection<TwinTables>().selectFrom('worlds'),
      // @ts-expect-error: agents belong to agents.
      connection<EvaluationTables>().selectFrom('agents'),
      // @ts-expect-error: trials belong to evaluations.
      connection<SuiteTables>().selectFrom('eval_trials'),
      // @ts-expect-error: twins belong to twins.
      connection<TelemetryTables>().selectFrom('twins'),
      // @ts-expect-error: keys belong to auth.
      connection<AgentTables>().selectFrom('api_keys'),
    ]
    assert.equal(foreign.length, 6)
  })
})
