import { type ErrorCode, type ErrorDetail, errorCodes } from '@diorama/contract'

/** A refusal of the service: a code of the contract's table, a sentence, and the faults of a body. */
export class Refused extends Error {
  override readonly name = 'Refused'
  readonly code: ErrorCode
  readonly status: number
  readonly details: readonly ErrorDetail[] | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(
    code: ErrorCode,
    message: string,
    extra: { details?: readonly ErrorDetail[]; retryAfterSeconds?: number; cause?: unknown } = {},
  ) {
    super(message, { cause: extra.cause })
    this.code = code
    this.status = errorCodes[code].status
    this.details = extra.details
    this.retryAfterSeconds = extra.retryAfterSeconds
  }
}

/** The same words for a record that is not there and for one of another organization. */
export const notFound = (what: string): Refused => new Refused('not_found', `There is no such ${what}.`)
