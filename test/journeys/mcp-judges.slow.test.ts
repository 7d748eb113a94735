import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { type TestService, testService } from '../../server/src/testing.ts'
import { sampleCompany } from '../../server/src/worlds/sample.ts'

const run = promisify(execFile)
const conformance = '@modelcontextprotocol/conformance@0.1.16'
const pythonClient = 'mcp==1.22.0'
/** Those that a server of tools alone must pass; the others want the tools of the project's own example server. */
const scenarios = ['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection']

interface Face {
  readonly name: string
  readonly url: string
  readonly token: string
}

/** The judge sends no token, so it comes by a way that adds one and changes nothing else. */
const withToken = async ({ url, token }: Face) => {
  const server = createServer((asked, answer) => {
    const headers = { ...asked.headers, authorization: `Bearer ${token}` }
    const onward = send(url, { method: asked.method ?? 'GET', headers }, (reply) => {
      answer.writeHead(reply.statusCode ?? 502, reply.headers)
      reply.pipe(answer)
    })
    onward.on('error', () => answer.destroy())
    asked.pipe(onward)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Lists the tools, then calls the one that is named; all with the client's own code. */
const pythonProgram = `
import asyncio, json, sys
from mcp import ClientSession
from mcp.client.streamable_http import streamablehttp_client

async def main(url, token, tool, arguments):
    async with streamablehttp_client(url, headers={"Authorization": "Bearer " + token}) as (read, write, _):
        async with ClientSession(read, write) as session:
            hello = await session.initialize()
            listed = await session.list_tools()
            result = await session.call_tool(tool, json.loads(arguments))
            print(json.dumps({"revision": hello.protocolVersion, "tools": len(listed.tools), "failed": result.isError, "text": result.content[0].text[:200]}))

asyncio.run(main(*sys.argv[1:]))
`

const calls: Readonly<Record<string, readonly [tool: string, args: object]>> = {
  chat: ['slack_search_channels', { query: 'orders' }],
  tracker: ['list_teams', {}],
  crm: ['soqlQuery', { query: 'SELECT Id FROM Account LIMIT 1' }],
  erp: ['search-sap-services', { query: 'sales order' }],
}

describe('judges of the Model Context Protocol', () => {
  let service: TestService
  let faces: readonly Face[]
  let folder: string
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mcp-judges-'))
    service = await testService()
    const { body } = await service.call('POST', '/v1/builder/worlds', { blueprint: sampleCompany })
    const twins: readonly { service: string; mcpUrl: string; token: string }[] = body.twins
    faces = twins.map(({ service: name, mcpUrl: url, token }) => ({ name, url, token }))
  })
  after(async () => {
    await service[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true, force: true })
  })

  it('the official conformance checks pass on every twin and on the service itself', async (t) => {
    const env = { ...process.env, npm_config_fund: 'false', npm_config_audit: 'false' }
    const installed = await run('npm', ['install', '--prefix', folder, '--ignore-scripts', conformance], {
      env,
    }).then(
      () => true,
      () => false,
    )
    if (!installed) return t.skip(`${conformance} cannot be installed here`)
    const program = join(folder, 'node_modules/@modelcontextprotocol/conformance/dist/index.js')
    const own = { name: 'service', url: `${service.baseUrl}/mcp`, token: service.key }
    for (const face of [...faces, own]) {
      await using way = await withToken(face)
      for (const scenario of scenarios) {
        const args = [program, 'server', '--url', way.url, '--scenario', scenario]
        const judged = await run(process.execPath, args, { cwd: folder }).catch(
          (error: { stdout?: string; stderr?: string }) => ({ failed: `${error.stdout}${error.stderr}` }),
        )
        assert.ok(
          !('failed' in judged),
          `${face.name}, ${scenario}: ${JSON.stringify(judged).slice(0, 3_000)}`,
        )
      }
    }
  })

  it('the official Python client lists and calls tools, with the twin’s token as bearer', async (t) => {
    const python = join(folder, 'venv/bin/python')
    const ready = await run('python3', ['-m', 'venv', join(folder, 'venv')])
      .then(() => run(python, ['-m', 'pip', 'install', '-q', pythonClient]))
      .then(
        () => true,
        () => false,
      )
    if (!ready) return t.skip(`${pythonClient} cannot be installed here`)
    writeFileSync(join(folder, 'client.py'), pythonProgram)
    for (const { name, url, token } of faces) {
      const [tool, args] = calls[name] ?? assert.fail(name)
      const { stdout } = await run(python, [
        join(folder, 'client.py'),
        url,
        token,
        tool,
        JSON.stringify(args),
      ])
      const seen = JSON.parse(stdout)
      assert.equal(seen.failed, false, `${name}: ${stdout}`)
      assert.match(seen.revision, /^2025-/)
      assert.ok(seen.tools > 3, `${name}: ${stdout}`)
    }
  })

  it('a client without a token is led to the vendor’s discovery, whose token is the twin’s own', async () => {
    for (const { name, url, token } of faces) {
      const ask = (authorization?: string) =>
        fetch(url, {
          method: 'POST',
          headers: {
            accept: 'application/json, text/event-stream',
            'content-type': 'application/json',
            ...(authorization === undefined ? {} : { authorization }),
          },
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
        })
      const refused = await ask()
      assert.equal(refused.status, 401, name)
      const place = /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate') ?? '')?.[1]
      assert.ok(place, `${name}: ${refused.headers.get('www-authenticate')}`)
      const resource = (await (await fetch(place)).json()) as {
        resource: string
        authorization_servers: readonly string[]
      }
      assert.equal(resource.resource, url)
      const [issuer = ''] = resource.authorization_servers
      const { origin, pathname } = new URL(issuer)
      const path = pathname === '/' ? '' : pathname
      const places = [
        `${origin}/.well-known/oauth-authorization-server${path}`,
        `${issuer}/.well-known/oauth-authorization-server`,
      ]
      const replies = await Promise.all(places.map((one) => fetch(one)))
      const found = replies.find(({ ok }) => ok)
      assert.ok(found, `${name}: ${places.join(' ')} ${replies.map(({ status }) => status)}`)
      const server = (await found.json()) as Record<string, unknown>
      for (const field of ['issuer', 'authorization_endpoint', 'token_endpoint'])
        assert.ok(server[field], `${name}: ${field}`)
      assert.equal((await ask(`Bearer ${token}`)).status, 200, name)
    }
  })
})
