import type { Reading, SourceFile } from './dataset.ts'
import { jsonValues } from './json-values.ts'

type Json = Readonly<Record<string, unknown>>

/** The rows of a table by its name; none where the dump has no such table. */
export type Tables = (table: string) => readonly Json[]

/** Tables as replicas of a service keep them: one JSON object with a list of rows for each table. */
export const tablesIn = async (file: SourceFile): Promise<Tables> => {
  const tables = new Map<string, Json[]>()
  for await (const { path, text } of jsonValues(file.chunks(), (at) => at.length === 2)) {
    const rows = tables.get(String(path[0])) ?? []
    rows.push(JSON.parse(text) as Json)
    tables.set(String(path[0]), rows)
  }
  return (name) => tables.get(name) ?? []
}

/** Reports every row of a table in which one of the fields is no text. */
export const requireTexts = (
  rows: Tables,
  required: Readonly<Record<string, readonly string[]>>,
  fault: Reading['fault'],
): void => {
  for (const [table, fields] of Object.entries(required))
    for (const [n, row] of rows(table).entries())
      for (const field of fields)
        if (typeof row[field] !== 'string' || row[field] === '')
          fault({ file: table, row: n + 1, field }, 'must be a text')
}
