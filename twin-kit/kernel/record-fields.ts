import type { TableSpec } from './table.ts'
import type { AnyTwin } from './twin.ts'

/** The collections that graders see, each with the fields that its records can have. */
export const recordFields = ({ tables, fields }: AnyTwin): ReadonlyMap<string, readonly string[]> =>
  new Map(
    Object.entries<TableSpec>(tables)
      .filter(([, { internal }]) => !internal)
      .map(([collection, spec]) => {
        const own = fields?.(collection) ?? []
        const listed = own.length > 0 ? own : shapeOf(spec)
        if (listed.length === 0) throw new Error(`nothing lists the fields of ${collection}`)
        return [collection, [...new Set([spec.key, ...listed])]]
      }),
  )

/** The fields that the schema of a row lists. */
export const shapeOf = ({ row }: Pick<TableSpec, 'row'>): string[] =>
  'shape' in row && typeof row.shape === 'object' && row.shape !== null ? Object.keys(row.shape) : []
