import {
  GraphQLError,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLLeafType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInputType,
  isLeafType,
  isListType,
  isNonNullType,
  isRequiredInputField,
  type OperationDefinitionNode,
  typeFromAST,
} from 'graphql'

/**
 * What is wrong with the variables of a call, in the wording of graphql-js 16, which servers in the field run and
 * clients and models know. The engine (17) finds the same faults and words them differently; this is only called once
 * it has found one.
 */
export const variableErrors = (
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  values: Readonly<Record<string, unknown>>,
): GraphQLError[] => {
  const errors: GraphQLError[] = []
  for (const definition of variableDefinitions) {
    const name = definition.variable.name.value
    const type = typeFromAST(schema, definition.type)
    if (!isInputType(type)) continue
    const report = (message: string) => {
      if (errors.length < maxErrors) errors.push(new GraphQLError(message, { nodes: definition }))
    }
    const value = Object.hasOwn(values, name) ? values[name] : undefined
    if (value === undefined) {
      if (!definition.defaultValue && isNonNullType(type))
        report(`Variable "$${name}" of required type "${String(type)}" was not provided.`)
    } else if (value === null && isNonNullType(type)) {
      report(`Variable "$${name}" of non-null type "${String(type)}" must not be null.`)
    } else
      check(type, value, {
        path: '',
        fault: (path, invalid, why) =>
          report(
            `Variable "$${name}" got invalid value ${inspect(invalid)}${path === '' ? '' : ` at "${name}${path}"`}; ${why}`,
          ),
      })
  }
  return errors
}
const maxErrors = 50

interface Place {
  readonly path: string
  readonly fault: (path: string, value: unknown, why: string) => void
}

const check = (type: GraphQLInputType, value: unknown, place: Place): void => {
  const { path, fault } = place
  if (isNonNullType(type)) {
    if (value === null || value === undefined)
      fault(path, value, `Expected non-nullable type "${String(type)}" not to be null.`)
    else check(type.ofType, value, place)
  } else if (value === null || value === undefined) return
  else if (isListType(type)) {
    if (!Array.isArray(value)) check(type.ofType, value, place)
    else
      for (const [index, item] of value.entries())
        check(type.ofType, item, { path: `${path}[${index}]`, fault })
  } else if (isInputObjectType(type)) checkObject(type, value, place)
  else if (isLeafType(type)) {
    const why = leafFault(type, value)
    if (why !== undefined) fault(path, value, why)
  }
}

const checkObject = (type: GraphQLInputObjectType, value: unknown, { path, fault }: Place): void => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    fault(path, value, `Expected type "${type.name}" to be an object.`)
    return
  }
  const fields = type.getFields()
  const given = new Map(Object.entries(value))
  for (const field of Object.values(fields)) {
    const item = given.get(field.name)
    if (item !== undefined) check(field.type, item, { path: `${path}.${field.name}`, fault })
    else if (isRequiredInputField(field))
      fault(path, value, `Field "${field.name}" of required type "${String(field.type)}" was not provided.`)
  }
  for (const name of given.keys())
    if (!fields[name])
      fault(
        path,
        value,
        `Field "${name}" is not defined by type "${type.name}".${hint(name, Object.keys(fields))}`,
      )
}

const leafFault = (type: GraphQLLeafType, value: unknown): string | undefined => {
  if (isEnumType(type)) {
    const names = type.getValues().map(({ name }) => name)
    if (typeof value !== 'string')
      return `Enum "${type.name}" cannot represent non-string value: ${inspect(value)}.${hint(inspect(value), names)}`
    return names.includes(value)
      ? undefined
      : `Value "${value}" does not exist in "${type.name}" enum.${hint(value, names)}`
  }
  try {
    return type.coerceInputValue(value) === undefined ? `Expected type "${type.name}".` : undefined
  } catch (error) {
    const why = error instanceof Error ? error.message : ''
    return error instanceof GraphQLError ? why : `Expected type "${type.name}". ${why}`
  }
}

/** Up to five names that are close to the one given. */
const hint = (name: string, names: readonly string[]): string => {
  const threshold = Math.floor(name.length * 0.4) + 1
  const close = names
    .filter((known) => Math.abs(known.length - name.length) <= threshold)
    .map((known) => ({ known, distance: editDistance(name.toLowerCase(), known.toLowerCase()) }))
    .filter(({ distance }) => distance <= threshold)
    .sort((a, b) => a.distance - b.distance || (a.known < b.known ? -1 : 1))
    .slice(0, 5)
    .map(({ known }) => `"${known}"`)
  const last = close.pop()
  if (last === undefined) return ''
  if (close.length === 0) return ` Did you mean ${last}?`
  return ` Did you mean ${close.join(', ')}${close.length > 1 ? ',' : ''} or ${last}?`
}

const editDistance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, n) => n)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++)
      next.push(
        Math.min(
          (row[j] ?? 0) + 1,
          (next[j - 1] ?? 0) + 1,
          (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1),
        ),
      )
    row = next
  }
  return row[b.length] ?? 0
}

/** A value as the engine prints it in errors: two levels deep, ten items of a list. */
const inspect = (value: unknown, depth = 0): string => {
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value !== 'object' || value === null) return String(value)
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]'
    if (depth > maxInspectDepth) return '[Array]'
    const items = value.slice(0, maxInspectItems).map((item) => inspect(item, depth + 1))
    const rest = value.length - items.length
    if (rest === 1) items.push('... 1 more item')
    else if (rest > 1) items.push(`... ${rest} more items`)
    return `[${items.join(', ')}]`
  }
  const entries = Object.entries(value)
  if (entries.length === 0) return '{}'
  if (depth > maxInspectDepth) return '[Object]'
  return `{ ${entries.map(([name, item]) => `${name}: ${inspect(item, depth + 1)}`).join(', ')} }`
}
const maxInspectDepth = 1
const maxInspectItems = 10
