import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const preload = fileURLToPath(new URL('./redirect.mjs', import.meta.url))
const repository = fileURLToPath(new URL('../..', import.meta.url))

/** Answers every request with what it saw, in a shape that the vendors' clients accept as success. */
const standIn = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    response.setHeader('content-type', 'application/json')
    response.end(
      JSON.stringify({
        ok: true,
        path: request.url,
        method: request.method,
        asked: request.headers['x-forwarded-host'],
        body: Buffer.concat(chunks).toString(),
        data: { viewer: { id: 'person-1' } },
      }),
    )
  })
})
let base = ''
before(async () => {
  await new Promise<void>((resolve) => standIn.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(standIn.address() as AddressInfo).port}`
})
after(() => standIn.close())

const program = async (code: string): Promise<string> => {
  const redirects = {
    'chat.example': `${base}/t/chat`,
    '*.chat.example': `${base}/t/many`,
    'slack.com': `${base}/t/chat`,
    'api.linear.app': `${base}/t/tracker`,
    'acme.my.salesforce.com': `${base}/t/crm`,
  }
  const env = { PATH: process.env.PATH, DIORAMA_REDIRECTS: JSON.stringify(redirects) }
  const { stdout } = await run(process.execPath, ['--import', preload, '--input-type=module', '-e', code], {
    env,
    cwd: repository,
    timeout: 120_000,
  })
  return stdout.trim()
}

test('the global fetch reaches the twin with path, query, method and body', async () => {
  const out = await program(`
    const r = await fetch('https://chat.example/api/post?x=1', { method: 'POST', body: 'hello', headers: { host: 'chat.example' } })
    const j = await r.json(); console.log(j.method, j.path, j.asked, j.body)`)
  assert.equal(out, 'POST /t/chat/api/post?x=1 chat.example hello')
})

test('a Request object keeps its method, headers and body on the way', async () => {
  const out = await program(`
    const r = await fetch(new Request('https://files.chat.example/up', { method: 'PUT', body: 'bytes', duplex: 'half' }))
    const j = await r.json(); console.log(j.method, j.path, j.asked, j.body)`)
  assert.equal(out, 'PUT /t/many/up files.chat.example bytes')
})

test('https.request and https.get reach the twin in every form of their arguments', async () => {
  const out = await program(`
    import https, { get } from 'node:https'
    import { text } from 'node:stream/consumers'
    const read = (start) => new Promise((ok, no) => start(async (r) => ok(JSON.parse(await text(r)))).on('error', no))
    const a = await read((cb) => get('https://chat.example/a', cb))
    const b = await read((cb) => { const r = https.request({ hostname: 'chat.example', path: '/b', method: 'PATCH', agent: new https.Agent({ keepAlive: true }) }, cb); r.end('x'); return r })
    const c = await read((cb) => https.get(new URL('https://chat.example/c?q'), { headers: { Host: 'chat.example' } }, cb))
    console.log(a.path, b.method, b.path, b.body, c.path)`)
  assert.equal(out, '/t/chat/a PATCH /t/chat/b x /t/chat/c?q')
})

test('axios and three vendors’ own clients reach the twin by the real host names', async () => {
  const out = await program(`
    import axios from 'axios'
    import { WebClient as Seven } from 'slack-web-api-7'
    import { WebClient as Eight } from '@slack/web-api'
    import { LinearClient } from 'linear-sdk-75'
    import jsforce from 'jsforce'
    const a = await axios.post('https://slack.com/api/x', { n: 1 })
    const s7 = await new Seven('xoxb-1').auth.test()
    const s8 = await new Eight('xoxb-1').auth.test()
    const viewer = await new LinearClient({ apiKey: 'lin_api_x' }).client.rawRequest('query { viewer { id } }')
    const crm = await new jsforce.Connection({ instanceUrl: 'https://acme.my.salesforce.com', accessToken: 't' }).request('/services/data')
    console.log(a.data.path, s7.path, s8.path, viewer.data.viewer.id, crm.path)
    process.exit(0)`)
  assert.equal(out, '/t/chat/api/x /t/chat/api/auth.test /t/chat/api/auth.test person-1 /t/crm/services/data')
})

test('hosts that are not in the table are left alone', async () => {
  const out = await program(`const r = await fetch('${base}/plain'); console.log((await r.json()).path)`)
  assert.equal(out, '/plain')
})

test('a table that cannot be read stops the program before any request', async () => {
  const env = { PATH: process.env.PATH, DIORAMA_REDIRECTS: '{"a":"nowhere"}' }
  await assert.rejects(
    run(process.execPath, ['--import', preload, '-e', '1'], { env }),
    /must be an http or https URL/,
  )
})
