import { customizationTable } from '../tables.ts'
import type { Customization } from './customization.ts'
import { type Schema, type SchemaIn, schemaOf } from './schema.ts'

/** The schemas of organizations: the standard one, and that of each organization with a customization. */
export interface OrganizationSchemas {
  /** What a deployment adds to every organization. */
  readonly added: Customization
  readonly standard: Schema
  /** The schema of a customization row; the standard one without a row. */
  readonly schemaFor: (row: unknown) => Schema
  readonly schemaIn: SchemaIn
}

/** Memoises one schema for each customization row; a seed's row is shared by all its copies. */
export const organizationSchemas = (added: Customization = {}): OrganizationSchemas => {
  const standard = schemaOf(added)
  const schemas = new WeakMap<object, Schema>()
  const schemaFor = (row: unknown): Schema => {
    if (typeof row !== 'object' || row === null) return standard
    const known = schemas.get(row)
    if (known) return known
    const made = schemaOf(merged(added, row as Customization))
    schemas.set(row, made)
    return made
  }
  return {
    added,
    standard,
    schemaFor,
    schemaIn: (tables) => schemaFor(tables[customizationTable]?.get('customization')),
  }
}

/** What a deployment adds to every organization, and what one organization adds. */
const merged = (one: Customization, other: Customization): Customization => ({
  objects: [...(one.objects ?? []), ...(other.objects ?? [])],
  fields: Object.fromEntries(
    [...new Set([...Object.keys(one.fields ?? {}), ...Object.keys(other.fields ?? {})])].map((object) => [
      object,
      [...(one.fields?.[object] ?? []), ...(other.fields?.[object] ?? [])],
    ]),
  ),
  validationRules: [...(one.validationRules ?? []), ...(other.validationRules ?? [])],
  recordTypes: [...(one.recordTypes ?? []), ...(other.recordTypes ?? [])],
  renames: [...(one.renames ?? []), ...(other.renames ?? [])],
})
