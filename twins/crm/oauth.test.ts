import assert from 'node:assert/strict'
import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { describe, it } from 'node:test'
import jsforce from 'jsforce'
import { serveCrm } from './testing/world.ts'

const username = 'integration@northwind.northwind.example'
const redirect = 'https://app.example/callback'
const verifier = 'a-verifier-that-is-long-enough-for-anybody-0123456789'
const challenge = createHash('sha256').update(verifier).digest('base64url')

const open = async () => {
  const host = await serveCrm()
  const password = host.token.slice(host.token.indexOf('!') + 1)
  const post = async (path: string, form: Record<string, string>) => {
    const reply = await fetch(`${host.baseUrl}${path}`, {
      method: 'POST',
      body: new URLSearchParams(form),
      redirect: 'manual',
    })
    const text = await reply.text()
    return {
      status: reply.status,
      location: reply.headers.get('location') ?? '',
      text,
      json: text.startsWith('{') ? JSON.parse(text) : undefined,
    }
  }
  const token = (form: Record<string, string>) => post('/services/oauth2/token', form)
  const settings = (connectedApps: object[]) =>
    host.instance.control('writeSettings', { connectedApps }, { at: host.clock.now, baseUrl: host.baseUrl })
  return { host, password, post, token, settings, [Symbol.asyncDispose]: host[Symbol.asyncDispose] }
}

describe('the ways to log in', () => {
  it('ask a person for consent and exchange the code once, with PKCE, as jsforce does', async () => {
    await using world = await open()
    const { host, post, token, password } = world
    const oauth2 = new jsforce.OAuth2({
      loginUrl: host.baseUrl,
      clientId: 'app',
      clientSecret: 'any',
      redirectUri: redirect,
    })
    const page = await fetch(oauth2.getAuthorizationUrl({ state: '"><script>' }))
    assert.match(await page.text(), /app is asking for access/)
    const asked = { client_id: 'app', redirect_uri: redirect, response_type: 'code', state: 's' }
    const refused = await post('/services/oauth2/authorize', { ...asked, username, password: 'wrong' })
    assert.equal(refused.status, 403)
    const consent = async (more: Record<string, string> = {}) => {
      const { status, location } = await post('/services/oauth2/authorize', {
        ...asked,
        ...more,
        username,
        password,
        decision: 'allow',
      })
      assert.equal(status, 302)
      return new URL(location).searchParams.get('code') ?? assert.fail(location)
    }
    const connection = new jsforce.Connection({ oauth2 })
    const user = await connection.authorize(await consent())
    assert.match(user.id, /^005/)
    assert.ok(connection.refreshToken)
    const code = await consent({ code_challenge: challenge, code_challenge_method: 'S256' })
    const grant = { grant_type: 'authorization_code', code, client_id: 'app', redirect_uri: redirect }
    assert.equal((await token({ ...grant, code_verifier: 'wrong' })).json.error, 'invalid_grant')
    assert.equal((await token({ ...grant, code_verifier: verifier })).json.access_token, host.token)
    assert.equal((await token({ ...grant, code_verifier: verifier })).json.error, 'invalid_grant')
    const denied = await post('/services/oauth2/authorize', { ...asked, decision: 'deny' })
    assert.match(denied.location, /error=access_denied/)
    assert.deepEqual(host.failures, [])
  })

  it('connect a device with a short code that a person types', async () => {
    await using world = await open()
    const { host, post, token, password } = world
    const { json: device } = await token({ response_type: 'device_code', client_id: 'tv', scope: 'api' })
    assert.match(device.verification_uri, /\/setup\/connect$/)
    const poll = () => token({ grant_type: 'device', client_id: 'tv', code: device.device_code })
    assert.equal((await poll()).json.error, 'authorization_pending')
    assert.equal((await post('/setup/connect', { user_code: 'NOPE', username, password })).status, 403)
    assert.match(
      (await post('/setup/connect', { user_code: device.user_code, username, password })).text,
      /Connected/,
    )
    assert.equal((await poll()).json.access_token, host.token)
    assert.equal((await poll()).json.error, 'invalid_grant')
  })

  it('introspect tokens, and find revoked ones inactive', async () => {
    await using world = await open()
    const { host, post } = world
    const ask = async () =>
      (await post('/services/oauth2/introspect', { token: host.token, client_id: 'app', client_secret: 'x' }))
        .json
    const shown = await ask()
    assert.deepEqual([shown.active, shown.username, shown.token_type], [true, username, 'access_token'])
    await post('/services/oauth2/revoke', { token: host.token })
    assert.deepEqual(await ask(), { active: false })
  })

  it('hold connected apps to their addresses, secrets and certificates', async () => {
    await using world = await open()
    const { host, post, token, settings } = world
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const certificate = publicKey.export({ type: 'spki', format: 'pem' })
    settings([
      { clientId: 'known', clientSecret: 'hush', redirectUris: [redirect], certificate, runAs: username },
    ])
    const asked = { redirect_uri: redirect, response_type: 'code' }
    assert.equal((await post('/services/oauth2/authorize', { ...asked, client_id: 'other' })).status, 400)
    const elsewhere = { ...asked, client_id: 'known', redirect_uri: 'https://evil.example/' }
    assert.equal((await post('/services/oauth2/authorize', elsewhere)).status, 400)
    const credentials = { grant_type: 'client_credentials', client_id: 'known' }
    assert.equal((await token({ ...credentials, client_secret: 'wrong' })).json.error, 'invalid_client')
    assert.equal((await token({ ...credentials, client_secret: 'hush' })).json.access_token, host.token)
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const unsigned = `${part({ alg: 'RS256' })}.${part({ iss: 'known', sub: username, aud: host.baseUrl, exp: 1 })}`
    const signature = sign('RSA-SHA256', Buffer.from(unsigned), privateKey).toString('base64url')
    const grant = { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer' }
    assert.equal(
      (await token({ ...grant, assertion: `${unsigned}.${signature}` })).json.access_token,
      host.token,
    )
    assert.equal(
      (await token({ ...grant, assertion: `${unsigned}.${signature.slice(2)}AA` })).json.error,
      'invalid_grant',
    )
  })
})
