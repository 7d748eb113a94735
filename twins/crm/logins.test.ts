import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { rest, type Served, serveCrm, soql } from './testing/world.ts'

const form = (
  host: Pick<Served, 'baseUrl'>,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
) =>
  fetch(`${host.baseUrl}/services/oauth2/token`, {
    method: 'POST',
    body: new URLSearchParams(fields),
    headers,
  }).then(async (reply) => ({ status: reply.status, body: (await reply.json()) as Record<string, string> }))

describe('logging in', () => {
  it('works by every grant, and ends in the same session', async () => {
    await using host = await serveCrm()
    const secret = host.token.slice(host.token.indexOf('!') + 1)
    const username = 'integration@northwind.northwind.example'
    const assertion = `x.${Buffer.from(JSON.stringify({ iss: secret, sub: username })).toString('base64url')}.y`
    const password = await form(host, {
      grant_type: 'password',
      username,
      password: `${secret}SECURITYTOKEN`,
      client_id: 'x',
    })
    assert.equal(password.body.access_token, host.token)
    assert.equal(password.body.instance_url, host.baseUrl)
    assert.match(password.body.id ?? '', /\/id\/00D\w{15}\/005\w{15}$/)
    assert.match(password.body.issued_at ?? '', /^\d+$/)
    for (const fields of [
      { grant_type: 'client_credentials', client_id: 'x', client_secret: secret },
      { grant_type: 'refresh_token', refresh_token: password.body.refresh_token ?? '' },
      { grant_type: 'authorization_code', code: secret },
      { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion },
    ])
      assert.equal(
        (await form(host, fields as Record<string, string>)).body.access_token,
        host.token,
        fields.grant_type,
      )
    const basic = { authorization: `Basic ${Buffer.from(`x:${secret}`).toString('base64')}` }
    assert.equal(
      (await form(host, { grant_type: 'client_credentials' }, basic)).body.access_token,
      host.token,
    )
  })

  it('is refused with an object, not a list', async () => {
    await using host = await serveCrm()
    const wrong = await form(host, { grant_type: 'password', username: 'x@y.z', password: 'wrong' })
    assert.deepEqual(
      [wrong.status, wrong.body],
      [400, { error: 'invalid_grant', error_description: 'authentication failure' }],
    )
    const stale = await form(host, { grant_type: 'refresh_token', refresh_token: 'old' })
    assert.equal(stale.body.error_description, 'expired access/refresh token')
  })

  it('refuses one person’s secret with another’s name', async () => {
    await using host = await serveCrm()
    const secret = (host.tokens.dev ?? '').split('!')[1] ?? ''
    assert.equal(
      (await form(host, { grant_type: 'password', username: 'mira@northwind.example', password: secret }))
        .status,
      400,
    )
    const own = await form(host, {
      grant_type: 'password',
      username: 'dev@northwind.example',
      password: secret,
    })
    assert.equal(own.body.access_token, host.tokens.dev)
  })

  it('acts as the person whose token it is', async () => {
    await using host = await serveCrm()
    const made = await rest({ ...host, token: host.tokens.dev ?? '' }, 'POST', '/sobjects/Account', {
      Name: 'By Dev',
    })
    const { body } = await soql(
      host,
      `SELECT Owner.Name, CreatedBy.Name FROM Account WHERE Id = '${made.body.id}'`,
    )
    assert.deepEqual(
      [body.records[0].Owner.Name, body.records[0].CreatedBy.Name],
      ['Dev Sharma', 'Dev Sharma'],
    )
  })

  it('is over after a revocation, until the next login', async () => {
    await using host = await serveCrm()
    await fetch(`${host.baseUrl}/services/oauth2/revoke`, {
      method: 'POST',
      body: new URLSearchParams({ token: host.token }),
    })
    const refused = await rest(host, 'GET', '/limits')
    assert.deepEqual(
      [refused.status, refused.body],
      [401, [{ message: 'Session expired or invalid', errorCode: 'INVALID_SESSION_ID' }]],
    )
    const bad = await rest(host, 'GET', '/limits', undefined, { authorization: 'Token x' })
    assert.deepEqual(bad.body, [{ message: 'INVALID_HEADER_TYPE', errorCode: 'INVALID_AUTH_HEADER' }])
    await form(host, { grant_type: 'client_credentials', client_secret: host.token })
    assert.equal((await rest(host, 'GET', '/limits')).status, 200)
  })
})
