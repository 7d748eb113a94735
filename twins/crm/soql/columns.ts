import type { FieldSchema, ObjectSchema } from '../schema/schema.ts'
import { isAggregate } from './aggregate.ts'
import { bindPath, hopTo, type Scope, scopeOf } from './bind.ts'
import { callOperand } from './operands.ts'
import type { Json } from './project.ts'
import type { FunctionCall, Path, Query } from './syntax/tree.ts'

/** One column of an answer, as `columns=true` describes it. */
interface Column extends Json {
  readonly columnName: string
  readonly joinColumns: Column[]
}

const apexTypes: Readonly<Record<string, string>> = {
  id: 'Id',
  reference: 'Id',
  int: 'Integer',
  double: 'Double',
  currency: 'Double',
  percent: 'Double',
  boolean: 'Boolean',
  date: 'Date',
  datetime: 'Datetime',
  dateTime: 'Datetime',
  address: 'Address',
}
const numeric = ['int', 'double', 'currency', 'percent']

interface Described {
  readonly name: string
  readonly display?: string
  readonly type?: string
  readonly apexType?: string
  readonly field?: FieldSchema
  readonly aggregate?: boolean
}

const column = ({
  name,
  display = name,
  type = '',
  apexType,
  field,
  aggregate = false,
}: Described): Column => ({
  aggregate,
  apexType: apexType ?? apexTypes[type] ?? 'String',
  booleanType: type === 'boolean',
  columnName: name,
  custom: field?.custom ?? false,
  displayName: display,
  foreignKeyName: null,
  insertable: field?.createable ?? false,
  joinColumns: [],
  numberType: numeric.includes(type),
  textType: apexType === undefined && apexTypes[type] === undefined,
  updatable: field?.updateable ?? false,
})

/** The columns of a query's answer, and what the query is about. */
export const columnsOf = (scope: Scope, query: Query, grouped: boolean): Json => {
  const columns = grouped ? groupColumns(scope, query) : recordColumns(scope, query)
  return {
    columnMetadata: columns,
    entityName: scope.object.name,
    groupBy: query.groupBy.length > 0,
    idSelected: columns.some(({ columnName }) => columnName === 'Id'),
    keyPrefix: scope.object.prefix,
  }
}

const fieldColumn = (field: FieldSchema, name = field.name, display = name): Column =>
  column({ name, display, type: field.type, field })

const recordColumns = (scope: Scope, query: Query): Column[] => {
  const columns: Column[] = []
  for (const item of query.select) {
    if (item.kind === 'path') addPath(columns, scope, item.path)
    else if (item.kind === 'subquery') columns.push(...childColumns(scope, item.query))
    else if (item.kind === 'typeof') columns.push(...typeOfColumn(scope, item.path))
    else if (item.call.name === 'FIELDS') columns.push(...listedFields(scope.object, item.call))
    else {
      const { name, type } = callOperand(scope, item.call)
      columns.push(column({ name: item.alias?.name ?? name, type, display: written(item.call) }))
    }
  }
  return columns
}

/** A parent's fields are gathered under one column with the parent's name. */
const addPath = (columns: Column[], scope: Scope, path: Path): void => {
  const { hops, field } = bindPath(scope, path)
  let place = columns
  for (const { reference, to } of hops) {
    const name = reference.relationshipName ?? ''
    const found = place.find(({ columnName }) => columnName === name)
    const parent = found ?? column({ name, apexType: to.name })
    if (!found) place.push(parent)
    place = parent.joinColumns
  }
  place.push(fieldColumn(field))
}

const childColumns = (outer: Scope, query: Query): Column[] => {
  const relationship = outer.object.child(query.from.name.split('.').at(-1) ?? '')
  const object = relationship && outer.org.schema.object(relationship.object)
  if (!relationship || !object) return []
  const scope = scopeOf(outer.org, outer.text, object, query)
  const children = column({ name: relationship.name, apexType: object.name, aggregate: true })
  children.joinColumns.push(...recordColumns(scope, query))
  return [children]
}

const typeOfColumn = (scope: Scope, path: Path): Column[] => {
  const hop = hopTo(scope, scope.object, path.parts[0]?.name ?? '')
  return hop ? [column({ name: hop.reference.relationshipName ?? '', apexType: 'SObject' })] : []
}

const listedFields = (object: ObjectSchema, call: FunctionCall): Column[] => {
  const [argument] = call.args
  const which = argument?.kind === 'path' ? argument.path.parts[0]?.name.toUpperCase() : undefined
  return object.fields
    .filter(({ custom }) => which === 'ALL' || custom === (which === 'CUSTOM'))
    .map((field) => fieldColumn(field))
}

const groupColumns = (scope: Scope, query: Query): Column[] => {
  let unnamed = 0
  return query.select.flatMap((item) => {
    if (item.kind === 'path') {
      const { field } = bindPath(scope, item.path)
      const display = item.path.parts.map(({ name }) => name).join('.')
      return [fieldColumn(field, item.alias?.name ?? field.name, display)]
    }
    if (item.kind !== 'call') return []
    const name = item.alias?.name ?? `expr${unnamed++}`
    const type = isAggregate(item.call) ? aggregateType(scope, item.call) : 'int'
    return [column({ name, display: item.alias?.name ?? written(item.call), type, aggregate: true })]
  })
}

const aggregateType = (scope: Scope, { name, args: [argument] }: FunctionCall): string => {
  if (name.startsWith('COUNT')) return 'int'
  if (name !== 'MIN' && name !== 'MAX') return 'double'
  return argument?.kind === 'path' ? bindPath(scope, argument.path).field.type : 'double'
}

/** A call as it was written, its name in small letters. */
const written = ({ name, args }: FunctionCall): string => {
  const inside = args.map((argument) => {
    if (argument.kind === 'path') return argument.path.parts.map((part) => part.name).join('.')
    return argument.kind === 'function' ? written(argument) : ''
  })
  return `${name.toLowerCase()}(${inside.join(', ')})`
}
