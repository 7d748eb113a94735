import { dayText, isDay, nativeMoment, nativeSecond, readMoment } from '../dates.ts'
import { prefixOf, readId } from '../ids.ts'
import type { FieldSchema, ObjectSchema } from '../schema/schema.ts'
import { type BinRow, binTable, tableOf } from '../tables.ts'
import {
  badChoice,
  badEmail,
  badReference,
  badScalar,
  dateOutOfRange,
  isDeleted,
  noColumn,
  noCrossAccess,
  notWritable,
  otherObject,
  outOfRange,
  refuse,
  requiredMissing,
  tooLong,
  wrongIdType,
} from './refusals.ts'
import type { Draft, Writing } from './writing.ts'

/** Reads what a caller wants a record to hold: names, types, rights, lengths, choices, references, in that order. */
export const readFields = (
  writing: Writing,
  object: ObjectSchema,
  body: Draft,
  mode: 'create' | 'update',
): Draft => {
  const given: { field: FieldSchema; value: unknown }[] = []
  for (const [name, raw] of Object.entries(body)) {
    if (name === 'attributes') continue
    const field = object.field(name)
    if (field) given.push({ field, value: coerce(field, raw, body) })
    else given.push(...byExternalId(writing, object, name, raw))
  }
  const denied = given.filter(({ field }) => !(mode === 'create' ? field.createable : field.updateable))
  if (denied.length > 0) throw notWritable(denied.map(({ field }) => field.name))
  const fields: Draft = {}
  for (const { field, value } of given) fields[field.name] = value
  checkRequired(object, fields, mode)
  for (const { field, value } of given) if (value !== null) checkValue(writing, field, value)
  return fields
}

const checkRequired = (object: ObjectSchema, fields: Draft, mode: 'create' | 'update'): void => {
  const missing = object.fields.filter((field) => {
    if (field.nillable || isGivenByRule(object, fields, field)) return false
    if (mode === 'update') return fields[field.name] === null && field.type !== 'boolean'
    if (fields[field.name] === null && field.createable && !field.defaultedOnCreate) return true
    return field.createable && !field.defaultedOnCreate && fields[field.name] === undefined
  })
  if (missing.length > 0) throw requiredMissing(missing.map(({ name }) => name))
}

/** A price that follows the standard one is not given by the caller. */
const isGivenByRule = (object: ObjectSchema, fields: Draft, field: FieldSchema): boolean =>
  object.name === 'PricebookEntry' && field.name === 'UnitPrice' && fields.UseStandardPrice === true

const columnOf = (body: Draft, value: unknown): number =>
  Math.max(1, JSON.stringify(body).indexOf(JSON.stringify(value) ?? '') + 1)

/** A JSON value as rows hold it; null for nothing. */
const coerce = (field: FieldSchema, raw: unknown, body: Draft): unknown => {
  if (raw === null || raw === undefined || raw === '') return field.type === 'boolean' ? false : null
  const bad = (type: string) => badScalar(type, raw, columnOf(body, raw))
  if (typeof raw === 'object') throw bad(field.type === 'reference' ? 'reference' : field.type)
  switch (field.type) {
    case 'boolean':
      return coerceBoolean(raw, bad)
    case 'int':
    case 'double':
    case 'currency':
    case 'percent':
      return coerceNumber(field, raw, bad)
    case 'date':
      return coerceDay(raw, bad)
    case 'datetime':
      return coerceMoment(raw, bad)
    case 'base64':
      return coerceBytes(raw, bad)
    default: {
      if (typeof raw === 'boolean') throw bad('string')
      const text = field.type === 'textarea' ? String(raw) : String(raw).trim()
      return text === '' ? null : text
    }
  }
}

const coerceBoolean = (raw: unknown, bad: (type: string) => Error): boolean => {
  if (typeof raw === 'boolean') return raw
  const word = String(raw).toLowerCase()
  if (word === 'true' || word === '1') return true
  if (word === 'false' || word === '0') return false
  throw bad('boolean')
}

const coerceNumber = (field: FieldSchema, raw: unknown, bad: (type: string) => Error): number => {
  const value = typeof raw === 'number' ? raw : typeof raw === 'string' ? Number(raw) : Number.NaN
  if (!Number.isFinite(value) || (typeof raw === 'string' && raw.trim() === ''))
    throw bad(field.type === 'int' ? 'int' : 'double')
  if (field.type === 'int' && !Number.isInteger(value)) throw bad('int')
  return value
}

const coerceDay = (raw: unknown, bad: (type: string) => Error): string => {
  if (typeof raw !== 'string') throw bad('date')
  if (isDay(raw)) return raw
  const moment = readMoment(raw)
  if (moment === undefined) throw bad('date')
  return dayText(Math.floor(moment / 86_400_000))
}

const coerceMoment = (raw: unknown, bad: (type: string) => Error): string => {
  if (typeof raw !== 'string') throw bad('datetime')
  const moment = isDay(raw) ? Date.parse(`${raw}T00:00:00.000Z`) : readMoment(raw)
  if (moment === undefined || Number.isNaN(moment)) throw bad('datetime')
  return moment % 1000 === 0 ? nativeSecond(moment) : nativeMoment(moment)
}

const maxBlobLength = 50_000_000

const coerceBytes = (raw: unknown, bad: (type: string) => Error): string => {
  if (typeof raw !== 'string') throw bad('base64')
  const text = raw.replace(/[\r\n]/g, '')
  if (text.length > maxBlobLength || text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text))
    throw bad('base64')
  return text
}

/** A parent named by its external id: `"Account": {"ExtId__c": "x"}`. */
const byExternalId = (
  writing: Writing,
  object: ObjectSchema,
  name: string,
  raw: unknown,
): { field: FieldSchema; value: unknown }[] => {
  const reference = object.parent(name)
  if (!reference || (typeof raw !== 'object' && raw !== null)) throw noColumn(name, object.name)
  if (raw === null) return [{ field: reference, value: null }]
  const entries = Object.entries(raw as Draft).filter(([key]) => key !== 'attributes')
  const [key, value] = entries[0] ?? []
  const target = writing.schema.object(
    String((raw as { attributes?: { type?: unknown } }).attributes?.type ?? reference.referenceTo[0] ?? ''),
  )
  const field = key === undefined ? undefined : target?.field(key)
  if (entries.length !== 1 || !target || !field || !(field.idLookup || field.externalId))
    throw refuse('INVALID_FIELD', `Foreign key object type ${name} needs one external id field`, [])
  const found =
    field.type === 'id'
      ? [{ Id: readId(String(value)) }]
      : [...writing.org.find(target, field, String(value))]
  const [only, ...others] = found
  if (!only?.Id || others.length > 0)
    throw refuse(
      'INVALID_FIELD',
      `Foreign key external ID: ${String(value)} not found for field ${field.name} in entity ${target.name}`,
      [],
    )
  return [{ field: reference, value: String(only.Id) }]
}

const emailForm = /^[^\s@<>(),;:"[\]\\]+@[^\s@<>(),;:"[\]\\]+\.[^\s@<>(),;:"[\]\\.]{2,}$/

export const isEmail = (text: string): boolean => text.length <= 254 && emailForm.test(text)

/** The first and the last year that a date can have. */
const isStorable = (value: string): boolean => {
  const year = Number(value.slice(0, 4))
  return year >= 1700 && year <= 4000
}

const checkValue = (writing: Writing, field: FieldSchema, value: unknown): void => {
  if (typeof value === 'number') {
    const whole = field.digits > 0 ? field.digits : field.precision - field.scale
    if (whole > 0 && Math.abs(value) >= 10 ** whole) throw outOfRange(field, value)
    const degrees = field.name.endsWith('Latitude') ? 90 : field.name.endsWith('Longitude') ? 180 : undefined
    if (degrees !== undefined && Math.abs(value) > degrees) throw outOfRange(field, value)
    return
  }
  if (typeof value !== 'string') return
  if (field.type === 'reference') {
    checkReference(writing, field, value)
    return
  }
  if ((field.type === 'date' || field.type === 'datetime') && !isStorable(value))
    throw dateOutOfRange(field, value)
  if (field.type === 'email' && !emailForm.test(value)) throw badEmail(field, value)
  if (field.length > 0 && value.length > field.length) throw tooLong(field, value)
  if (field.restricted && field.picklist.length > 0) {
    const choices = field.type === 'multipicklist' ? value.split(';') : [value]
    for (const choice of choices) if (!field.picklist.includes(choice)) throw badChoice(field, choice)
  }
}

const checkReference = (writing: Writing, field: FieldSchema, value: string): void => {
  const id = readId(value) ?? (writing.own.lookup(value) ? value : undefined)
  if (id === undefined) throw wrongIdType(field, value)
  const objects = writing.schema
    .withPrefix(prefixOf(id))
    .filter(({ name }) => field.referenceTo.includes(name))
  if (objects.length === 0) throw otherObject(field, value)
  if (objects.some((object) => writing.own.get(object, id))) return
  if (objects.some((object) => writing.org.get(object, id))) throw noCrossAccess(field)
  const binned = tableOf(writing.call.tables, binTable).get(id) as BinRow | undefined
  throw binned ? isDeleted() : badReference(field)
}

/** References are kept in the long form, whichever was given. */
export const longIds = (object: ObjectSchema, fields: Draft): Draft =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      object.field(name)?.type === 'reference' && typeof value === 'string'
        ? (readId(value) ?? value)
        : value,
    ]),
  )
