import { VendorError } from '@diorama/twin-kit/kernel/twin'

/** The kinds of error that clients distinguish, as the API names them. */
export type ErrorType =
  | 'invalid input'
  | 'authentication error'
  | 'feature not accessible'
  | 'forbidden'
  | 'graphql error'
  | 'ratelimited'
  | 'internal error'
  | 'user error'

const refusal = (
  message: string,
  {
    type,
    code,
    statusCode,
    presentable,
    ...more
  }: {
    type: ErrorType
    code: string
    statusCode?: number
    presentable: string
    [extra: string]: unknown
  },
): VendorError =>
  new VendorError(code, message, {
    data: {
      ...more,
      type,
      code,
      ...(statusCode === undefined ? {} : { statusCode }),
      userError: true,
      userPresentableMessage: presentable,
    },
  })

export const notFound = (type: string): VendorError =>
  refusal(`Entity not found: ${type}`, {
    type: 'invalid input',
    code: 'INPUT_ERROR',
    statusCode: 400,
    presentable: `Could not find referenced ${type}.`,
  })

export const inputError = (message: string, presentable: string): VendorError =>
  refusal(message, { type: 'invalid input', code: 'INPUT_ERROR', statusCode: 400, presentable })

/** An argument that does not hold what it must; each constraint has its own sentence. */
export const invalidArgument = (fault: {
  target: unknown
  property: string
  value: unknown
  constraints: Readonly<Record<string, string>>
}): VendorError =>
  refusal('Argument Validation Error', {
    validationErrors: [
      {
        target: fault.target,
        value: fault.value,
        property: fault.property,
        children: [],
        constraints: fault.constraints,
      },
    ],
    type: 'invalid input',
    code: 'INVALID_INPUT',
    presentable: `${Object.values(fault.constraints)[0]}.`,
  })

export const notUuid = (target: unknown, property: string, value: unknown): VendorError =>
  invalidArgument({
    target,
    property,
    value,
    constraints: {
      isUuid: Array.isArray(value)
        ? `each value in ${property} must be a UUID`
        : `${property} must be a UUID`,
    },
  })

/** State, cycle or project of another team; the words are recorded from the service. */
export const discrepancy = (): VendorError =>
  refusal('Discrepancy between issue team and state, cycle or project', {
    type: 'invalid input',
    code: 'INVALID_INPUT',
    presentable: 'The state, cycle or project does not belong to the team of the issue.',
  })

export const conflict = (type: string, id: string): VendorError =>
  inputError(`conflict on insert of ${type}`, `Entity ${type} with id ${id} already exists.`)

export const forbidden = (presentable: string, message = 'Forbidden'): VendorError =>
  refusal(message, { type: 'forbidden', code: 'FORBIDDEN', statusCode: 403, presentable })

export const notAccessible = (what: string): VendorError =>
  refusal('Feature not accessible', {
    type: 'feature not accessible',
    code: 'FEATURE_NOT_ACCESSIBLE',
    statusCode: 403,
    presentable: `${what} is not available in this workspace.`,
  })

/**
 * Something that the real service answers and the twin cannot. The wire counts it under `what`, so that a trial shows
 * what the twin lacked.
 */
export const notEmulated = (what: string): VendorError =>
  refusal('Feature not accessible', {
    type: 'feature not accessible',
    code: 'FEATURE_NOT_ACCESSIBLE',
    statusCode: 403,
    presentable: `${what} is not available in this workspace.`,
    [notEmulatedKey]: what,
  })
/** Where a refusal says what was not emulated; it is not part of the answer. */
export const notEmulatedKey = 'notEmulated'

/** A query that costs more than one request may; `why` is the sentence after the first. */
export const tooComplex = (why: string): VendorError =>
  refusal('Query too complex', {
    type: 'invalid input',
    code: 'INPUT_ERROR',
    statusCode: 400,
    presentable: `The query is too complex. ${why}`,
    http: { status: 400 },
  })
