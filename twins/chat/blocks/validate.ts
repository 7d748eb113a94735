import { isRecord } from '@diorama/twin-kit/records'
import { lookup } from '../values/records.ts'
import type {
  ArraySchema,
  NumberSchema,
  ObjectSchema,
  RuleContext,
  Schema,
  StringSchema,
  TextSchema,
  TypedSchema,
} from './schema.ts'

/** One complaint, in the words of the service's validator. */
export interface BlockFault {
  readonly code: 'missing_field' | 'invalid_type' | 'failed_constraint'
  readonly message: string
  /** A JSON pointer to the value. */
  readonly pointer: string
  readonly constraint?: { readonly type: string; readonly expected?: unknown }
  readonly field?: string
}

/** A payload with more faults than this is refused with the first of them. */
export const maxFaults = 100

/** A value, where it is, and where its faults are collected. */
export interface Checked {
  readonly value: unknown
  readonly pointer: string
  readonly faults: BlockFault[]
  readonly context: RuleContext
}

/** Checks a value against its schema and adds what is wrong to its list of faults. */
export const validate = (schema: Schema, at: Checked): undefined => {
  if (at.faults.length >= maxFaults) return
  switch (schema.is) {
    case 'any':
      return
    case 'nullable':
      if (at.value !== null) validate(schema.of, at)
      return
    case 'either':
      return validate(isRecord(at.value) ? schema.object : schema.string, at)
    case 'boolean':
      if (typeof at.value !== 'boolean') mistyped(at, 'must be a boolean')
      return
    case 'string':
      return checkString(schema, at)
    case 'integer':
    case 'number':
      return checkNumber(schema, at)
    case 'array':
      return checkArray(schema, at)
    case 'object':
      return checkObject(schema, at)
    case 'text':
      return checkText(schema, at)
    case 'typed':
      return checkTyped(schema, at)
  }
}

const mistyped = ({ faults, pointer }: Checked, message: string): undefined => {
  faults.push({ code: 'invalid_type', message, pointer })
}

interface Constraint {
  readonly type: string
  readonly message: string
  readonly expected?: unknown
}

export const failed = ({ faults, pointer }: Checked, { type, message, expected }: Constraint): undefined => {
  const constraint = { type, ...(expected !== undefined && { expected }) }
  faults.push({ code: 'failed_constraint', message, pointer, constraint })
}

export const missing = ({ faults, pointer }: Checked, field: string): undefined => {
  faults.push({ code: 'missing_field', message: `missing required field: ${field}`, pointer, field })
}

export const child = (at: Checked, name: string, value?: unknown): Checked => ({
  ...at,
  value,
  pointer: `${at.pointer}/${escapePointer(name)}`,
})

const escapePointer = (name: string): string =>
  name.includes('/') || name.includes('~') ? name.replace(/~/g, '~0').replace(/\//g, '~1') : name

/** Characters and not UTF-16 units; counted only where the units do not settle it. */
const isLonger = (text: string, max: number): boolean =>
  text.length > max && (text.length > max * 2 || [...text].length > max)

const isDate = (text: string): boolean => {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? []
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)))
  return date.getUTCMonth() + 1 === Number(month) && date.getUTCDate() === Number(day)
}

const formats = {
  uri: (text: string) => /^[a-z][a-z\d+.-]*:\S+$/i.test(text),
  date: isDate,
  time: (text: string) => /^([01]\d|2[0-3]):[0-5]\d$/.test(text),
}

const checkString = (schema: StringSchema, at: Checked): undefined => {
  const { value } = at
  const { min = 0, max, values, pattern, format } = schema
  if (typeof value !== 'string') mistyped(at, 'must provide a string')
  else if (values && !values.includes(value))
    failed(at, { type: 'enum', message: 'must be a valid enum value', expected: values })
  else if (value.length < min)
    failed(at, { type: 'min_length', message: `must be more than ${min - 1} characters`, expected: min })
  else if (max !== undefined && isLonger(value, max))
    failed(at, { type: 'max_length', message: `must be less than ${max + 1} characters`, expected: max })
  else if (pattern && !pattern.test(value))
    failed(at, { type: 'pattern', message: `input must match regex pattern: ${pattern.source}` })
  else if (format && !formats[format](value))
    failed(at, { type: 'format', message: `input must be a valid: ${format}`, expected: format })
}

const checkNumber = (schema: NumberSchema, at: Checked): undefined => {
  const { value } = at
  const { is, min, max, values } = schema
  if (typeof value !== 'number' || (is === 'integer' && !Number.isInteger(value)))
    mistyped(at, is === 'integer' ? 'must provide an integer' : 'must provide a number')
  else if (values && !values.includes(value))
    failed(at, { type: 'enum', message: 'must be a valid enum value', expected: values })
  else if (min !== undefined && value < min)
    failed(at, { type: 'minimum', message: `must be greater than ${min}`, expected: min })
  else if (max !== undefined && value > max)
    failed(at, { type: 'maximum', message: `must be less than ${max}`, expected: max })
}

const checkArray = (schema: ArraySchema, at: Checked): undefined => {
  const { value } = at
  const { min = 0, max, unique, items } = schema
  if (!Array.isArray(value)) mistyped(at, 'must provide an array')
  else if (value.length < min)
    failed(at, { type: 'min_items', message: `must provide at least ${min} items`, expected: min })
  else if (max !== undefined && value.length > max)
    failed(at, { type: 'max_items', message: `no more than ${max} items allowed`, expected: max })
  else {
    for (const [n, item] of value.entries()) validate(items, child(at, String(n), item))
    if (unique && new Set(value).size !== value.length)
      failed(at, { type: 'unique_items', message: 'Input contains duplicate items' })
  }
}

const checkObject = (schema: ObjectSchema, at: Checked): undefined => {
  const { value, faults } = at
  if (!isRecord(value)) return mistyped(at, 'must provide an object')
  const before = faults.length
  for (const [name, field] of Object.entries(schema.fields)) {
    const given = Object.hasOwn(value, name) ? value[name] : undefined
    const isRequired = 'required' in field
    if (given !== undefined) validate(isRequired ? field.required : field, child(at, name, given))
    else if (isRequired) missing(at, name)
  }
  for (const name of Object.keys(value)) {
    if (faults.length >= maxFaults) return
    if (!Object.hasOwn(schema.fields, name))
      failed(at, { type: 'additional_properties', message: `invalid additional property: ${shown(name)}` })
  }
  // Rules assume well-formed fields.
  if (faults.length > before) return
  for (const rule of schema.rules ?? [])
    for (const { message, at: below = '' } of rule(value, at.context))
      failed({ ...at, pointer: `${at.pointer}${below}` }, { type: 'all_of', message })
}

const checkText = (schema: TextSchema, at: Checked): undefined => {
  const { value } = at
  if (!isRecord(value)) return mistyped(at, 'must provide an object')
  const { type, text } = value
  if (type === undefined) return missing(at, 'type')
  const kind = schema.kinds.find((one) => one === type)
  if (kind === undefined)
    return failed(child(at, 'type'), {
      type: 'enum',
      message: schema.kinds.length === 1 ? 'must be a valid enum value' : `unsupported type: ${shown(type)}`,
      expected: schema.kinds,
    })
  if (typeof text === 'string' && schema.wrapped && isLonger(text, schema.max))
    failed(at, { type: 'all_of', message: 'failed to match all allowed schemas' })
  checkObject(textObject(schema, kind), at)
}

const textObject = ({ min, max }: TextSchema, kind: 'plain_text' | 'mrkdwn'): ObjectSchema => ({
  is: 'object',
  fields: {
    type: { is: 'any' },
    text: { required: { is: 'string', min, max } },
    [kind === 'plain_text' ? 'emoji' : 'verbatim']: { is: 'boolean' },
  },
})

const checkTyped = (schema: TypedSchema, at: Checked): undefined => {
  const { value } = at
  if (!isRecord(value)) return mistyped(at, 'must provide an object')
  const type = value.type ?? schema.fallback
  if (type === undefined) return missing(at, 'type')
  const found = typeof type === 'string' ? lookup(schema.types, type) : undefined
  if (found && (!found.surfaces || found.surfaces.includes(at.context.surface))) return checkObject(found, at)
  failed(child(at, 'type'), {
    type: 'enum',
    message: `unsupported type: ${shown(type)}`,
    expected: Object.keys(schema.types),
  })
}

/** A value in a message, cut so that a caller cannot make the reply large. */
const shown = (value: unknown): string =>
  String(typeof value === 'string' ? value : JSON.stringify(value)).slice(0, 100)
