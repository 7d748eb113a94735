import { isRecord } from '@diorama/contract/records'

/** What the form reads of a JSON Schema. */
export interface Schema {
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, Schema>>
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly description?: string
  readonly default?: unknown
  readonly format?: string
}

export interface Resolved {
  readonly schema: Schema
  readonly isNullable: boolean
}

/** The schema itself, behind references and without the alternative null. */
export const resolved = (schema: Schema, root: Schema): Resolved => {
  if (schema.$ref) {
    const found = root.$defs?.[schema.$ref.replace('#/$defs/', '')]
    return found ? resolved({ ...found, ...without(schema) }, root) : { schema: {}, isNullable: false }
  }
  const [only] = schema.allOf ?? []
  if (only && schema.allOf?.length === 1) return resolved({ ...only, ...without(schema) }, root)
  const others = schema.anyOf?.filter(({ type }) => type !== 'null')
  const [other] = others ?? []
  if (!schema.anyOf || !others || !other) return { schema, isNullable: false }
  const isNullable = others.length < schema.anyOf.length
  if (others.length > 1) return { schema, isNullable }
  const inner = resolved({ ...other, ...without(schema) }, root)
  return { schema: inner.schema, isNullable: isNullable || inner.isNullable }
}

const without = ({ $ref: _ref, allOf: _allOf, anyOf: _anyOf, ...rest }: Schema): Schema => rest

/** What a new value of this shape starts as: only what must be there. */
export const emptyOf = (schema: Schema, root: Schema): unknown => {
  const { schema: plain, isNullable } = resolved(schema, root)
  if (plain.default !== undefined) return plain.default
  if (isNullable) return null
  if (plain.const !== undefined) return plain.const
  if (plain.enum) return plain.enum[0]
  if (plain.type === 'array') return []
  if (plain.type === 'object')
    return Object.fromEntries(
      (plain.required ?? []).map((name) => [name, emptyOf(plain.properties?.[name] ?? {}, root)]),
    )
  if (plain.type === 'boolean') return false
  if (plain.type === 'integer' || plain.type === 'number') return 0
  return ''
}

const names = ['title', 'name', 'subject', 'handle', 'key', 'identifier', 'text', 'body', 'role', 'number']

/** What people call one item of a list. */
export const itemName = (value: unknown, index: number): string => {
  if (!isRecord(value)) return String(value)
  const person = `${value['firstName'] ?? ''} ${value['lastName'] ?? ''}`.trim()
  const field = names.find((name) => typeof value[name] === 'string' && value[name] !== '')
  const found = person || (field ? String(value[field]) : '')
  return found.length > 60 ? `${found.slice(0, 59)}…` : found || `Item ${index + 1}`
}
