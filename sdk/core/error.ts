import type { ErrorDetail } from '@diorama/contract'

/** What went wrong before the service could answer, or in a wait of the client's own. */
export type ClientErrorCode =
  | 'network_error'
  | 'timeout'
  | 'unreadable_reply'
  | 'replay_limit_exceeded'
  | 'wait_failed'

export interface ErrorFacts {
  /** The HTTP status; 0 where there was no answer. */
  readonly status: number
  /** One of the service's codes or of the client's own. */
  readonly code: string
  readonly requestId?: string | undefined
  readonly details?: readonly ErrorDetail[] | undefined
  /** How long the service asked to wait. */
  readonly retryAfterMs?: number | undefined
  /** Where a stream that could not be replayed goes on. */
  readonly resumeFrom?: string | undefined
  readonly cause?: unknown
}

/** The one error of this client: a refusal of the service, or why it could not be asked. */
export class DioramaError extends Error {
  override readonly name = 'DioramaError'
  readonly status: number
  readonly code: string
  readonly requestId: string | undefined
  readonly details: readonly ErrorDetail[]
  readonly retryAfterMs: number | undefined
  readonly resumeFrom: string | undefined

  constructor(message: string, facts: ErrorFacts) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause })
    this.status = facts.status
    this.code = facts.code
    this.requestId = facts.requestId
    this.details = facts.details ?? []
    this.retryAfterMs = facts.retryAfterMs
    this.resumeFrom = facts.resumeFrom
  }
}

/** Reads an error reply; a proxy in between may have sent one that is not the service's. */
export const readRefusal = async (response: Response, now: number): Promise<DioramaError> => {
  const text = await response.text().catch(() => '')
  const body = fieldsOf(text)
  const retryAfterMs = readRetryAfter(response.headers.get('retry-after'), now)
  const requestId = textOf(body.request_id) ?? response.headers.get('x-request-id') ?? undefined
  const message = textOf(body.error) ?? `The service answered ${response.status}: ${text.slice(0, 300)}`
  return new DioramaError(message, {
    status: response.status,
    code: textOf(body.code) ?? '',
    requestId,
    details: detailsOf(body.details),
    retryAfterMs,
  })
}

const fieldsOf = (text: string): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

const detailsOf = (value: unknown): ErrorDetail[] =>
  Array.isArray(value)
    ? value.flatMap((item: { pointer?: unknown; message?: unknown } | null) => {
        const pointer = textOf(item?.pointer)
        const message = textOf(item?.message)
        return pointer === undefined || message === undefined ? [] : [{ pointer, message }]
      })
    : []

/** Seconds, or a date. */
export const readRetryAfter = (header: string | null, now: number): number | undefined => {
  if (header === null || header.trim() === '') return undefined
  const seconds = Number(header)
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1_000)
  const date = Date.parse(header)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
