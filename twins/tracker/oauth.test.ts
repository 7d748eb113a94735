import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import { serveTwin } from '@diorama/twin-kit/testing/host'
import { LinearClient } from '@linear/sdk'
import { section as trackerSection } from './section.ts'
import { section, withAgents } from './testing/world.ts'
import { tracker } from './twin.ts'
import { day, minute } from './values/times.ts'

const redirect = 'https://app.example/callback'
const verifier = 'a-verifier-that-is-long-enough-for-anybody-0123456789'
const challenge = createHash('sha256').update(verifier).digest('base64url')

const open = async () => {
  const twin = await serveTwin(tracker, trackerSection.parse(section))
  const post = (path: string, form: Record<string, string>, headers: Record<string, string> = {}) =>
    fetch(`${twin.baseUrl}${path}`, {
      method: 'POST',
      headers,
      body: new URLSearchParams(form),
      redirect: 'manual',
    })
  const token = async (form: Record<string, string>, headers: Record<string, string> = {}) => {
    const reply = await post('/oauth/token', form, headers)
    return { status: reply.status, body: (await reply.json()) as Record<string, string> }
  }
  const client = (accessToken: string) => new LinearClient({ accessToken, apiUrl: `${twin.baseUrl}/graphql` })
  const admin = new LinearClient({ apiKey: twin.token, apiUrl: `${twin.baseUrl}/graphql` })
  const { data } = await admin.client.rawRequest<
    { oauthApplicationCreate: { clientSecret: string; application: { clientId: string } } },
    Record<string, unknown>
  >(
    'mutation($input: OAuthApplicationCreateInput!) { oauthApplicationCreate(input: $input) { clientSecret application { clientId } } }',
    {
      input: {
        name: 'Pump Watch',
        developer: 'Northwind',
        redirectUris: [redirect],
        grantTypes: ['authorization_code', 'client_credentials'],
      },
    },
  )
  const made = data?.oauthApplicationCreate ?? assert.fail()
  const { clientId } = made.application
  const app = { client_id: clientId, client_secret: made.clientSecret }
  const asked = (scope: string, more: Record<string, string> = {}) => ({
    client_id: clientId,
    redirect_uri: redirect,
    response_type: 'code',
    scope,
    state: 'xyz',
    ...more,
  })
  /** Answers the consent page as a person and gives the code that the application is sent. */
  const consent = async (scope: string, credential: string, more: Record<string, string> = {}) => {
    const reply = await post('/oauth/authorize', { ...asked(scope, more), credential, decision: 'allow' })
    assert.equal(reply.status, 302, await reply.text())
    const back = new URL(reply.headers.get('location') ?? '')
    assert.equal(back.searchParams.get('state'), 'xyz')
    return back.searchParams.get('code') ?? assert.fail()
  }
  const exchange = (code: string, more: Record<string, string> = {}) =>
    token({ grant_type: 'authorization_code', code, redirect_uri: redirect, ...app, ...more })
  return {
    twin,
    post,
    token,
    client,
    app,
    asked,
    consent,
    exchange,
    [Symbol.asyncDispose]: twin[Symbol.asyncDispose],
  }
}

const scopeError = /Invalid scope/

describe('OAuth', () => {
  it('asks a person for consent, and gives their application a token with what they granted', async () => {
    await using world = await open()
    const { twin, consent, exchange, client, asked } = world
    const page = await fetch(
      `${twin.baseUrl}/oauth/authorize?${new URLSearchParams(asked('read,comments:create'))}`,
    )
    assert.match(await page.text(), /Pump Watch wants to access Northwind Supply/)
    const code = await consent('read,comments:create', twin.tokens.dev ?? '', {
      code_challenge: challenge,
      code_challenge_method: 'S256',
    })
    assert.equal((await exchange(code, { code_verifier: 'another' })).body.error, 'invalid_grant')
    const { body } = await exchange(code, { code_verifier: verifier })
    assert.deepEqual(
      [body.token_type, body.scope, body.expires_in],
      ['Bearer', 'read comments:create', 86_399],
    )
    assert.equal((await exchange(code, { code_verifier: verifier })).body.error, 'invalid_grant')
    const dev = client(body.access_token ?? '')
    assert.equal((await dev.viewer).name, 'Dev Sharma')
    assert.ok((await dev.createComment({ issueId: 'ENG-1', body: 'Seen' })).success)
    await assert.rejects(() => dev.updateIssue('ENG-1', { title: 'No' }), scopeError)
    await assert.rejects(() => dev.webhooks(), scopeError)
    assert.deepEqual(twin.failures, [])
  })

  it('holds the verifier against the challenge by either method, and needs no secret of such a client', async () => {
    await using world = await open()
    const { twin, post, asked, consent, token, app } = world
    const { client_id } = app
    const public_ = (code: string, more: Record<string, string> = {}) =>
      token({ grant_type: 'authorization_code', code, redirect_uri: redirect, client_id, ...more })
    const challenges = [
      [{ code_challenge: challenge, code_challenge_method: 'S256' }, challenge],
      [{ code_challenge: verifier, code_challenge_method: 'plain' }, challenge],
      [{ code_challenge: verifier }, 'another'],
    ] as const
    for (const [asking, wrong] of challenges) {
      const code = await consent('read', twin.tokens.dev ?? '', asking)
      for (const given of [{}, { code_verifier: '' }, { code_verifier: wrong }])
        assert.equal((await public_(code, given)).body.error, 'invalid_grant')
      const { body } = await public_(code, { code_verifier: verifier })
      const refresh_token = body.refresh_token ?? ''
      assert.equal((await token({ grant_type: 'refresh_token', refresh_token, client_id })).status, 200)
    }
    const md5 = await post('/oauth/authorize', asked('read', { code_challenge_method: 'MD5' }))
    assert.match(md5.headers.get('location') ?? '', /error=invalid_request/)
    // Without a challenge the secret is what proves the client, also when it refreshes.
    const code = await consent('read', twin.tokens.dev ?? '')
    assert.equal((await public_(code, { code_verifier: verifier })).body.error, 'invalid_client')
    const { body } = await public_(code, app)
    const refresh_token = body.refresh_token ?? ''
    assert.equal((await token({ grant_type: 'refresh_token', refresh_token, client_id })).status, 401)
    assert.equal((await token({ grant_type: 'refresh_token', refresh_token, ...app })).status, 200)
  })

  it('refuses clients, addresses, scopes and people that it does not know', async () => {
    await using world = await open()
    const { twin, post, token, asked, app } = world
    const to = (form: Record<string, string>) =>
      post('/oauth/authorize', { ...form, decision: 'allow', credential: twin.token })
    assert.equal((await to({ ...asked('read'), client_id: 'nobody' })).status, 400)
    assert.equal((await to({ ...asked('read'), redirect_uri: 'https://evil.example/' })).status, 400)
    const bad = await to(asked('read offline_access'))
    assert.match(bad.headers.get('location') ?? '', /error=invalid_scope.*offline_access/)
    const stranger = await post('/oauth/authorize', { ...asked('read'), credential: 'lin_api_guess' })
    assert.equal(stranger.status, 403)
    const member = { ...asked('read', { actor: 'app' }), credential: twin.tokens.dev ?? '' }
    assert.match(await (await post('/oauth/authorize', member)).text(), /Only an administrator/)
    const denied = await post('/oauth/authorize', { ...asked('read'), decision: 'deny' })
    assert.match(denied.headers.get('location') ?? '', /error=access_denied/)
    assert.equal((await token({ grant_type: 'client_credentials', ...app, client_secret: 'x' })).status, 401)
    assert.equal((await token({ grant_type: 'magic', ...app })).body.error, 'unsupported_grant_type')
    const markup = await post('/oauth/authorize', { ...asked('read'), state: '"><script>', credential: '' })
    assert.ok(!(await markup.text()).includes('<script>'))
  })

  it('lets an application act as itself, refreshes its tokens with a grace period, and revokes them', async () => {
    await using world = await open()
    const { twin, post, consent, exchange, token, client, app } = world
    const code = await consent('read,write,app:assignable,app:mentionable', twin.token, { actor: 'app' })
    const { body: first } = await exchange(code)
    const agent = client(first.access_token ?? '')
    const me = await agent.viewer
    assert.deepEqual([me.name, me.app, me.supportsAgentSessions], ['Pump Watch', true, true])
    const comment = await (
      await agent.createComment({ issueId: 'ENG-1', body: 'By name', createAsUser: 'Ada' })
    ).comment
    assert.equal(comment?.botActor?.userDisplayName, 'Ada')
    const renew = (refresh_token = '') => token({ grant_type: 'refresh_token', refresh_token, ...app })
    const second = await renew(first.refresh_token)
    assert.deepEqual((await renew(first.refresh_token)).body, second.body)
    twin.clock.now += 31 * minute
    assert.equal((await renew(first.refresh_token)).body.error, 'invalid_grant')
    twin.clock.now += day
    await assert.rejects(() => client(first.access_token ?? '').viewer, /not authenticated/)
    const { body: third } = await renew(second.body.refresh_token)
    assert.ok(await client(third.access_token ?? '').viewer)
    assert.equal((await post('/oauth/revoke', { token: third.access_token ?? '' })).status, 200)
    assert.equal((await post('/oauth/revoke', { token: third.access_token ?? '' })).status, 400)
    await assert.rejects(() => client(third.access_token ?? '').viewer, /not authenticated/)
  })

  it('gives tokens for client credentials, by form and by Basic, to applications that may have them', async () => {
    await using world = await open()
    const { token, client, app } = world
    const basic = Buffer.from(`${app.client_id}:${app.client_secret}`).toString('base64')
    const { body } = await token(
      { grant_type: 'client_credentials', scope: 'read,issues:create' },
      { authorization: `Basic ${basic}` },
    )
    assert.equal(body.expires_in, 30 * 86_400 - 1)
    assert.equal(body.refresh_token, undefined)
    const agent = client(body.access_token ?? '')
    const team = (await agent.teams()).nodes[0]
    assert.ok((await agent.createIssue({ teamId: team?.id ?? '', title: 'From an app' })).success)
    await assert.rejects(() => agent.createComment({ issueId: 'ENG-1', body: 'No' }), scopeError)
  })

  it('gives the accounts of seeded applications tokens, and their secrets to those who run them', async () => {
    const parsed = trackerSection.parse(withAgents)
    await using twin = await serveTwin(tracker, parsed)
    const principals = twin.instance.principals
    const { variables } = tracker.clients({ slug: 'northwind', token: twin.token, principals })
    const form = {
      grant_type: 'client_credentials',
      client_id: variables.LINEAR_CLIENT_ID ?? '',
      client_secret: variables.LINEAR_CLIENT_SECRET ?? '',
      scope: 'read',
    }
    const reply = await fetch(`${twin.baseUrl}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams(form),
    })
    const { access_token } = (await reply.json()) as { access_token: string }
    for (const accessToken of [access_token, variables.LINEAR_ACCESS_TOKEN ?? '']) {
      const client = new LinearClient({ accessToken, apiUrl: `${twin.baseUrl}/graphql` })
      assert.equal((await client.viewer).name, 'Helper Bot')
    }
  })
})
