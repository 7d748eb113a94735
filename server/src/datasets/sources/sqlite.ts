import type { DatabaseSync } from 'node:sqlite'
import type { SourceTable } from '@diorama/twin-kit/datasets/dataset'
import { datasetFault } from '../faults.ts'

export interface SqliteFile {
  readonly tables: readonly SourceTable[]
  readonly close: () => void
}

const maxTables = 2_000

/** The tables of a SQLite file. It comes from outside: views and triggers in it are never run. */
export const openSqlite = async (path: string, label: string): Promise<SqliteFile> => {
  const { DatabaseSync } = await import('node:sqlite')
  const database = new DatabaseSync(path, { readOnly: true, allowExtension: false })
  try {
    database.exec('pragma trusted_schema = off; pragma cell_size_check = on; pragma query_only = on')
    const names = database
      .prepare(
        "select name from sqlite_master where type = 'table' and name not like 'sqlite\\_%' escape '\\'",
      )
      .all()
      .map(({ name }) => String(name))
    if (names.length > maxTables) throw datasetFault({ file: label }, `has more than ${maxTables} tables`)
    return {
      tables: names.map((name) => ({
        name,
        columns: database
          .prepare(`select name from pragma_table_info(${quoted(name, "'")})`)
          .all()
          .map((column) => String(column.name)),
        rows: () => rowsOf(database, name),
      })),
      close: () => database.close(),
    }
  } catch (error) {
    database.close()
    throw isSqliteError(error)
      ? datasetFault({ file: label }, `is no SQLite file that can be read: ${error.message}`)
      : error
  }
}

/** A file may be damaged in a part that was not read yet. */
function* rowsOf(database: DatabaseSync, table: string): Generator<Record<string, unknown>> {
  let row = 0
  try {
    for (const one of database.prepare(`select * from ${quoted(table, '"')}`).iterate()) {
      row++
      yield one
    }
  } catch (error) {
    throw isSqliteError(error)
      ? datasetFault({ file: table, row: row + 1 }, `cannot be read: ${error.message}`)
      : error
  }
}

const isSqliteError = (error: unknown): error is Error =>
  error instanceof Error &&
  'code' in error &&
  ['ERR_SQLITE_ERROR', 'ERR_OUT_OF_RANGE'].includes(String(error.code))

const quoted = (name: string, mark: string): string => `${mark}${name.replaceAll(mark, mark + mark)}${mark}`
