import type { Row } from '@diorama/twin-kit/kernel/table'
import { dayNumber, dayText, partsOf, readMoment } from '../dates.ts'
import type { FieldSchema } from '../schema/schema.ts'
import { type BoundField, bindPath, type Scope } from './bind.ts'
import { malformed, refuseAt } from './syntax/refuse.ts'
import type { Argument, FunctionCall, GroupItem } from './syntax/tree.ts'

export type Kind = 'text' | 'id' | 'number' | 'boolean' | 'date' | 'datetime' | 'address' | 'other'

/** Something with a value in each row: a field, or a function of one. */
export interface Operand {
  readonly kind: Kind
  /** As error messages name it. */
  readonly name: string
  /** The type as error messages name it. */
  readonly type: string
  readonly at: number
  readonly read: (row: Row) => unknown
  readonly bound: BoundField | undefined
}

const kinds: Readonly<Record<string, Kind>> = {
  id: 'id',
  reference: 'id',
  int: 'number',
  double: 'number',
  currency: 'number',
  percent: 'number',
  boolean: 'boolean',
  date: 'date',
  datetime: 'datetime',
  address: 'address',
  complexvalue: 'other',
}
export const kindOf = (field: FieldSchema): Kind => kinds[field.type] ?? 'text'

export const fieldOperand = (scope: Scope, item: { path: Parameters<typeof bindPath>[1] }): Operand => {
  const bound = bindPath(scope, item.path)
  return {
    kind: kindOf(bound.field),
    name: bound.field.name,
    type: bound.field.type === 'datetime' ? 'dateTime' : bound.field.type,
    at: item.path.parts.at(-1)?.at ?? item.path.at,
    read: bound.read,
    bound,
  }
}

export const operandOf = (scope: Scope, item: GroupItem): Operand =>
  item.kind === 'path' ? fieldOperand(scope, item) : callOperand(scope, item.call)

/** Functions of a single record's fields; aggregates are bound where groups are known. */
export const callOperand = (scope: Scope, call: FunctionCall): Operand => {
  if (call.name in dateParts || call.name === 'DAY_ONLY') return dateOperand(scope, call)
  if (call.name === 'DISTANCE') return distanceOperand(scope, call)
  if (['TOLABEL', 'FORMAT', 'CONVERTCURRENCY', 'CONVERTTIMEZONE'].includes(call.name)) {
    const [argument, ...others] = call.args
    if (others.length > 0 || argument?.kind === 'literal' || !argument) throw refuseCall(scope, call)
    const inner =
      argument.kind === 'function'
        ? callOperand(scope, argument)
        : fieldOperand(scope, { path: argument.path })
    return { ...inner, bound: call.name === 'TOLABEL' ? inner.bound : undefined }
  }
  throw refuseCall(scope, call)
}

export const refuseCall = (scope: Scope, call: FunctionCall) =>
  refuseAt(scope.text, call.at, 'MALFORMED_QUERY', `Invalid use of function: ${call.name}`)

const dateParts: Readonly<Record<string, (day: number, ms: number) => number>> = {
  CALENDAR_MONTH: (day) => partsOf(day).month,
  CALENDAR_QUARTER: (day) => Math.floor((partsOf(day).month - 1) / 3) + 1,
  CALENDAR_YEAR: (day) => partsOf(day).year,
  FISCAL_MONTH: (day) => partsOf(day).month,
  FISCAL_QUARTER: (day) => Math.floor((partsOf(day).month - 1) / 3) + 1,
  FISCAL_YEAR: (day) => partsOf(day).year,
  DAY_IN_MONTH: (day) => partsOf(day).day,
  DAY_IN_WEEK: (day) => partsOf(day).weekday + 1,
  DAY_IN_YEAR: (day) => day - dayNumber(`${String(partsOf(day).year).padStart(4, '0')}-01-01`) + 1,
  WEEK_IN_MONTH: (day) => Math.ceil(partsOf(day).day / 7),
  WEEK_IN_YEAR: (day) =>
    Math.floor((day - dayNumber(`${String(partsOf(day).year).padStart(4, '0')}-01-01`)) / 7) + 1,
  HOUR_IN_DAY: (_day, ms) => new Date(ms).getUTCHours(),
}
export const isDateFunction = (name: string): boolean => name in dateParts || name === 'DAY_ONLY'

const dateOperand = (scope: Scope, call: FunctionCall): Operand => {
  const { path, converted } = dateArgument(scope, call)
  const inner = fieldOperand(scope, { path })
  const part = dateParts[call.name]
  const wantsTime = call.name === 'HOUR_IN_DAY' || call.name === 'DAY_ONLY'
  if (inner.kind !== 'datetime' && (inner.kind !== 'date' || wantsTime || converted))
    throw refuseAt(
      scope.text,
      call.at,
      'INVALID_FIELD',
      `Invalid field type for function ${call.name}: field '${inner.name}' is of type ${inner.type}`,
    )
  const { zone } = scope.org
  const read = (row: Row): unknown => {
    const value = inner.read(row)
    if (typeof value !== 'string') return null
    const ms = value.length === 10 ? dayNumber(value) * 86_400_000 : (readMoment(value) ?? 0)
    const local = converted ? ms + zone.offsetMs(ms) : ms
    const day = Math.floor(local / 86_400_000)
    return part ? part(day, local) : dayText(day)
  }
  return {
    kind: part ? 'number' : 'date',
    name: inner.name,
    type: part ? 'int' : 'date',
    at: call.at,
    read,
    bound: undefined,
  }
}

const dateArgument = (scope: Scope, call: FunctionCall) => {
  const [argument, ...others] = call.args
  if (others.length > 0 || !argument) throw refuseCall(scope, call)
  if (argument.kind === 'path') return { path: argument.path, converted: false }
  const inner =
    argument.kind === 'function' && argument.name === 'CONVERTTIMEZONE' ? argument.args[0] : undefined
  if (inner?.kind !== 'path') throw refuseCall(scope, call)
  return { path: inner.path, converted: true }
}

const distanceOperand = (scope: Scope, call: FunctionCall): Operand => {
  const [place, point, unit] = call.args
  const target = point && geolocation(point)
  const inUnit = unit?.kind === 'literal' && unit.literal.kind === 'text' ? unit.literal.value : ''
  if (place?.kind !== 'path' || !target || !['mi', 'km'].includes(inUnit)) throw refuseCall(scope, call)
  const operand = fieldOperand(scope, { path: place.path })
  if (operand.kind !== 'address') throw malformed('The DISTANCE function needs a location field')
  const radius = inUnit === 'mi' ? 3958.8 : 6371
  return {
    kind: 'number',
    name: operand.name,
    type: 'double',
    at: call.at,
    bound: undefined,
    read: (row) => {
      const address = operand.read(row)
      const [latitude, longitude] = coordinates(address)
      if (latitude === undefined || longitude === undefined) return null
      return radius * arc([latitude, longitude], target)
    },
  }
}

const geolocation = (argument: Argument): [number, number] | undefined => {
  if (argument.kind !== 'function' || argument.name !== 'GEOLOCATION') return undefined
  const [latitude, longitude] = argument.args.map((one) =>
    one.kind === 'literal' && one.literal.kind === 'number' ? one.literal.value : undefined,
  )
  return latitude === undefined || longitude === undefined ? undefined : [latitude, longitude]
}

const coordinates = (address: unknown): [number | undefined, number | undefined] => {
  if (typeof address !== 'object' || address === null) return [undefined, undefined]
  const { latitude, longitude } = address as { latitude?: unknown; longitude?: unknown }
  return [
    typeof latitude === 'number' ? latitude : undefined,
    typeof longitude === 'number' ? longitude : undefined,
  ]
}

const arc = ([aLat, aLong]: [number, number], [bLat, bLong]: [number, number]): number => {
  const rad = Math.PI / 180
  const half = (angle: number) => Math.sin((angle * rad) / 2) ** 2
  const a = half(bLat - aLat) + Math.cos(aLat * rad) * Math.cos(bLat * rad) * half(bLong - aLong)
  return 2 * Math.asin(Math.sqrt(Math.min(1, a)))
}
