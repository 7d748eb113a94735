import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import type { Limits } from '@diorama/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../api-error.ts'
import type { Caller } from '../handler.ts'
import { createByteBudget, type Reservation, type Share } from './byte-budget.ts'
import { createTokenBuckets, type Taken } from './token-buckets.ts'

export interface FairUseOptions {
  readonly now: () => number
  /** Bodies of all callers together that may be in the memory of this process. */
  readonly maxBodyBytesInFlight: number
}

/** Why a request must wait. `isCaller` says whether the caller used up its own share or the process has no room. */
export interface Overuse {
  readonly isCaller: boolean
  readonly message: string
  readonly retryAfterSeconds: number
}

type FairUseLimits = Pick<Limits, 'requests_per_minute' | 'body_bytes_in_flight'>

interface Admission {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly organizationId: string
  readonly limits: FairUseLimits
  readonly key?: { readonly id: string; readonly requestsPerMinute: number | null }
}

export interface FairUse {
  /** Refuses a caller of the API that asks too often or has too much under way; before its body is read. */
  admitCaller(request: FastifyRequest, reply: FastifyReply, caller: Caller): void
  /** The same for a request to a twin, which refuses in its vendor's words. */
  admitTwinRequest(admission: Admission): Overuse | undefined
  /** Holds the body of a request that is not counted for an organization here, such as one for another node. */
  admitBody(request: FastifyRequest, reply: FastifyReply): Overuse | undefined
  /** Counts a body whose length was not announced as it arrives. */
  countBody(request: FastifyRequest, payload: Readable): void
  readonly bodyBytesInFlight: () => number
}

declare module 'fastify' {
  interface FastifyRequest {
    /** What is held of the body budget while the request is being answered. */
    bodyReservation: Reservation | undefined
  }
}

const processShare = 'process'

/**
 * Rate limits (token buckets) for organizations and keys, and a budget in bytes for bodies under way. Each node counts
 * for itself.
 */
export const createFairUse = ({ now, maxBodyBytesInFlight }: FairUseOptions): FairUse => {
  const buckets = createTokenBuckets(now)
  const budget = createByteBudget()
  const whole: Share = { name: processShare, maxBytes: maxBodyBytesInFlight }

  const takeRequest = ({ reply, organizationId, limits, key }: Admission): Overuse | undefined => {
    const rates = [
      { policy: 'organization', name: organizationId, perMinute: limits.requests_per_minute },
      { policy: 'key', name: key?.id ?? '', perMinute: key?.requestsPerMinute ?? null },
    ]
    const taken = rates.flatMap(({ policy, name, perMinute }) =>
      perMinute === null ? [] : [{ policy, perMinute, ...buckets.take(`${policy} ${name}`, perMinute) }],
    )
    if (taken.length > 0) reply.headers(rateHeaders(taken))
    const over = taken.find(({ isAllowed }) => !isAllowed)
    return over && overRate(over)
  }

  const hold = (
    request: FastifyRequest,
    reply: FastifyReply,
    shares: readonly Share[],
  ): Overuse | undefined => {
    const bytes = announcedBytes(request.raw)
    if (bytes === undefined) return undefined
    const reservation = budget.reserve(shares, bytes)
    if (!reservation) return noRoom(budget.held(processShare) + bytes <= maxBodyBytesInFlight)
    request.bodyReservation = reservation
    reply.raw.once('close', reservation.release)
    return undefined
  }

  const admit = (admission: Admission): Overuse | undefined =>
    takeRequest(admission) ??
    hold(admission.request, admission.reply, [
      whole,
      { name: admission.organizationId, maxBytes: admission.limits.body_bytes_in_flight },
    ])

  return {
    admitCaller: (request, reply, { organizationId, limits, keyId, keyRequestsPerMinute }) => {
      const key = { id: keyId, requestsPerMinute: keyRequestsPerMinute }
      const over = admit({ request, reply, organizationId, limits, key })
      if (!over) return
      const { isCaller, message, retryAfterSeconds } = over
      throw new ApiError(isCaller ? 'limit_exceeded' : 'unavailable', message, { retryAfterSeconds })
    },
    admitTwinRequest: admit,
    admitBody: (request, reply) => hold(request, reply, [whole]),
    countBody: (request, payload) => {
      const { bodyReservation } = request
      if (!bodyReservation || request.headers['content-length'] !== undefined) return
      payload.on('data', (chunk: Buffer) => {
        if (!bodyReservation.grow(chunk.length)) payload.destroy(tooMuchInFlight())
      })
    },
    bodyBytesInFlight: () => budget.held(processShare),
  }
}

/** How many bytes a request says that it brings; 0 where it does not say, undefined where it has no body. */
const announcedBytes = ({ headers }: IncomingMessage): number | undefined => {
  if (headers['transfer-encoding'] !== undefined) return 0
  const length = Number(headers['content-length'] ?? 0)
  return length > 0 ? length : undefined
}

/** The two fields of draft-ietf-httpapi-ratelimit-headers. */
const rateHeaders = (taken: readonly (Taken & { policy: string; perMinute: number })[]) => ({
  'ratelimit-policy': taken.map(({ policy, perMinute }) => `"${policy}";q=${perMinute};w=60`).join(', '),
  ratelimit: taken
    .map(({ policy, remaining, resetSeconds }) => `"${policy}";r=${remaining};t=${resetSeconds}`)
    .join(', '),
})

const overRate = ({
  policy,
  perMinute,
  retryAfterSeconds,
}: Taken & { policy: string; perMinute: number }) => ({
  isCaller: true,
  message: `The ${policy} may make ${perMinute} requests a minute; retry in ${retryAfterSeconds} s.`,
  retryAfterSeconds,
})

const noRoom = (isCaller: boolean): Overuse => ({
  isCaller,
  message: isCaller
    ? 'The organization has too many bytes of request bodies under way; retry when some are done.'
    : 'The service has too many bytes of request bodies under way; retry.',
  retryAfterSeconds: 1,
})

const tooMuchInFlight = (): ApiError =>
  new ApiError('limit_exceeded', noRoom(true).message, { retryAfterSeconds: 1 })
