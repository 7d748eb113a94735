import { csvRows } from '@diorama/twin-kit/datasets/csv'
import type { DatasetReader, DatasetSource, Reading, SourceFile } from '@diorama/twin-kit/datasets/dataset'
import { wholeText } from '@diorama/twin-kit/datasets/lines'
import { makeId } from '../ids.ts'
import { schemaOf } from '../schema/schema.ts'
import { type NamedTable, readTables } from './read-tables.ts'

/** A SQLite file with a table for each object. */
export const sqlite: DatasetReader = {
  format: 'crm-sqlite',
  label: 'A SQLite file with a table for each object',
  takes: 'tables',
  read: ({ tables }, reading) =>
    readTables(
      tables.map(({ name, columns, rows }) => ({ object: name, file: name, columns, rows })),
      reading,
    ),
}

const objectOf = (name: string): string =>
  (name.split('/').at(-1) ?? name).replace(/\.\w+$/, '').replace(/^(bulk[-_])?/i, '')

/** A CSV file for each object, as bulk queries give them; the file is named for the object. */
export const bulkCsv: DatasetReader = {
  format: 'crm-csv',
  label: 'CSV files named for their objects (zip)',
  takes: 'files',
  read: async ({ files }, reading) => {
    const tables: NamedTable[] = []
    for (const file of files.filter(({ name }) => name.endsWith('.csv'))) {
      const rows = async function* () {
        for await (const { fields } of csvRows(file.chunks())) yield fields
      }
      const [first] = await firstOf(rows())
      tables.push({ object: objectOf(file.name), file: file.name, columns: Object.keys(first ?? {}), rows })
    }
    await readTables(tables, reading)
  },
}

const firstOf = async <T>(source: AsyncIterable<T>): Promise<T[]> => {
  for await (const one of source) return [one]
  return []
}

type Json = Record<string, unknown>

/** The JSON files of an exported tree: records with their children inside, or in their own files with references. */
export const exportTree: DatasetReader = {
  format: 'crm-tree',
  label: 'An exported tree: JSON files of records (zip)',
  takes: 'files',
  read: async (source, reading) => {
    const records = await readTree(source, reading)
    const tables = [...records].map(([object, rows]) => ({
      object,
      file: object,
      columns: [...new Set(rows.flatMap((row) => Object.keys(row)))],
      rows: () => rows,
    }))
    await readTables(tables, reading)
  },
}

interface Tree {
  readonly records: Map<string, Json[]>
  readonly ids: Map<string, string>
  readonly reading: Reading
}

const readTree = async ({ files }: DatasetSource, reading: Reading): Promise<Map<string, Json[]>> => {
  const tree: Tree = { records: new Map(), ids: new Map(), reading }
  for (const file of files.filter(({ name }) => name.endsWith('.json') && !/plan\.json$/.test(name)))
    await readFile(file, tree)
  for (const rows of tree.records.values())
    for (const row of rows)
      for (const [name, value] of Object.entries(row))
        if (typeof value === 'string' && value.startsWith('@'))
          row[name] = tree.ids.get(value.slice(1)) ?? value
  return tree.records
}

const readFile = async (file: SourceFile, tree: Tree): Promise<void> => {
  const document: unknown = JSON.parse(await wholeText(file.chunks()))
  const records = (document as { records?: unknown }).records
  if (Array.isArray(records)) for (const record of records) readRecord(record as Json, file.name, tree)
  else tree.reading.fault({ file: file.name }, 'has no records')
}

const standard = schemaOf()

const readRecord = (record: Json, file: string, tree: Tree, parent?: { field: string; id: string }): void => {
  const attributes = (record.attributes ?? {}) as { type?: string; referenceId?: string }
  const name = attributes.type ?? ''
  if (name === '') {
    tree.reading.fault({ file, field: 'attributes/type' }, 'is missing')
    return
  }
  const object = standard.object(name)
  const rows = tree.records.get(name) ?? []
  tree.records.set(name, rows)
  const id =
    typeof record.Id === 'string' ? record.Id : makeId(object?.prefix ?? 'a0Z', 'DS0', rows.length + 1)
  if (attributes.referenceId) tree.ids.set(attributes.referenceId, id)
  const row: Json = { Id: id, ...(parent && { [parent.field]: parent.id }) }
  rows.push(row)
  for (const [field, value] of Object.entries(record)) {
    const below = (value as { records?: unknown } | null)?.records
    if (field === 'attributes') continue
    if (!Array.isArray(below)) row[field] = value
    else {
      const child = object?.child(field)
      for (const one of below) readRecord(one as Json, file, tree, child && { field: child.field, id })
    }
  }
}
