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
        rows: () => database.prepare(`select * from ${quoted(name, '"')}`).iterate(),
      })),
      close: () => database.close(),
    }
  } catch (error) {
    database.close()
    if (error instanceof Error && 'code' in error && error.code === 'ERR_SQLITE_ERROR')
      throw datasetFault({ file: label }, `is no SQLite file that can be read: ${error.message}`)
    throw error
  }
}

const quoted = (name: string, mark: string): string => `${mark}${name.replaceAll(mark, mark + mark)}${mark}`
