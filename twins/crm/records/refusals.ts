import { VendorError } from '@diorama/twin-kit/kernel/twin'
import type { FieldSchema, ObjectSchema } from '../schema/schema.ts'
import type { Missing } from '../schema/standard-names.ts'

const refusal = (code: string, message: string, fields: readonly string[], status = 400): VendorError =>
  new VendorError(code, message, { status, data: { fields } })

export const noColumn = (name: string, object: string): VendorError =>
  new VendorError('INVALID_FIELD', `No such column '${name}' on sobject of type ${object}`, {
    data: { missing: { kind: 'field', object, name } satisfies Missing },
  })

export const requiredMissing = (fields: readonly string[]): VendorError =>
  refusal('REQUIRED_FIELD_MISSING', `Required fields are missing: [${fields.join(', ')}]`, fields)

export const notWritable = (fields: readonly string[]): VendorError =>
  refusal(
    'INVALID_FIELD_FOR_INSERT_UPDATE',
    `Unable to create/update fields: ${fields.join(', ')}. Please check the security settings of this field and verify that it is read/write for your profile or permission set.`,
    fields,
  )

export const tooLong = (field: FieldSchema, value: string): VendorError =>
  refusal(
    'STRING_TOO_LONG',
    `${field.label}: data value too large: ${value.slice(0, 1_000)} (max length=${field.length})`,
    [field.name],
  )

export const badChoice = (field: FieldSchema, value: string): VendorError =>
  refusal(
    'INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST',
    `${field.label}: bad value for restricted picklist field: ${value}`,
    [field.name],
  )

export const badEmail = (field: FieldSchema, value: string): VendorError =>
  refusal('INVALID_EMAIL_ADDRESS', `${field.label}: invalid email address: ${value}`, [field.name])

export const outOfRange = (field: FieldSchema, value: number): VendorError =>
  refusal(
    'NUMBER_OUTSIDE_VALID_RANGE',
    `${field.label}: value outside of valid range on numeric field: ${value}`,
    [field.name],
  )

export const wrongIdType = (field: FieldSchema, value: string): VendorError =>
  refusal('MALFORMED_ID', `${field.label}: id value of incorrect type: ${value}`, [field.name])

/** A well-formed id of another object than the field can point to. */
export const otherObject = (field: FieldSchema, value: string): VendorError =>
  refusal('FIELD_INTEGRITY_EXCEPTION', `${field.label}: id value of incorrect type: ${value}`, [field.name])

/** Days and moments outside the years that the service stores. */
export const dateOutOfRange = (field: FieldSchema, value: string): VendorError =>
  refusal('FIELD_INTEGRITY_EXCEPTION', `${field.label}: invalid date: ${value}`, [field.name])

export const badReference = (field?: FieldSchema): VendorError =>
  refusal('INVALID_CROSS_REFERENCE_KEY', 'invalid cross reference id', field ? [field.name] : [])

export const isDeleted = (): VendorError => refusal('ENTITY_IS_DELETED', 'entity is deleted', [], 404)

/** The error for an id without a record. */
export const unknownRecord = (id: string): VendorError =>
  new VendorError('NOT_FOUND', `Provided external ID field does not exist or is not accessible: ${id}`, {
    status: 404,
  })

/** An address below a record that names no relationship of its object. */
export const noRelation = (object: string, name: string): VendorError =>
  new VendorError('NOT_FOUND', 'The requested resource does not exist', {
    status: 404,
    data: { missing: { kind: 'relation', object, name } satisfies Missing },
  })

/** An address that nothing lives at; with the object that it names, where it names one. */
export const noResource = (object?: string): VendorError =>
  new VendorError('NOT_FOUND', 'The requested resource does not exist', {
    status: 404,
    ...(object === undefined
      ? {}
      : { data: { missing: { kind: 'object', name: object } satisfies Missing } }),
  })

/** A value that is not of the type its field has; the place is that of the value in the body. */
export const badScalar = (type: string, value: unknown, column: number): VendorError =>
  new VendorError(
    'JSON_PARSER_ERROR',
    `Cannot deserialize instance of ${type} from ${token(value)} value ${String(value).slice(0, 255)} or request may be missing a required field at [line:1, column:${column}]`,
  )

const token = (value: unknown): string =>
  typeof value === 'string'
    ? 'VALUE_STRING'
    : typeof value === 'boolean'
      ? `VALUE_${String(value).toUpperCase()}`
      : typeof value === 'number'
        ? Number.isInteger(value)
          ? 'VALUE_NUMBER_INT'
          : 'VALUE_NUMBER_FLOAT'
        : Array.isArray(value)
          ? 'START_ARRAY'
          : 'START_OBJECT'

/** The caller sees a record and may not do this to it. */
export const noRights = (): VendorError =>
  refusal('INSUFFICIENT_ACCESS_OR_READONLY', 'insufficient access rights on object id', [], 403)

/** Records of an object that cannot be written at all, or not by the caller. */
export const notAllowed = (what: 'inserted' | 'updated', { label }: ObjectSchema): VendorError =>
  refusal('CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY', `entity type cannot be ${what}: ${label}`, [])

/** A record that the caller may not see is not to be pointed at either. */
export const noCrossAccess = (field: FieldSchema): VendorError =>
  refusal(
    'INSUFFICIENT_ACCESS_ON_CROSS_REFERENCE_ENTITY',
    'insufficient access rights on cross-reference id',
    [field.name],
  )

export const integrity = (message: string, fields: readonly string[] = []): VendorError =>
  refusal('FIELD_INTEGRITY_EXCEPTION', message, fields)

export const duplicateValue = (field: string, id: string): VendorError =>
  refusal(
    'DUPLICATE_VALUE',
    `duplicate value found: ${field} duplicates value on record with id: ${id.slice(0, 15)}`,
    [],
  )

export const refuse = refusal
