import type { Session, TwinReply, TwinRequest } from '@diorama/twin-kit/kernel/twin'
import { credentialOf, principalOf } from '../actor.ts'
import type { ErpTables } from '../tables.ts'

const path = /^\/(?:sap|erp)\/bc\/sec\/oauth2\/token\/?$|^\/oauth\/token\/?$/i
const lifetimeSeconds = 43_199

/**
 * Bridges that know only OAuth exchange a client's secret for a token. Here the secret is the twin's token, or a
 * person's, and it is handed back as the bearer token.
 */
export const tokenEndpoint = (request: TwinRequest, session: Session<ErpTables>): TwinReply | undefined => {
  if (!path.test(request.path)) return undefined
  session.label('POST oauth2 token')
  if (request.method !== 'POST') return answer(405, { error: 'invalid_request' })
  const form = new URLSearchParams(new TextDecoder().decode(request.body))
  if (form.get('grant_type') !== 'client_credentials') return answer(400, { error: 'unsupported_grant_type' })
  const secret = form.get('client_secret') ?? credentialOf(request.headers)
  const principal = principalOf(session, secret)
  if (!principal) return answer(401, { error: 'invalid_client' })
  return answer(200, {
    access_token: principal.token,
    token_type: 'Bearer',
    expires_in: lifetimeSeconds,
    scope: '',
  })
}

const answer = (status: number, body: unknown): TwinReply => ({
  status,
  headers: { 'content-type': 'application/json;charset=utf-8', 'cache-control': 'no-store' },
  body: JSON.stringify(body),
})
