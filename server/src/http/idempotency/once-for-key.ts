import { ApiError } from '../api-error.ts'

/** A request under an idempotency key, and how the noun that answers it remembers requests. */
export interface KeyedRequest<Row, Made> {
  /** Null where the caller gave none: the work is then done each time. */
  readonly key: string | null
  /** The same for two requests with the same inputs. */
  readonly fingerprint: string
  /** What an earlier request with the key left behind. */
  readonly find: (key: string) => Promise<Row | undefined>
  /** False while the earlier request is still being answered. */
  readonly isAnswered: (row: Row) => boolean
  /** Does the work; undefined when another request has taken the key meanwhile. */
  readonly make: () => Promise<Made | undefined>
  readonly maxWaitMs: number
  /** Thrown when the earlier request has not been answered in that time. */
  readonly tooSlow: () => ApiError
}

const pollMs = 25

/**
 * Does the work of a request once for each idempotency key: the same request again gets what the first one made, also
 * while the first is still being answered, and another request with the key is a conflict.
 */
export const onceForKey = async <Row extends { readonly fingerprint: string }, Made>(
  request: KeyedRequest<Row, Made>,
): Promise<{ readonly earlier: Row } | { readonly made: Made }> => {
  const { key, fingerprint } = request
  for (let waitedMs = 0; waitedMs <= request.maxWaitMs; waitedMs += pollMs) {
    const earlier = key === null ? undefined : await request.find(key)
    if (earlier && earlier.fingerprint !== fingerprint)
      throw new ApiError('idempotency_conflict', `The idempotency key ${key} was used with different inputs.`)
    if (earlier && request.isAnswered(earlier)) return { earlier }
    if (!earlier) {
      const made = await request.make()
      if (made !== undefined) return { made }
      if (key === null) throw new Error('a request without an idempotency key lost it')
    }
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  }
  throw request.tooSlow()
}
