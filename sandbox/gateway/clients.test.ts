/** Every client names only the real host; a stand-in behind the gateway answers. The vendors' names are the point. */
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { openSandbox } from '../open.ts'
import type { Sandbox, SandboxNetwork } from '../sandbox.ts'
import { jobOf } from '../testing/conformance.ts'
import { mergedAuthorities, openAuthority } from './authority.ts'
import { type Gateway, openGateway } from './gateway.ts'
import type { GatewayReply, GatewayRequest, GatewayStep } from './options.ts'

const modules = fileURLToPath(new URL('../../node_modules', import.meta.url))
const here = mkdtempSync(join(tmpdir(), 'clients-'))
const twinHosts = [
  'slack.com',
  '*.slack.com',
  'api.linear.app',
  '*.my.salesforce.com',
  'api.sap.example',
  'git.example',
]
const steps: GatewayStep[] = []
let sandbox: Sandbox
let weaker: Sandbox
let gateway: Gateway
let network: SandboxNetwork

before(async () => {
  const searchPath = process.env.PATH ?? ''
  const opened = await openSandbox({ choice: 'bubblewrap', stateDir: here, searchPath })
  const other = await openSandbox({ choice: 'process', stateDir: here, searchPath })
  if ('unavailable' in opened || 'unavailable' in other) throw new Error('no sandbox')
  sandbox = opened.sandbox
  weaker = other.sandbox
  const authority = await openAuthority({ stateDir: join(here, 'authority') })
  gateway = await openGateway({
    authority,
    route: (host) =>
      twinHosts.some((name) => matches(name, host)) ? { kind: 'twin', service: 'any' } : undefined,
    onRequest: answer,
    onStep: (step) => steps.push(step),
    loopbackSecret: 'not-a-secret-in-a-test',
  })
  const redirects = Object.fromEntries(
    twinHosts.map((name) => [name, gateway.redirectBase(name.replace('*', 'any')) ?? '']),
  )
  const url = gateway.loopbackUrl
  network = {
    gatewaySocket: gateway.socketPath,
    hosts: twinHosts,
    authorities: await mergedAuthorities(authority),
    redirects,
    ...(url ? { gatewayUrl: url } : {}),
  }
})

after(async () => {
  await gateway[Symbol.asyncDispose]()
  await sandbox[Symbol.asyncDispose]()
  await weaker[Symbol.asyncDispose]()
  rmSync(here, { recursive: true })
})

const matches = (name: string, host: string): boolean => {
  return name.startsWith('*.') ? host.endsWith(name.slice(1)) : host === name
}

/** Says what it saw, in a shape that the vendors' clients take for success. */
const answer = async (request: GatewayRequest): Promise<GatewayReply> => {
  if (request.path.includes('/info/refs')) return gitAnswer()
  const seen = {
    ok: true,
    saw: `${request.method} ${request.host}${request.path}`,
    data: { viewer: { id: request.host } },
  }
  return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(seen) }
}

const gitAnswer = (): GatewayReply => {
  const line = (text: string) => `${(text.length + 4).toString(16).padStart(4, '0')}${text}`
  const commit = 'a'.repeat(40)
  const refs = `${line('# service=git-upload-pack\n')}0000${line(`${commit} HEAD\0agent=stand-in\n`)}${line(`${commit} refs/heads/main\n`)}0000`
  return {
    status: 200,
    headers: { 'content-type': 'application/x-git-upload-pack-advertisement' },
    body: refs,
  }
}

const agent = async (command: string, files: Record<string, string> = {}): Promise<string> => {
  const readOnly = { '/home/agent/node_modules': modules }
  const outcome = await sandbox.run(jobOf(command, { files, network, readOnly }))
  assert.equal(outcome.exitCode, 0, outcome.stderr.text)
  return outcome.stdout.text.trim()
}

const node = (code: string) => agent('node program.mjs', { 'program.mjs': code })

const withJava = { skip: !existsSync('/usr/bin/java') && 'no Java on this machine' }
const javaProgram = `import java.net.URI; import java.net.http.*;
  public class Program { public static void main(String[] a) throws Exception {
    var request = HttpRequest.newBuilder(URI.create("https://slack.com/java")).build();
    System.out.println(HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).body());
    System.out.println(new String(new java.net.URL("https://api.linear.app/j").openStream().readAllBytes())); } }`

describe('Unmodified clients reach the twins by the real host names', () => {
  test('curl, by the proxy and without any', async () => {
    const seen =
      await agent(`curl -sS https://slack.com/api/a; curl -sS --noproxy "*" https://files.slack.com/b
      env -i /usr/bin/curl -sS https://api.linear.app/c; curl -sS --noproxy "*" http://api.sap.example/d`)
    for (const saw of ['slack.com/api/a', 'files.slack.com/b', 'api.linear.app/c', 'api.sap.example/d']) {
      assert.ok(seen.includes(`GET ${saw}`), saw)
    }
  })

  test('git over https, by the proxy and without', async () => {
    const bare = 'env -u HTTPS_PROXY -u https_proxy -u ALL_PROXY -u all_proxy'
    const seen = await agent(
      `git ls-remote https://git.example/a.git && ${bare} git ls-remote https://git.example/b.git`,
    )
    assert.equal(seen.match(/refs\/heads\/main/g)?.length, 2)
  })

  test('Python’s urllib and http.client, with and without the variables', async () => {
    const urllib = 'import urllib.request as u; print(u.urlopen("https://slack.com/py").read().decode())'
    const client =
      'import http.client as h; c = h.HTTPSConnection("acme.my.salesforce.com"); c.request("MERGE", "/x"); print(c.getresponse().read().decode())'
    const seen = await agent(
      `python3 -c '${urllib}'; env -i $(command -v python3) -c '${urllib}'; python3 -c '${client}'`,
    )
    assert.equal(seen.match(/GET slack\.com\/py/g)?.length, 2)
    assert.match(seen, /MERGE acme\.my\.salesforce\.com\/x/)
  })

  for (const name of ['requests', 'httpx']) {
    test(`Python’s ${name}, where it is installed`, async (t) => {
      const code = `try:\n  import ${name}\nexcept ImportError:\n  print("absent")\nelse:\n  print(${name}.get("https://slack.com/py").text)`
      const seen = await agent('python3 program.py', { 'program.py': code })
      if (seen === 'absent') return t.skip(`${name} is not installed for this machine's python3`)
      assert.match(seen, /GET slack\.com\/py/)
    })
  }

  test('Node’s fetch and https.request, with proxy variables and without', async () => {
    const code = `import https from 'node:https'
      console.log((await (await fetch('https://slack.com/f', { method: 'POST', body: 'x' })).json()).saw)
      https.get('https://slack.com/g', (r) => r.on('data', (d) => console.log(JSON.parse(d).saw)))`
    const command = 'node program.mjs; NODE_USE_ENV_PROXY=1 node program.mjs'
    const seen = await agent(command, { 'program.mjs': code })
    assert.equal(seen, 'POST slack.com/f\nGET slack.com/g\nPOST slack.com/f\nGET slack.com/g')
  })

  test('a host that serves on the port of business systems is reached without a proxy too', async () => {
    const code = `fetch('https://api.sap.example:44300/x').then((r) => r.json()).then((j) => console.log(j.saw))`
    assert.equal(await node(code), 'GET api.sap.example/x')
  })

  test('the machine’s own older Node, where there is one', async (t) => {
    if (!existsSync('/usr/bin/node')) return t.skip('no other Node on this machine')
    const code = `fetch('https://slack.com/old').then((r) => r.json()).then((j) => console.log(j.saw))`
    assert.equal(await agent('/usr/bin/node program.mjs', { 'program.mjs': code }), 'GET slack.com/old')
  })

  test('Java, where it is installed', withJava, async () => {
    const seen = await agent('java Program.java', { 'Program.java': javaProgram })
    assert.match(seen, /GET slack\.com\/java.*GET api\.linear\.app\/j/s)
  })

  test('axios and undici', async () => {
    const code = `import axios from 'axios'; import { request, fetch } from 'undici'
      console.log((await axios.put('https://slack.com/ax', { a: 1 })).data.saw)
      console.log((await (await request('https://slack.com/un')).body.json()).saw)
      console.log((await (await fetch('https://slack.com/uf')).json()).saw)`
    assert.equal(await node(code), 'PUT slack.com/ax\nGET slack.com/un\nGET slack.com/uf')
  })

  test('@slack/web-api 7 and 8', async () => {
    const code = `import { WebClient as Seven } from 'slack-web-api-7'; import { WebClient as Eight } from '@slack/web-api'
      console.log((await new Seven('xoxb-1').auth.test()).saw); console.log((await new Eight('xoxb-1').auth.test()).saw)`
    assert.equal(await node(code), 'POST slack.com/api/auth.test\nPOST slack.com/api/auth.test')
  })

  test('@linear/sdk 39 and 75', async () => {
    const code = `import { LinearClient as Old } from 'linear-sdk-39'; import { LinearClient as New } from 'linear-sdk-75'
      for (const Client of [Old, New]) console.log((await new Client({ apiKey: 'lin_api_x' }).client.rawRequest('query { viewer { id } }')).data.viewer.id)`
    assert.equal(await node(code), 'api.linear.app\napi.linear.app')
  })

  test('jsforce', async () => {
    const code = `import jsforce from 'jsforce'
      const c = new jsforce.Connection({ instanceUrl: 'https://acme.my.salesforce.com', accessToken: 't' })
      console.log((await c.request('/services/data')).saw)`
    assert.equal(await node(code), 'GET acme.my.salesforce.com/services/data')
  })

  test('each of those requests was a step with host, method, path and status', () => {
    assert.ok(steps.length > 20)
    assert.ok(steps.every((step) => step.outcome === 'twin' && step.status === 200 && step.durationMs >= 0))
  })
})

describe('Under the weaker driver, clients reach the twins', () => {
  const run = async (command: string, files: Record<string, string> = {}) => {
    const outcome = await weaker.run(jobOf(command, { files, network }))
    assert.equal(outcome.exitCode, 0, outcome.stderr.text)
    return outcome.stdout.text.trim()
  }

  test('by proxy variables: curl, git and Python', async () => {
    const code = 'import urllib.request as u; print(u.urlopen("https://slack.com/py").read().decode())'
    const seen = await run(
      `curl -sS https://slack.com/a; git ls-remote https://git.example/r.git; python3 -c '${code}'`,
    )
    assert.match(seen, /GET slack\.com\/a.*refs\/heads\/main.*GET slack\.com\/py/s)
  })

  test('by the preload: Node clients that ignore proxies', async () => {
    const code = `import https from 'node:https'
      https.get('https://slack.com/pre', { agent: new https.Agent() }, (r) => r.on('data', (d) => console.log(JSON.parse(d).saw)))`
    assert.equal(await run('node program.mjs', { 'program.mjs': code }), 'GET slack.com/pre')
  })

  test('only with the trial’s secret', async () => {
    const bare = new URL(gateway.loopbackUrl ?? '')
    assert.match(
      await run(`curl -s -o /dev/null -w "%{http_code}" -x http://${bare.host} http://slack.com/`),
      /407/,
    )
    assert.match(
      await run(
        `curl -s -o /dev/null -w "%{http_code}" --noproxy "*" http://${bare.host}/-/wrong/slack.com/`,
      ),
      /407/,
    )
  })
})
