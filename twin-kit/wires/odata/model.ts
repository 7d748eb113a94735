/** What a service is, as data. Nothing here knows which company's service it is. */

export type EdmType =
  | 'String'
  | 'Decimal'
  | 'Boolean'
  | 'DateTime'
  | 'DateTimeOffset'
  | 'Time'
  | 'Guid'
  | 'Double'
  | 'Byte'
  | 'Int16'
  | 'Int32'
  | 'Int64'

/**
 * A value as a row holds it, in a form that people and graders can compare: days as `2026-03-20`, moments as ISO
 * strings, times as `PT09H30M00S`, decimals as text.
 */
export type EdmValue = string | number | boolean | null
/** A row holds its id, its keys, and each other field that differs from the initial value of its type. */
export type EdmRow = { readonly id: string } & { readonly [field: string]: EdmValue }
export type EdmValues = Readonly<Record<string, EdmValue>>
/** XML attributes of the service's own kind, in order. */
export type Attributes = readonly (readonly [name: string, value: string])[]

export interface Property {
  readonly name: string
  readonly type: EdmType
  readonly maxLength?: number
  readonly precision?: number
  readonly scale?: number
  readonly nullable: boolean
  readonly readOnly: boolean
  /** Can be given when an entity is created, and not changed afterwards. */
  readonly fixed: boolean
  readonly filterable: boolean
  readonly sortable: boolean
  /** A DateTime that holds a day and no time. */
  readonly day: boolean
  /** What a row that lacks the field holds. */
  readonly initial: EdmValue
  /** The one spelling of a value that can be spelt in several ways; for keys, filters and bodies. */
  readonly canonical?: (text: string) => string
  /** Text that is kept in capitals. */
  readonly upper: boolean
  /** How many decimals a value is shown with beside the other fields of its row. */
  readonly decimals?: (row: EdmValues) => number
  readonly attributes: Attributes
  /** Its name before its value, and both where a row does not hold it, written once for all answers. */
  readonly json: { readonly label: string; readonly blank?: string }
}

export interface Navigation {
  readonly name: string
  /** The name of the entity set that it leads to. */
  readonly target: string
  readonly many: boolean
  /** Pairs of fields that are equal on both sides: here, there. */
  readonly on: readonly (readonly [here: string, there: string])[]
  /** What the rows over there hold besides. */
  readonly where?: EdmValues
}

export interface EntityType {
  readonly name: string
  readonly keys: readonly string[]
  readonly properties: readonly Property[]
  readonly byName: ReadonlyMap<string, Property>
  readonly navigations: ReadonlyMap<string, Navigation>
  /** The property whose value is the entity's version. */
  readonly version?: string
  readonly attributes: Attributes
}

export interface EntitySet {
  readonly name: string
  readonly type: EntityType
  /** The table that holds its rows. */
  readonly collection: string
  readonly creatable: boolean
  /** Whether it can be created below a parent, or with it. */
  readonly creatableBelow: boolean
  readonly updatable: boolean
  readonly deletable: boolean
  /** Fields, together or alone, by whose values rows are found without looking at all of them; the narrowest first. */
  readonly indexes: readonly (readonly string[])[]
  readonly attributes: Attributes
  /** Fields that depend on where the caller reaches the service. */
  readonly view?: (row: EdmRow, origin: string) => EdmRow
}

export interface FunctionImport {
  readonly name: string
  readonly method: 'GET' | 'POST'
  readonly parameters: readonly Property[]
  readonly returns: ComplexType
  /** It returns a list. */
  readonly many: boolean
  /** The set of what it returns, where that is an entity. */
  readonly set?: string
  /** The name of the operation behind it. */
  readonly operation: string
}

export interface ComplexType {
  readonly name: string
  readonly properties: readonly Property[]
}

export interface ServiceModel {
  readonly name: string
  readonly sets: ReadonlyMap<string, EntitySet>
  readonly functions: ReadonlyMap<string, FunctionImport>
  readonly complexTypes: readonly ComplexType[]
  /** Attributes of the container and of the schema, and the namespaces that attributes are written in. */
  readonly containerAttributes: Attributes
  readonly schemaAttributes: Attributes
  readonly namespaces: Attributes
}

/** Every entity set's own indexes: all rows by key, and the rows that a navigation leads to. */
export const wholeIndex = 'all'
export const indexName = (fields: readonly string[]): string => [...fields].sort().join('+')
export const indexValue = (fields: readonly string[], row: EdmValues): string =>
  [...fields]
    .sort()
    .map((field) => String(row[field] ?? ''))
    .join('\u0000')

/** The fields that navigations into a set are joined by. */
export const joinIndexes = (
  types: Iterable<Pick<EntityType, 'navigations'>>,
  set: string,
): readonly (readonly string[])[] => {
  const found = new Map<string, readonly string[]>()
  for (const { navigations } of types)
    for (const { target, on } of navigations.values()) {
      const fields = on.map(([, there]) => there)
      if (target === set) found.set(indexName(fields), fields)
    }
  return [...found.values()].sort((a, b) => b.length - a.length)
}

/** A row's id: its key values in the order of the key. */
export const rowId = (type: EntityType, values: EdmValues): string => {
  let id = ''
  for (const key of type.keys) {
    const value = String(values[key] ?? '')
    id += `${id === '' && key === type.keys[0] ? '' : '/'}${value.includes('/') ? value.replaceAll('/', '%2F') : value}`
  }
  return id
}

/** Orders rows by key, digits by their number. */
export const keyOrder = (type: EntityType, row: EdmValues): string =>
  type.keys.map((key) => numeric(String(row[key] ?? ''), type.byName.get(key)?.maxLength)).join('/')

/** Text that sorts by its number where it is one. */
export const numeric = (text: string, width = 0): string =>
  /^\d+$/.test(text) ? text.padStart(width, '0') : text

export const setOf = (service: ServiceModel, name: string): EntitySet => {
  const set = service.sets.get(name)
  if (!set) throw new Error(`${service.name} has no set ${name}`)
  return set
}

export const propertyOf = (type: EntityType, name: string): Property => {
  const property = type.byName.get(name)
  if (!property) throw new Error(`${type.name} has no property ${name}`)
  return property
}
