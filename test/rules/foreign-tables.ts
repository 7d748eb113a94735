import { isForTests, type Source } from '../sources.ts'

interface Exception {
  readonly tables: readonly string[]
  /** Why the noun that owns the tables cannot do it. */
  readonly reason: string
}

/** Statements in SQL text are not typed, so the tables that they name are checked here. */
const allowed: Readonly<Record<string, Exception>> = {
  'server/src/bridges/otlp/store.ts': {
    tables: ['eval_trials'],
    reason: 'room, trials and what was dropped are counted in the statement that fills the outbox',
  },
  'server/src/twins/ledger/step-columns.ts': {
    tables: ['twin_deliveries'],
    reason: 'a step and what it emits are there together or not at all, in one round trip',
  },
  'server/src/twins/retention.ts': {
    tables: ['world_clocks'],
    reason: 'the clock of a trial goes with the last of its twins',
  },
  'server/src/twins/seeds/seed-parts.ts': {
    tables: ['environment_versions', 'dataset_versions'],
    reason: 'a seed is removed only if nothing refers to it at that moment',
  },
  'server/src/twins/store.ts': {
    tables: ['world_clocks'],
    reason: 'the row of a clock is the lease of all its twins: both change owner in one statement',
  },
}

const nounOf = (path: string): string | undefined => /^server\/src\/(\w+)\//.exec(path)?.[1]
const named = /\b(?:from|join|into|update)\s+([a-z_]+)\b/g

/** Tables of another noun that a statement in SQL text names, and exceptions that nothing needs any more. */
export const foreignTables = (sources: readonly Source[], exceptions = allowed): string[] => {
  const owners = new Map(
    sources
      .filter(({ path }) => /^server\/src\/\w+\/tables\.ts$/.test(path))
      .flatMap(({ path, text }) =>
        [...text.matchAll(/^ {2}([a-z_]+): \{/gm)].map(({ 1: table = '' }) => [table, nounOf(path)] as const),
      ),
  )
  const used = new Set<string>()
  const refused = sources
    .filter(({ path }) => /\.ts$/.test(path) && !isForTests(path))
    .flatMap(({ path, text }) => {
      const noun = nounOf(path)
      if (noun === undefined || ['storage', 'composition'].includes(noun)) return []
      const tables = [...text.matchAll(/`[^`]*`/g)]
        .flatMap(([statement]) => [...statement.matchAll(named)].map(({ 1: table = '' }) => table))
        .filter((table) => owners.has(table) && owners.get(table) !== noun)
      return [...new Set(tables)].flatMap((table) => {
        used.add(`${path} ${table}`)
        return exceptions[path]?.tables.includes(table)
          ? []
          : [`${path} names ${table}, a table of ${owners.get(table)}`]
      })
    })
  const idle = Object.entries(exceptions).flatMap(([path, { tables }]) =>
    tables
      .filter((table) => !used.has(`${path} ${table}`))
      .map((table) => `${path} no longer names ${table}`),
  )
  return [...refused, ...idle]
}
