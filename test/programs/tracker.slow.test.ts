import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { root } from '../sources.ts'
import { installNpm } from './install.ts'
import { assertRight, changed, openPrograms, type ProgramRunner } from './programs.ts'

const installed = (path: string): string => join(root, 'node_modules', path)

describe('foreign programs for the tracker, as agents of trials', () => {
  let programs: ProgramRunner
  let missing: string | undefined
  before(async () => {
    programs = await openPrograms()
    missing = await installNpm(join(programs.folder, 'npm'), [
      '@mseep/linear-mcp@78.0.1',
      '@hatcloud/linear-mcp@1.4.1',
      'linear-mcp@1.2.0',
    ])
  })
  after(async () => {
    console.log(programs.table())
    await programs[Symbol.asyncDispose]()
  })
  const fetched = (path: string): string => join(programs.folder, 'npm/node_modules', path)

  it('a small MCP server on an old client', async () => {
    const server = installed('linear-mcp-server/build/index.js')
    const outcome = await programs.script('linear-mcp-server', 'tracker/small-tracker-mcp.mjs', server)
    assertRight(outcome, 6)
    assert.equal(changed(outcome, 'issue', 'create').length, 2)
    assert.equal(changed(outcome, 'comment', 'create').length, 1)
  })

  it('an MCP server for projects and milestones', async () => {
    const server = installed('mcp-server-linear/build/index.js')
    const outcome = await programs.script('mcp-server-linear', 'tracker/project-tracker-mcp.mjs', server)
    assertRight(outcome, 29)
    assert.equal(changed(outcome, 'issue', 'create').length, 6)
    assert.equal(changed(outcome, 'project', 'create').length, 1)
  })

  it('the server that it was made from', async (context) => {
    if (missing) return context.skip(missing)
    const server = fetched('linear-mcp/build/index.js')
    const outcome = await programs.script('linear-mcp', 'tracker/project-tracker-mcp.mjs', server)
    assertRight(outcome, 22)
    assert.equal(changed(outcome, 'issue', 'create').length, 3)
  })

  it('an MCP server with seven tools', async (context) => {
    if (missing) return context.skip(missing)
    const server = fetched('@mseep/linear-mcp/build/index.js')
    const outcome = await programs.script('@mseep/linear-mcp', 'tracker/names-tracker-mcp.mjs', server)
    assertRight(outcome, 13)
    assert.equal(changed(outcome, 'issue', 'create').length, 1)
  })

  it('an MCP server with documents and attachments', async (context) => {
    if (missing) return context.skip(missing)
    const server = fetched('@hatcloud/linear-mcp/dist/server.js')
    const outcome = await programs.script('@hatcloud/linear-mcp', 'tracker/lean-tracker-mcp.mjs', server)
    assertRight(outcome, 25)
    assert.equal(changed(outcome, 'issue', 'create').length, 2)
    assert.equal(changed(outcome, 'attachment', 'create').length, 1)
  })

  for (const [major, file] of [
    [98, 'tracker/tracker-sdk-98.mjs'],
    [75, 'tracker/tracker-sdk-75.mjs'],
    [39, 'tracker/tracker-sdk-39.mjs'],
  ] as const)
    it(`major ${major} of the vendor's client`, async () => {
      const outcome = await programs.script(`@linear/sdk ${major}`, file)
      assertRight(outcome, 38)
      assert.equal(changed(outcome, 'issue', 'create').length, 1)
      assert.equal(changed(outcome, 'comment', 'create').length, 1)
    })
})
