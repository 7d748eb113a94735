import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { joinService, testService } from '../../testing.ts'

const mark = { 'x-diorama-console': '1' }
const json = { 'content-type': 'application/json' }

describe('the console', () => {
  it('lets a browser in by a cookie that scripts cannot read, only when the page says that it is the console', async () => {
    await using service = await testService()
    const send = (path: string, init: RequestInit) => fetch(`${service.baseUrl}${path}`, init)
    const body = JSON.stringify({ key: service.key })
    assert.equal((await send('/console/session', { method: 'POST', headers: json, body })).status, 403)
    const wrong = JSON.stringify({ key: 'dk_not-a-key-of-this-service-at-all' })
    const refused = await send('/console/session', {
      method: 'POST',
      headers: { ...json, ...mark },
      body: wrong,
    })
    assert.equal(refused.status, 401)
    const entered = await send('/console/session', { method: 'POST', headers: { ...json, ...mark }, body })
    assert.equal(entered.status, 204)
    const set = entered.headers.get('set-cookie') ?? ''
    assert.match(set, /; HttpOnly; SameSite=Strict; Max-Age=43200$/)
    assert.ok(!set.includes(service.key))
    const cookie = set.split(';')[0] ?? ''
    const me = (headers: Record<string, string>) => send('/v1/me', { headers })
    assert.equal((await me({ cookie, ...mark })).status, 200)
    assert.equal((await me({ cookie })).status, 401)
    const middle = Math.floor(cookie.length / 2)
    const other = cookie[middle] === 'A' ? 'B' : 'A'
    const forged = cookie.slice(0, middle) + other + cookie.slice(middle + 1)
    assert.equal((await me({ cookie: forged, ...mark })).status, 401)
    const left = await send('/console/session', { method: 'DELETE', headers: { cookie, ...mark } })
    assert.match(left.headers.get('set-cookie') ?? '', /^diorama_session=; .*Max-Age=0/)
  })

  it('keeps a person signed in on every node of the database', async () => {
    await using first = await testService()
    await using second = await joinService(first)
    const headers = { ...json, ...mark }
    const body = JSON.stringify({ key: first.key })
    const entered = await fetch(`${first.baseUrl}/console/session`, { method: 'POST', headers, body })
    const cookie = (entered.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
    assert.equal((await fetch(`${second.baseUrl}/v1/me`, { headers: { cookie, ...mark } })).status, 200)
  })

  it('answers for its own pages alone, under a policy that allows no script and no host but its own', async () => {
    await using service = await testService()
    const page = await service.call('GET', '/worlds/wld_any/story', undefined, { key: null })
    assert.ok([200, 503].includes(page.status))
    assert.match(page.headers.get('content-type') ?? '', /^text\/html/)
    const policy = page.headers.get('content-security-policy') ?? ''
    assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self' 'nonce-[\w-]+'/)
    assert.ok(!policy.includes('unsafe'))
    for (const path of ['/v1/nothing', '/nothing', '/assets/nothing.js', '/assets/..%2fpackage.json']) {
      const missing = await service.call('GET', path)
      assert.deepEqual([missing.status, missing.body.code], [404, 'not_found'], path)
    }
  })

  it('shows its own page for an address that does not exist, to browsers alone', async () => {
    await using service = await testService()
    const visited = (path: string) => fetch(service.baseUrl + path, { headers: { accept: 'text/html,*/*' } })
    const lost = await visited('/nothing/here')
    assert.ok([404, 503].includes(lost.status))
    assert.match(lost.headers.get('content-type') ?? '', /^text\/html/)
    for (const path of ['/v1/nothing', '/t/nothing/here', '/assets/nothing.js'])
      assert.doesNotMatch((await visited(path)).headers.get('content-type') ?? '', /html/, path)
  })
})
