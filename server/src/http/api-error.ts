import { type ErrorCode, type ErrorDetail, errorCodes } from '@diorama/contract'

/**
 * A refusal of the service: a code of the contract's table, a sentence, and the faults of a body. It is an answer and
 * not a fault, so it is made without a stack, which would cost more than the rest of it; its cause keeps its own.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: ErrorCode
  readonly status: number
  readonly details: readonly ErrorDetail[] | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(
    code: ErrorCode,
    message: string,
    extra: { details?: readonly ErrorDetail[]; retryAfterSeconds?: number; cause?: unknown } = {},
  ) {
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super(message, { cause: extra.cause })
    Error.stackTraceLimit = stackTraceLimit
    this.code = code
    this.status = errorCodes[code].status
    this.details = extra.details
    this.retryAfterSeconds = extra.retryAfterSeconds
  }
}

/** The same words for a record that is not there and for one of another organization. */
export const notFound = (what: string): ApiError => new ApiError('not_found', `There is no such ${what}.`)
