import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { z } from 'zod'
import { type TestService, testService } from '../../server/src/testing.ts'
import { sampleCompany } from '../../server/src/worlds/sample.ts'
import { VendorError } from '../../twin-kit/kernel/twin.ts'
import { serveTwin } from '../../twin-kit/serve/server.ts'
import { testCompany } from '../../twin-kit/testing/host.ts'
import { withMcp } from '../../twin-kit/wires/mcp/serve.ts'
import { McpAnswer, mcpTool } from '../../twin-kit/wires/mcp/tool.ts'
import { face } from '../../twins/notes/mcp/face.ts'
import type { NotesTables } from '../../twins/notes/tables.ts'
import { notes } from '../../twins/notes/twin.ts'

const run = promisify(execFile)
const conformance = '@modelcontextprotocol/conformance@0.1.16'
const pythonClient = 'mcp==1.22.0'
/** What every face must pass. */
const scenarios = [
  'server-initialize',
  'ping',
  'tools-list',
  'server-sse-polling',
  'server-sse-multiple-streams',
  'dns-rebinding-protection',
]
/** What calls tools of the judge's own names: passed by a face that has them. */
const ofFixtures = ['tools-call-simple-text', 'tools-call-image', 'tools-call-error']
/** What the vendors' servers, and so the twins, do not offer: they have tools alone, each with one answer. */
const notOffered: Readonly<Record<string, readonly string[]>> = {
  'no logging, completion or progress': [
    'logging-set-level',
    'completion-complete',
    'tools-call-with-logging',
    'tools-call-with-progress',
  ],
  'no sampling or elicitation: a twin asks nothing of its client': [
    'tools-call-sampling',
    'tools-call-elicitation',
    'elicitation-sep1034-defaults',
    'elicitation-sep1330-enums',
  ],
  'no resources': [
    'resources-list',
    'resources-read-text',
    'resources-read-binary',
    'resources-templates-read',
    'resources-subscribe',
    'resources-unsubscribe',
    'tools-call-embedded-resource',
    'tools-call-mixed-content',
  ],
  'no prompts': [
    'prompts-list',
    'prompts-get-simple',
    'prompts-get-with-args',
    'prompts-get-embedded-resource',
    'prompts-get-with-image',
  ],
  'answers are text and images': ['tools-call-audio'],
  'arguments are written for the dialect draft-7, without $schema or $defs': ['json-schema-2020-12'],
}

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

/** The judge's program, where it can be installed. */
const installJudge = async (folder: string) => {
  const env = { ...process.env, npm_config_fund: 'false', npm_config_audit: 'false' }
  const installed = await run('npm', ['install', '--prefix', folder, '--ignore-scripts', conformance], {
    env,
  }).then(
    () => true,
    () => false,
  )
  if (!installed) return undefined
  const program = join(folder, 'node_modules/@modelcontextprotocol/conformance/dist/index.js')
  return {
    list: async (): Promise<string[]> => {
      const { stdout } = await run(process.execPath, [program, 'list', '--server'], { cwd: folder })
      return [...stdout.matchAll(/^ +- (\S+) \[/gm)].map(([, name = '']) => name)
    },
    passes: async (face: Face, names: readonly string[]): Promise<void> => {
      await using way = await withToken(face)
      for (const scenario of names) {
        const args = [program, 'server', '--url', way.url, '--scenario', scenario]
        const judged = await run(process.execPath, args, { cwd: folder }).catch(
          (error: { stdout?: string; stderr?: string }) => ({ failed: `${error.stdout}${error.stderr}` }),
        )
        assert.ok(
          !('failed' in judged),
          `${face.name}, ${scenario}: ${JSON.stringify(judged).slice(0, 3_000)}`,
        )
      }
    },
  }
}

/** A face with the tools that the judge calls by name. */
const fixtureFace = async () => {
  const tool = (name: string, answer: () => unknown) =>
    mcpTool<NotesTables, z.ZodObject>({
      ...{ name, description: name, effect: 'read', input: z.strictObject({}), run: answer },
    })
  const pixel =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
  const tools = [
    tool('test_simple_text', () => 'A text.'),
    tool('test_image_content', () => new McpAnswer([{ type: 'image', data: pixel, mimeType: 'image/png' }])),
    tool('test_error_handling', () => {
      throw new VendorError('refused')
    }),
  ]
  const served = await serveTwin({
    twin: withMcp(notes, { ...face, tools }),
    section: { notes: [] },
    company: testCompany,
    port: 0,
    now: Date.now,
    secret: () => 'fixture',
  })
  return {
    face: { name: 'fixtures', url: `${served.baseUrl}/mcp`, token: served.tokens.integration ?? '' },
    [Symbol.asyncDispose]: served.close,
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
    const judge = await installJudge(folder)
    if (!judge) return t.skip(`${conformance} cannot be installed here`)
    const own = { name: 'service', url: `${service.baseUrl}/mcp`, token: service.key }
    for (const face of [...faces, own]) await judge.passes(face, scenarios)
    await using fixtures = await fixtureFace()
    await judge.passes(fixtures.face, [
      ...scenarios.filter((name) => !name.startsWith('dns-')),
      ...ofFixtures,
    ])
    // A release of the judge with new checks has to be looked at.
    assert.deepEqual(
      (await judge.list()).toSorted(),
      [...scenarios, ...ofFixtures, ...Object.values(notOffered).flat()].toSorted(),
    )
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
