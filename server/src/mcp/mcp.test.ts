import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { type TestService, testService } from '../testing.ts'
import { sampleCompany } from '../worlds/sample.ts'

describe("the service's own server of the Model Context Protocol", () => {
  let service: TestService
  before(async () => {
    service = await testService()
  })
  after(() => service[Symbol.asyncDispose]())

  const connect = async (key: string) => {
    const client = new Client({ name: 'coding agent', version: '1' })
    const requestInit = { headers: { authorization: `Bearer ${key}` } }
    // The SDK's own types do not fit strict optional properties.
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${service.baseUrl}/mcp`), { requestInit }) as never,
    )
    const call = async (name: string, args: Record<string, unknown> = {}) => {
      const { content, isError = false } = await client.callTool({ name, arguments: args })
      const [first] = content as readonly { text: string }[]
      return { isError, body: JSON.parse(first?.text ?? '') }
    }
    return { client, call }
  }

  it('launches a world, tests a scorer on it and reads what changed', async () => {
    const { client, call } = await connect(service.key)
    const { tools } = await client.listTools()
    for (const name of ['launch_world', 'read_world_diff', 'test_scorer', 'start_evaluation', 'read_trial'])
      assert.ok(
        tools.some((tool) => tool.name === name),
        name,
      )
    const launched = await call('launch_world', { blueprint: sampleCompany })
    assert.equal(launched.isError, false, JSON.stringify(launched.body).slice(0, 500))
    const worldId = launched.body.world.id
    assert.deepEqual((await call('read_world_diff', { worldId })).body.items, [])
    assert.ok(Array.isArray((await call('list_world_activity', { worldId, limit: 5 })).body.items))
    const tested = await call('test_scorer', {
      kind: 'code',
      language: 'python',
      code: 'def handler(input, output, expected, metadata):\n    return 1 if output == "done" else 0\n',
      output: 'done',
    })
    assert.equal(tested.body.score, 1, JSON.stringify(tested.body))
    await client.close()
  })

  it('refuses what the API refuses, in its words', async () => {
    const { call } = await connect(service.key)
    const absent = await call('read_world', { worldId: 'wld_absent' })
    assert.equal(absent.isError, true)
    assert.equal(absent.body.code, 'not_found')
    const wrong = await call('launch_world', { blueprint: sampleCompany, ttl: 1 })
    assert.equal(wrong.isError, true)
    assert.match(JSON.stringify(wrong.body), /ttl/)
    const { body: narrow } = await service.call('POST', '/v1/api-keys', {
      name: 'reader',
      scopes: ['worlds:read'],
    })
    const reader = await connect(narrow.secret)
    assert.equal((await reader.call('list_worlds')).isError, false)
    assert.equal((await reader.call('launch_world', { blueprint: sampleCompany })).body.code, 'forbidden')
    await assert.rejects(async () => (await connect('dk_wrong')).call('list_worlds'), /401|[Uu]nauthorized/)
  })
})
