import { snakeName } from '@diorama/contract/python-names'

/** The part of JSON Schema that zod writes. */
export interface Schema {
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, Schema>>
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly enum?: readonly (string | number | boolean | null)[]
  readonly const?: string | number | boolean | null
  readonly additionalProperties?: Schema | boolean
}

const pascal = (name: string): string =>
  name
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')

/** A company is a document: it is taken and given back as it was written. */
const documents = new Set(['WorldBlueprint'])
const reserved = new Set(['class', 'from', 'import', 'in', 'is'])
const refName = (schema: Schema): string | undefined => schema.$ref?.split('/').pop()

type Shape = null | string | readonly Shape[] | { readonly [field: string]: Shape }

/**
 * The TypedDicts of replies, each in the module of the namespace that first speaks of it. A type with the name of a
 * namespace's class is called a record.
 */
export const openTypes = (namespaceClasses: ReadonlySet<string>) => {
  const defs = new Map<string, { schema: Schema; space: string }>()
  const written = new Map<string, { space: string; text: string }>()
  const shapes = new Map<string, Shape>()
  let current = ''

  const learn = (schema: Schema, space: string): void => {
    current = space
    for (const [name, definition] of Object.entries(schema.$defs ?? {}))
      if (!defs.has(name)) defs.set(name, { schema: definition, space })
  }

  const union = (parts: readonly string[]): string => {
    const some = [...new Set(parts)]
    const real = some.filter((part) => part !== 'None')
    if (real.includes('Any') || real.length === 0) return 'Any'
    const joined = real.length === 1 ? (real[0] ?? 'Any') : `Union[${real.join(', ')}]`
    return some.length > real.length ? `Optional[${joined}]` : joined
  }

  const scalar = (type: string): string =>
    ({ string: 'str', integer: 'int', number: 'float', boolean: 'bool', null: 'None' })[type] ?? 'Any'

  const literal = (values: readonly unknown[]): string =>
    `Literal[${values.map((value) => (value === null ? 'None' : JSON.stringify(value))).join(', ')}]`

  const outputType = (schema: Schema, title: string): string => {
    const ref = refName(schema)
    if (ref !== undefined) return named(ref)
    const either = schema.anyOf ?? schema.oneOf
    if (either) return union(either.map((one, n) => outputType(one, n === 0 ? title : `${title}${n}`)))
    if (schema.const !== undefined) return literal([schema.const])
    if (schema.enum) return literal(schema.enum)
    if (Array.isArray(schema.type)) return union(schema.type.map(scalar))
    if (schema.type === 'array')
      return `List[${schema.items ? outputType(schema.items, `${title}Item`) : 'Any'}]`
    if (schema.type === 'object') return schema.properties ? typedDict(title, schema) : 'Dict[str, Any]'
    return typeof schema.type === 'string' ? scalar(schema.type) : 'Any'
  }

  /** What callers give is checked by the service; its outermost type is enough of a hint. */
  const inputType = (schema: Schema, title: string): string => {
    const ref = refName(schema)
    if (ref !== undefined) {
      const target = defs.get(ref)?.schema
      return documents.has(ref) || !target ? 'Mapping[str, Any]' : inputType(target, title)
    }
    const either = schema.anyOf ?? schema.oneOf
    if (either) return union(either.map((one) => inputType(one, title)))
    if (schema.type === 'array') return `Sequence[${schema.items ? inputType(schema.items, title) : 'Any'}]`
    if (schema.type === 'object') return 'Mapping[str, Any]'
    return outputType(schema, title)
  }

  const named = (name: string): string => {
    if (documents.has(name)) return 'Dict[str, Any]'
    const definition = defs.get(name)?.schema
    if (!definition) return 'Any'
    return definition.properties ? typedDict(name, definition) : outputType(definition, name)
  }

  const typedDict = (title: string, schema: Schema): string => {
    const wanted = pascal(title)
    const name = namespaceClasses.has(wanted) ? `${wanted}Record` : wanted
    if (written.has(name)) return name
    // Reserved before its fields are looked at, since a type may hold itself.
    const place = { space: current, text: '' }
    written.set(name, place)
    const required = new Set(schema.required ?? [])
    const fields = Object.entries(schema.properties ?? {}).map(([wire, field]) => ({
      name: snakeName(wire),
      needed: required.has(wire),
      type: outputType(field, `${wanted}${pascal(wire)}`),
    }))
    written.delete(name)
    place.text = dictText(name, fields)
    written.set(name, place)
    return name
  }

  const textOf = (space: string): string =>
    [...written.values()]
      .filter((type) => type.space === space)
      .map(({ text }) => `\n${text}\n`)
      .join('')

  /** Imports of what a text names and another module has; `from` is the way to those modules. */
  const importsOf = (space: string | undefined, text: string, from = '.'): string => {
    const bySpace = new Map<string, string[]>()
    for (const [name, type] of written)
      if (type.space !== space && new RegExp(`\\b${name}\\b`).test(text))
        bySpace.set(type.space, [...(bySpace.get(type.space) ?? []), name])
    return [...bySpace]
      .sort(([a], [b]) => a.localeCompare(b))
      .map(([module, names]) => `from ${from}${module} import ${names.sort().join(', ')}\n`)
      .join('')
  }

  const shapeOf = (schema: Schema): Shape => {
    for (const [name, definition] of Object.entries(schema.$defs ?? {}))
      if (!shapes.has(name) && !documents.has(name)) {
        shapes.set(name, null)
        shapes.set(name, shapeOf({ ...definition }))
      }
    const ref = refName(schema)
    if (ref !== undefined) return documents.has(ref) ? null : ref
    const either = (schema.anyOf ?? schema.oneOf)?.map(shapeOf).filter((shape) => shape !== null)
    if (either) return either[0] ?? null
    if (schema.type === 'array' && schema.items) {
      const inner = shapeOf(schema.items)
      return inner === null ? null : [inner]
    }
    if (!schema.properties) return null
    const below = Object.entries(schema.properties).map(([field, one]) => [field, shapeOf(one)] as const)
    return Object.fromEntries(below.filter(([, shape]) => shape !== null))
  }

  return {
    learn,
    outputType,
    inputType,
    textOf,
    importsOf,
    shapeOf,
    shapes: () => Object.fromEntries(shapes),
  }
}

const dictText = (
  name: string,
  fields: readonly { readonly name: string; readonly needed: boolean; readonly type: string }[],
): string => {
  if (fields.some((field) => reserved.has(field.name))) {
    const rows = fields.map(
      (field) => `    "${field.name}": ${JSON.stringify(field.type.replaceAll('"', "'"))},`,
    )
    return `${name} = TypedDict("${name}", {\n${rows.join('\n')}\n})\n`
  }
  const lines = (some: typeof fields) =>
    some.length === 0 ? '    pass' : some.map((field) => `    ${field.name}: ${field.type}`).join('\n')
  const needed = fields.filter((field) => field.needed)
  const optional = fields.filter((field) => !field.needed)
  if (optional.length === 0) return `class ${name}(TypedDict):\n${lines(needed)}\n`
  if (needed.length === 0) return `class ${name}(TypedDict, total=False):\n${lines(optional)}\n`
  return `class ${name}Required(TypedDict):\n${lines(needed)}\n\n\nclass ${name}(${name}Required, total=False):\n${lines(optional)}\n`
}
