import { timingSafeEqual } from 'node:crypto'
import { ApiError } from '../http/api-error.ts'
import type { Caller } from '../http/handler.ts'
import type { Wake } from '../storage/wake.ts'
import { hashSecret } from './secrets.ts'
import { type AuthStore, toKey } from './store.ts'

const freshMs = 5_000
const maxCached = 10_000
export const keysChanged = 'keys'

interface Known {
  readonly caller: Caller
  readonly expiresAt: number
  readonly until: number
}

export interface Authenticator {
  /** At once for a key that was seen lately: most requests need not wait their turn. */
  readonly authenticate: (authorization: string | undefined) => Caller | Promise<Caller>
  /** Whether a key still opens anything; a failure to find out is thrown. */
  readonly isValid: (authorization: string) => Promise<boolean>
  readonly forgetAll: () => void
  /** Writes when each key was last used; called now and then, not at each request. */
  readonly flushUse: () => Promise<void>
  readonly close: () => void
}

/**
 * Turns a bearer secret into a caller. Keys that were seen lately are kept in memory for a few seconds; a revocation
 * or a change of limits anywhere empties that memory everywhere.
 */
export const openAuthenticator = ({
  store,
  wake,
  now,
}: {
  store: AuthStore
  wake: Wake
  now: () => number
}): Authenticator => {
  const known = new Map<string, Known>()
  const used = new Map<string, number>()
  /** Grows with each change of a key: what was read before a change is not kept after it. */
  let generation = 0
  const forgetAll = () => {
    generation++
    known.clear()
  }
  const stopListening = wake.on(keysChanged, forgetAll)

  const look = async (authorization: string): Promise<Known | undefined> => {
    const secret = /^Bearer +(\S+)$/i.exec(authorization)?.[1]
    if (secret === undefined)
      throw new ApiError('unauthorized', 'Send an API key: Authorization: Bearer dk_….')
    const hash = hashSecret(secret)
    const readAt = generation
    const found = await store.findBySecret(hash)
    if (!found || !timingSafeEqual(found.key.secret_hash, hash) || found.key.revoked_at) return undefined
    const { key, organization } = found
    const { scopes, class: keyClass } = toKey(key)
    const caller: Caller = {
      organizationId: organization.id,
      organizationName: organization.name,
      organizationCreatedAt: organization.created_at,
      limits: organization.limits,
      keyId: key.id,
      keyName: key.name,
      keyClass,
      scopes: new Set(scopes),
      keyExpiresAt: key.expires_at,
      keyRequestsPerMinute: key.requests_per_minute,
    }
    const entry = {
      caller,
      expiresAt: key.expires_at?.getTime() ?? Number.POSITIVE_INFINITY,
      until: now() + freshMs,
    }
    if (known.size >= maxCached) known.clear()
    if (readAt === generation) known.set(authorization, entry)
    return entry
  }

  const enter = (entry: Known | undefined): Caller => {
    const at = now()
    if (!entry || entry.expiresAt <= at) throw new ApiError('unauthorized', 'The API key is not valid.')
    used.set(entry.caller.keyId, at)
    return entry.caller
  }

  return {
    authenticate: (authorization: string | undefined): Caller | Promise<Caller> => {
      const cached = known.get(authorization ?? '')
      return cached && cached.until > now() ? enter(cached) : look(authorization ?? '').then(enter)
    },
    isValid: async (authorization: string): Promise<boolean> => {
      const cached = known.get(authorization)
      const entry = cached && cached.until > now() ? cached : await look(authorization)
      return entry !== undefined && entry.expiresAt > now()
    },
    forgetAll,
    flushUse: async (): Promise<void> => {
      const batch = new Map(Array.from(used, ([id, at]) => [id, new Date(at)]))
      used.clear()
      await store.touchKeys(batch)
    },
    close: stopListening,
  }
}
