import type { Principal, Session, TwinReply, TwinRequest } from '@diorama/twin-kit/kernel/twin'
import {
  csrfToken,
  openSession,
  type Sessions,
  sessionOf,
  tokenHeader,
} from '@diorama/twin-kit/wires/odata/csrf'
import type { ErpTables } from '../tables.ts'

export const sessionCookie = 'SAP_SESSIONID_S4H_100'
const sessions: Sessions = { cookie: sessionCookie, lifetimeMs: 30 * 60_000 }

export interface Guard {
  readonly reads: boolean
  /** The request carries a token that fits its session. */
  readonly passes: () => boolean
  /** Adds the token that the caller asked for. */
  readonly headed: (reply: TwinReply) => TwinReply
}

/** Holds a request's token against its session's. */
export const guardOf = (request: TwinRequest, { now }: Session<ErpTables>, caller: Principal): Guard => {
  const reads = request.method === 'GET' || request.method === 'HEAD'
  const given = request.headers[tokenHeader] ?? ''
  const current = () => sessionOf(request.headers.cookie, caller, now, sessions)
  return {
    reads,
    passes: () => {
      const session = current()
      return session !== undefined && given === csrfToken(session, caller)
    },
    headed: (reply) => {
      if (!reads || !/^fetch$/i.test(given)) return reply
      const opened = current() ?? openSession(caller, now)
      const cookies = [
        `${sessions.cookie}=${opened}; path=/; HttpOnly`,
        'sap-usercontext=sap-client=100; path=/',
      ]
      return {
        ...reply,
        headers: { ...reply.headers, [tokenHeader]: csrfToken(opened, caller), 'set-cookie': cookies },
      }
    },
  }
}
