import assert from 'node:assert/strict'
import { createHash, createPublicKey, type JsonWebKey, verify } from 'node:crypto'
import { describe, it } from 'node:test'
import { WebClient } from '@slack/web-api'
import { refusal, startChat } from '../../testing/client.ts'
import { openIdDocument } from './openid.ts'

type Settings = { credentials: Record<string, string> }

const start = async (manifest: object) => {
  const chat = await startChat()
  const place = { at: chat.host.clock.now, baseUrl: chat.host.baseUrl }
  const { output } = chat.host.instance.control('writeSettings', { manifest }, place)
  const { client_id = '', client_secret = '' } = (output as Settings).credentials
  const consent = async (fields: Record<string, string>) => {
    const reply = await fetch(`${chat.host.baseUrl}/oauth/v2/authorize`, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({
        client_id,
        redirect_uri: 'https://bot.example.com/done',
        state: 's1',
        ...fields,
      }),
    })
    const location = URL.parse(reply.headers.get('location') ?? '')
    return { status: reply.status, query: location?.searchParams, text: await reply.text() }
  }
  const open = new WebClient(undefined, {
    slackApiUrl: `${chat.host.baseUrl}/api/`,
    retryConfig: { retries: 0 },
  })
  const token = chat.host.tokens.mira ?? ''
  return {
    chat,
    client_id,
    client_secret,
    consent,
    open,
    token,
    redirect_uri: 'https://bot.example.com/done',
  }
}

describe('the install flow', () => {
  it('asks a person, gives out tokens with the scopes they agreed to, and names the scope that is missing', async () => {
    const flow = await start({ oauth_config: { redirect_urls: ['https://bot.example.com/'] } })
    await using chat = flow.chat
    const page = await fetch(
      `${chat.host.baseUrl}/oauth/v2/authorize?client_id=${flow.client_id}&scope=chat:write&state="><script>`,
    )
    assert.match(await page.text(), /chat:write[\s\S]*name="state" value="&#34;&#62;&#60;script&#62;"/)
    assert.equal((await flow.consent({ scope: 'chat:write', token: 'xoxp-none' })).status, 400)
    const { query } = await flow.consent({
      scope: 'chat:write',
      user_scope: 'reactions:write',
      token: flow.token,
    })
    assert.equal(query?.get('state'), 's1')
    const { client_id, client_secret, redirect_uri } = flow
    const given = { client_id, client_secret, redirect_uri, code: query?.get('code') ?? '' }
    assert.equal(
      await refusal(flow.open.oauth.v2.access({ ...given, client_secret: 'no' })),
      'bad_client_secret',
    )
    const installed = await flow.open.oauth.v2.access(given)
    assert.equal(await refusal(flow.open.oauth.v2.access(given)), 'invalid_code')
    assert.equal(installed.authed_user?.id, chat.user('mira'))
    const bot = chat.client(installed.access_token)
    assert.equal((await bot.chat.postMessage({ channel: chat.channel('pumps'), text: 'Installed' })).ok, true)
    const missing = await bot.users.list({}).catch((error) => error.data)
    assert.deepEqual(
      [missing.error, missing.needed, missing.provided],
      ['missing_scope', 'users:read', 'chat:write'],
    )
    assert.equal(
      await refusal(flow.open.oauth.v2.access({ ...given, redirect_uri: 'https://evil.example/' })),
      'invalid_code',
    )
    assert.equal(
      (await flow.consent({ scope: 'chat:write', token: flow.token, redirect_uri: 'https://evil.example/' }))
        .status,
      400,
    )
  })

  it('rotates tokens where the manifest says so', async () => {
    const flow = await start({ settings: { token_rotation_enabled: true } })
    await using chat = flow.chat
    const { query } = await flow.consent({ scope: 'chat:write', token: flow.token })
    const { client_id, client_secret, redirect_uri } = flow
    const first = await flow.open.oauth.v2.access({
      client_id,
      client_secret,
      redirect_uri,
      code: query?.get('code') ?? '',
    })
    assert.match(first.access_token ?? '', /^xoxe\.xoxb-1-/)
    const refresh = (refresh_token: string) =>
      flow.open.oauth.v2.access({ client_id, client_secret, grant_type: 'refresh_token', refresh_token })
    const second = await refresh(first.refresh_token ?? '')
    assert.equal(await refusal(refresh(first.refresh_token ?? '')), 'invalid_refresh_token')
    assert.equal((await chat.client(second.access_token).auth.test()).ok, true)
    chat.host.clock.now += 13 * 3_600_000
    assert.equal(await refusal(chat.client(second.access_token).auth.test()), 'token_expired')
  })

  it('exchanges a token that lasts for one that rotates, once, and ends it with the first refresh', async () => {
    const flow = await start({})
    await using chat = flow.chat
    const { client_id, client_secret, redirect_uri } = flow
    const { query } = await flow.consent({ scope: 'chat:write', token: flow.token })
    const code = query?.get('code') ?? ''
    const lasting = (await flow.open.oauth.v2.access({ client_id, client_secret, redirect_uri, code }))
      .access_token
    const exchange = (token = '', more = {}) =>
      flow.open.oauth.v2.exchange({ client_id, client_secret, token, ...more })
    assert.equal(await refusal(exchange(lasting)), 'token_rotation_not_enabled')
    const place = { at: chat.host.clock.now, baseUrl: chat.host.baseUrl }
    const manifest = { settings: { token_rotation_enabled: true } }
    chat.host.instance.control('writeSettings', { manifest }, place)
    assert.equal(await refusal(exchange(lasting, { client_secret: 'no' })), 'bad_client_secret')
    assert.equal(await refusal(exchange('xoxb-none')), 'invalid_token')
    const first = await exchange(lasting)
    assert.match(first.access_token ?? '', /^xoxe\.xoxb-1-/)
    assert.deepEqual([first.token_type, first.scope, first.expires_in], ['bot', 'chat:write', 43_200])
    assert.equal(await refusal(exchange(lasting)), 'token_already_exchanged')
    assert.equal(await refusal(exchange(first.access_token)), 'invalid_token')
    assert.equal((await chat.client(lasting).auth.test()).ok, true)
    const renewed = await flow.open.oauth.v2.access({
      ...{ client_id, client_secret, grant_type: 'refresh_token', refresh_token: first.refresh_token ?? '' },
    })
    assert.equal(await refusal(chat.client(lasting).auth.test()), 'token_expired')
    assert.equal((await chat.client(renewed.access_token).auth.test()).ok, true)
    const ofPerson = await exchange(flow.token)
    assert.match(ofPerson.authed_user?.access_token ?? '', /^xoxe\.xoxp-1-/)
    assert.equal(ofPerson.authed_user?.id, chat.user('mira'))
  })

  it('revokes the one token that asks for it, with its refresh token', async () => {
    const flow = await start({ settings: { token_rotation_enabled: true } })
    await using chat = flow.chat
    const { client_id, client_secret, redirect_uri } = flow
    const install = async () => {
      const { query } = await flow.consent({ scope: 'chat:write,users:read', token: flow.token })
      const code = query?.get('code') ?? ''
      return flow.open.oauth.v2.access({ client_id, client_secret, redirect_uri, code })
    }
    const [first, second] = [await install(), await install()]
    const revoked = async (args: object): Promise<unknown> =>
      Object(await chat.client(first.access_token).apiCall('auth.revoke', { ...args })).revoked
    assert.deepEqual(await revoked({ test: true }), false)
    assert.deepEqual(await revoked({}), true)
    assert.equal(await refusal(chat.client(first.access_token).auth.test()), 'token_revoked')
    const renewed = flow.open.oauth.v2.access({
      ...{ client_id, client_secret, grant_type: 'refresh_token', refresh_token: first.refresh_token ?? '' },
    })
    assert.equal(await refusal(renewed), 'invalid_refresh_token')
    assert.equal((await chat.client(second.access_token).auth.test()).ok, true)
    assert.equal((await chat.bot.auth.test()).ok, true)
  })

  it('signs people in with OpenID Connect', async () => {
    const flow = await start({})
    await using chat = flow.chat
    const reply = await fetch(`${chat.host.baseUrl}/openid/connect/authorize`, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({
        client_id: flow.client_id,
        redirect_uri: flow.redirect_uri,
        scope: 'openid profile email',
        nonce: 'n1',
        token: flow.token,
      }),
    })
    const code = URL.parse(reply.headers.get('location') ?? '')?.searchParams.get('code') ?? ''
    const { client_id, client_secret, redirect_uri } = flow
    const signed = await flow.open.openid.connect.token({ client_id, client_secret, redirect_uri, code })
    const claims = JSON.parse(Buffer.from(signed.id_token?.split('.')[1] ?? '', 'base64url').toString())
    assert.deepEqual([claims.sub, claims.nonce], [chat.user('mira'), 'n1'])
    const read = async (url: string) => (await fetch(url)).json()
    const found = JSON.parse(
      openIdDocument('/.well-known/openid-configuration', chat.host.baseUrl)?.body.toString() ?? '',
    )
    assert.equal(found.issuer, claims.iss)
    const [jwk] = ((await read(found.jwks_uri)) as { keys: [JsonWebKey & { kid: string }] }).keys
    assert.equal('d' in jwk, false, 'only the public half is shown')
    const [head = '', body = '', signature = ''] = signed.id_token?.split('.') ?? []
    assert.equal(JSON.parse(Buffer.from(head, 'base64url').toString()).kid, jwk.kid)
    const key = createPublicKey({ key: jwk, format: 'jwk' })
    const isSigned = (text: string) =>
      verify('sha256', Buffer.from(text), key, Buffer.from(signature, 'base64url'))
    assert.deepEqual([isSigned(`${head}.${body}`), isSigned(`${head}.${body}x`)], [true, false])
    const half = createHash('sha256')
      .update(signed.access_token ?? '')
      .digest()
      .subarray(0, 16)
    assert.equal(claims.at_hash, half.toString('base64url'))
    const info = await chat.client(signed.access_token).openid.connect.userInfo()
    assert.equal(info.sub, chat.user('mira'))
  })
})
