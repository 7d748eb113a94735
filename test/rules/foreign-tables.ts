import { isForTests, type Source } from '../sources.ts'

/**
 * Statements in SQL text are not typed, so the tables that they name are checked here. Each of these reads or writes a
 * table of another noun in the statement or transaction that makes both changes one, or counts references before it
 * removes what they refer to.
 */
const allowed: Readonly<Record<string, readonly string[]>> = {
  'server/src/bridges/otlp/store.ts': ['eval_trials'],
  'server/src/datasets/store.ts': ['tasks', 'suite_versions', 'eval_jobs', 'twins'],
  'server/src/deliveries/store.ts': ['twins'],
  'server/src/twins/ledger/step-columns.ts': ['twin_deliveries'],
  'server/src/twins/retention.ts': ['world_clocks'],
  'server/src/twins/seeds/seed-parts.ts': ['environment_versions', 'dataset_versions'],
  'server/src/twins/store.ts': ['world_clocks'],
  'server/src/worlds/clock/clock-store.ts': ['twin_steps', 'twins'],
  'server/src/worlds/store.ts': [
    'tasks',
    'suite_versions',
    'eval_jobs',
    'twins',
    'dataset_versions',
    'datasets',
  ],
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
        return exceptions[path]?.includes(table)
          ? []
          : [`${path} names ${table}, a table of ${owners.get(table)}`]
      })
    })
  const idle = Object.entries(exceptions).flatMap(([path, tables]) =>
    tables
      .filter((table) => !used.has(`${path} ${table}`))
      .map((table) => `${path} no longer names ${table}`),
  )
  return [...refused, ...idle]
}
