import type { Session, TwinReply, TwinRequest } from '../../kernel/twin.ts'
import { readForm } from '../rpc.ts'
import type { McpFace } from './tool.ts'

/** What the coverage calls the page on which a person would let a client in. */
export const signInPage = 'MCP sign-in page'

/**
 * How a client finds out that a bearer token is wanted and who gives it out: metadata of the protected resource
 * (RFC 9728) and of its authorization server (RFC 8414). Nobody signs in to a twin, so the one grant that needs no
 * person is served: a client's secret is a native token, and is handed back as the access token.
 */
export const answerAuthorization = (
  face: McpFace,
  request: TwinRequest,
  session: Session,
): TwinReply | undefined => {
  const { path, baseUrl } = request
  const resource = /^\/\.well-known\/oauth-protected-resource(\/.*)?$/.exec(path)
  if (resource) {
    session.label('oauth-protected-resource')
    const endpoint = resource[1] ?? '/mcp'
    return face.endpoint(endpoint)
      ? json(200, {
          resource: `${baseUrl}${endpoint}`,
          authorization_servers: [baseUrl],
          bearer_methods_supported: ['header'],
          scopes_supported: face.scopes ?? [],
          resource_name: face.serverInfo.title ?? face.serverInfo.name,
        })
      : json(404, { error: 'not_found' })
  }
  if (/^\/\.well-known\/(?:oauth-authorization-server|openid-configuration)(?:\/.*)?$/.test(path)) {
    session.label('oauth-authorization-server')
    return json(200, serverMetadata(face, baseUrl))
  }
  if (path === '/mcp/oauth/token') return token(request, session)
  if (path !== '/mcp/oauth/authorize') return undefined
  session.label('oauth authorize')
  session.notEmulated(signInPage)
  return json(501, {
    error: 'server_error',
    error_description: 'Sign-in pages are not emulated. Send a token of the twin as bearer token.',
  })
}

const serverMetadata = (face: McpFace, baseUrl: string) => ({
  issuer: baseUrl,
  authorization_endpoint: `${baseUrl}/mcp/oauth/authorize`,
  token_endpoint: `${baseUrl}/mcp/oauth/token`,
  response_types_supported: ['code'],
  grant_types_supported: ['client_credentials'],
  token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
  code_challenge_methods_supported: ['S256'],
  scopes_supported: face.scopes ?? [],
})

const token = (request: TwinRequest, session: Session): TwinReply => {
  session.label('oauth token')
  if (request.method !== 'POST') return json(405, { error: 'invalid_request' }, { allow: 'POST' })
  const form = readForm(new TextDecoder().decode(request.body))
  if (form.grant_type !== 'client_credentials') return json(400, { error: 'unsupported_grant_type' })
  const secret = form.client_secret ?? basicSecret(request.headers.authorization)
  const known = session.principals.find((principal) => principal.token === secret)
  return known
    ? json(200, { access_token: known.token, token_type: 'Bearer', expires_in: 43_200 })
    : json(401, { error: 'invalid_client' })
}

const basicSecret = (header = ''): string | undefined => {
  const packed = /^Basic\s+(\S+)$/i.exec(header)?.[1]
  if (packed === undefined) return undefined
  const text = Buffer.from(packed, 'base64').toString('utf8')
  const secret = text.slice(text.indexOf(':') + 1)
  try {
    return decodeURIComponent(secret)
  } catch {
    return secret
  }
}

/** The answer to a caller without a credential, with where it can learn how to get one. */
export const unauthorized = ({ baseUrl, path }: TwinRequest): TwinReply =>
  json(
    401,
    { error: 'invalid_token', error_description: 'Missing or invalid access token' },
    {
      'www-authenticate': `Bearer realm="OAuth", error="invalid_token", resource_metadata="${baseUrl}/.well-known/oauth-protected-resource${path}"`,
    },
  )

export const json = (
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): TwinReply => ({
  status,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
  body: JSON.stringify(body),
})
