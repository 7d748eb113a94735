import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import type pg from 'pg'

/** One `.sql` file of this folder: a `create or replace function` that can run any number of times. */
export interface SqlFunction {
  readonly name: string
  readonly text: string
  readonly sha256: string
}

/**
 * The functions that lease and finish trials are repeatable files, not strings inside a migration: a file that changed
 * replaces its function at the next start. Every statement of a plpgsql function sees what was committed before that
 * statement began, so what comes after a lock counts what the last holder of the lock wrote. Rows are locked in one
 * order everywhere: the locks of claims, then the row of a run, then trials.
 *
 * A function keeps its parameters for as long as an older node may call it; other parameters are another name.
 */
export const readFunctions = (): readonly SqlFunction[] =>
  readdirSync(import.meta.dirname)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => {
      const text = readFileSync(new URL(file, import.meta.url), 'utf8')
      return { name: file, text, sha256: createHash('sha256').update(text).digest('hex') }
    })

/** The functions whose text differs from what this database has. */
export const changedFunctions = async (
  client: pg.Client,
  functions: readonly SqlFunction[],
): Promise<readonly SqlFunction[]> => {
  const { rows } = await client.query<{ there: boolean }>(
    `select to_regclass('sql_functions') is not null as there`,
  )
  if (rows[0]?.there !== true) return functions
  const applied = await client.query<{ name: string; sha256: string }>(
    'select name, sha256 from sql_functions',
  )
  const known = new Map(applied.rows.map(({ name, sha256 }) => [name, sha256]))
  return functions.filter(({ name, sha256 }) => known.get(name) !== sha256)
}

/** Creates or replaces the given functions, all or none. */
export const applyFunctions = async (client: pg.Client, functions: readonly SqlFunction[]): Promise<void> => {
  await client.query('begin')
  try {
    await client.query(
      'create table if not exists sql_functions (name text primary key, sha256 text not null)',
    )
    for (const { name, text, sha256 } of functions) {
      await client.query(text)
      await client.query(
        'insert into sql_functions values ($1, $2) on conflict (name) do update set sha256 = excluded.sha256',
        [name, sha256],
      )
    }
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}
