import assert from 'node:assert/strict'
import { chmod, copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { root } from '../sources.ts'
import { installNpm } from './install.ts'
import { assertRight, changed, openPrograms, type ProgramRunner } from './programs.ts'

const installed = (path: string): string => join(root, 'node_modules', path)
const goServer = `slack-mcp-server-linux-${process.arch === 'x64' ? 'amd64' : process.arch}`

describe('foreign programs for chat, as agents of trials', () => {
  let programs: ProgramRunner
  let missing: string | undefined
  before(async () => {
    programs = await openPrograms()
    missing = await installNpm(join(programs.folder, 'npm'), [
      '@zencoderai/slack-mcp-server@0.0.1',
      `${goServer}@1.3.0`,
    ])
  })
  after(async () => {
    console.log(programs.table())
    await programs[Symbol.asyncDispose]()
  })
  const fetched = (path: string): string => join(programs.folder, 'npm/node_modules', path)

  it('the reference MCP server', async () => {
    const server = installed('@modelcontextprotocol/server-slack/dist/index.js')
    const outcome = await programs.script(
      '@modelcontextprotocol/server-slack',
      'chat/reference-chat-mcp.mjs',
      server,
    )
    assertRight(outcome, 30)
    assert.equal(changed(outcome, 'message', 'create').length, 6)
  })

  it('a server made after the reference one', async (context) => {
    if (missing) return context.skip(missing)
    const server = fetched('@zencoderai/slack-mcp-server/dist/index.js')
    const outcome = await programs.script(
      '@zencoderai/slack-mcp-server',
      'chat/reference-chat-mcp.mjs',
      server,
    )
    assertRight(outcome, 30)
    assert.equal(changed(outcome, 'message', 'create').length, 6)
  })

  it('an MCP server that searches as a person', async () => {
    const outcome = await programs.script(
      'slack-mcp',
      'chat/search-chat-mcp.mjs',
      installed('slack-mcp/build/index.js'),
    )
    assertRight(outcome, 10)
    assert.deepEqual(outcome.changes, [])
  })

  it('an MCP server in Go', async (context) => {
    if (missing) return context.skip(missing)
    const files = await programs.place('slack-mcp-server')
    await copyFile(fetched(`${goServer}/bin/${goServer}`), join(files, 'slack-mcp-server'))
    await chmod(join(files, 'slack-mcp-server'), 0o755)
    const outcome = await programs.script('slack-mcp-server', 'chat/go-chat-mcp.mjs', undefined, 'Go')
    // It asks once for a method of the browser alone, and goes on without it.
    assertRight(outcome, 18, ['client.userBoot'])
    assert.equal(changed(outcome, 'message', 'create').length, 2)
  })

  for (const [major, file] of [
    [8, 'chat/chat-sdk-8.mjs'],
    [7, 'chat/chat-sdk-7.mjs'],
  ] as const)
    it(`major ${major} of the vendor's client`, async () => {
      const outcome = await programs.script(`@slack/web-api ${major}`, file)
      assertRight(outcome, 70, ['conversations.nonsuch'])
      assert.equal(changed(outcome, 'channel', 'create').length, 2)
      assert.equal(changed(outcome, 'message', 'delete').length, 1)
      assert.equal(changed(outcome, 'file', 'delete').length, 1)
    })
})
