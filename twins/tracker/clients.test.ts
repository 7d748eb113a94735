import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { serveTwin } from '@diorama/twin-kit/testing/host'
import { LinearClient, LinearErrorType } from '@linear/sdk'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { idOf, section } from './testing/world.ts'
import { tracker } from './twin.ts'

type Host = Awaited<ReturnType<typeof serveTwin>>
const clientFor = (host: Host, apiKey = host.token): LinearClient =>
  new LinearClient({ apiKey, apiUrl: `${host.baseUrl}/graphql` })

describe('the vendor’s client', () => {
  it('walks from record to record, each relation by its own request', async () => {
    await using host = await serveTwin(tracker, section)
    const client = clientFor(host)
    const viewer = await client.viewer
    assert.deepEqual([viewer.name, viewer.isMe], ['Mira Okafor', true])
    const issue = await client.issue('ENG-1')
    assert.equal((await issue.team)?.key, 'ENG')
    assert.equal((await issue.state)?.name, 'In Progress')
    assert.equal((await issue.assignee)?.email, 'dev@northwind.example')
    assert.deepEqual(
      (await issue.comments()).nodes.map(({ body }) => body),
      ['A new seal is on its way.', 'Any news, @dev?'],
    )
    assert.equal((await (await issue.project)?.issues())?.nodes.length, 2)
    assert.equal((await client.teams()).nodes.length, 2)
    assert.equal((await (await client.organization).users()).nodes.length, 3)
    assert.deepEqual(host.failures, [])
  })

  it('creates, updates, comments, archives, and reads back what it wrote', async () => {
    await using host = await serveTwin(tracker, section)
    const client = clientFor(host)
    const created = await client.createIssue({ teamId: idOf('ENG'), title: 'From the client', priority: 2 })
    assert.equal(created.success, true)
    const issue = await created.issue
    assert.deepEqual([issue?.identifier, issue?.priorityLabel], ['ENG-4', 'High'])
    await issue?.update({ title: 'Renamed', dueDate: '2026-03-20' })
    assert.equal((await client.issue('ENG-4')).title, 'Renamed')
    const comment = await (await client.createComment({ issueId: issue?.id ?? '', body: 'Done?' })).comment
    assert.equal((await comment?.user)?.displayName, 'mira')
    await issue?.archive()
    assert.ok((await client.issue('ENG-4')).archivedAt instanceof Date)
    const label = await (await client.createIssueLabel({ name: 'From afar', teamId: idOf('ENG') })).issueLabel
    await client.issueAddLabel('ENG-1', label?.id ?? '')
    assert.ok((await client.issue('ENG-1')).labelIds.includes(label?.id ?? ''))
    const project = await (await client.createProject({ name: 'New', teamIds: [idOf('OPS')] })).project
    assert.equal((await project?.teams())?.nodes[0]?.key, 'OPS')
    assert.deepEqual(host.failures, [])
  })

  it('pages through everything', async () => {
    await using host = await serveTwin(tracker, section)
    const client = clientFor(host)
    const connection = await client.issues({ first: 2 })
    const all = await client.paginate((variables) => client.issues(variables), { first: 2 })
    assert.equal(connection.pageInfo.hasNextPage, true)
    assert.equal(new Set(all.map(({ id }) => id)).size, 5)
    await connection.fetchNext()
    assert.equal(connection.nodes.length, 4)
  })

  it('distinguishes the kinds of errors', async () => {
    await using host = await serveTwin(tracker, section)
    const failing = async (work: Promise<unknown>) => {
      const error = await work.then(
        () => undefined,
        (thrown: { type: string; message: string }) => thrown,
      )
      return [error?.type, error?.message]
    }
    assert.deepEqual(await failing(clientFor(host).issue('NOPE-1')), [
      LinearErrorType.InvalidInput,
      'Entity not found: Issue - Could not find referenced Issue.',
    ])
    const [wrong] = await failing(clientFor(host, 'lin_api_wrong').viewer)
    assert.equal(wrong, LinearErrorType.AuthenticationError)
    const [graphql] = await failing(clientFor(host).client.rawRequest('{ nope }'))
    assert.equal(graphql, LinearErrorType.GraphqlError)
    const [feature] = await failing(clientFor(host).integrationDiscord('code', 'uri'))
    assert.equal(feature, LinearErrorType.FeatureNotAccessible)
  })

  for (const version of ['linear-sdk-75', 'linear-sdk-39'])
    it(`works in its older version ${version}`, async () => {
      await using host = await serveTwin(tracker, section)
      const old = createRequire(import.meta.url)(version)
      const client = new old.LinearClient({ apiKey: host.token, apiUrl: `${host.baseUrl}/graphql` })
      assert.equal((await client.viewer).email, 'mira@northwind.example')
      assert.equal((await client.issues()).nodes.length, 5)
      const issue = await client.issue('ENG-1')
      assert.equal((await issue.state).name, 'In Progress')
      assert.equal((await issue.labels()).nodes.length, 2)
      assert.equal((await client.searchIssues('noisy')).nodes.length, 1)
      const payload = await client.createIssue({ teamId: idOf('ENG'), title: 'Old hands' })
      assert.equal((await payload.issue).identifier, 'ENG-4')
      await client.updateIssue('ENG-4', { title: 'Older hands' })
      assert.equal((await client.issue('ENG-4')).title, 'Older hands')
      for (const list of [
        'teams',
        'users',
        'projects',
        'cycles',
        'workflowStates',
        'issueLabels',
        'comments',
        'notifications',
        'favorites',
      ])
        assert.ok(Array.isArray((await client[list]()).nodes), list)
      assert.deepEqual(host.failures, [])
    })
})

/** A server from npm that knows only the real host; its requests are turned around by the preload. */
const startServer = async (host: Host, name: string, variable: string) => {
  const root = fileURLToPath(new URL('../../', import.meta.url))
  const client = new Client({ name: 'test', version: '1.0.0' })
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: ['--import', `${root}sandbox/preload/redirect.mjs`, `${root}node_modules/${name}/build/index.js`],
      env: {
        [variable]: host.token,
        DIORAMA_REDIRECTS: JSON.stringify({ 'api.linear.app': host.baseUrl }),
      },
      stderr: 'ignore',
    }),
  )
  const call = async (tool: string, args: Record<string, unknown>): Promise<string> => {
    const { content, isError } = await client.callTool({ name: tool, arguments: args })
    const text = JSON.stringify(content)
    assert.ok(!isError, text)
    return text
  }
  return { call, [Symbol.asyncDispose]: () => client.close() }
}

describe('an MCP server from npm, unmodified', () => {
  it('linear-mcp-server creates, updates and comments', async () => {
    await using host = await serveTwin(tracker, section)
    await using server = await startServer(host, 'linear-mcp-server', 'LINEAR_API_KEY')
    assert.match(
      await server.call('linear_create_issue', { title: 'By a tool', teamId: idOf('ENG') }),
      /ENG-4/,
    )
    assert.match(await server.call('linear_update_issue', { id: idOf('leak'), priority: 2 }), /ENG-1/)
    assert.match(await server.call('linear_add_comment', { issueId: idOf('leak'), body: 'Hello' }), /ENG-1/)
    assert.equal(host.instance.tables.Issue?.get(idOf('leak'))?.priority, 2)
    assert.deepEqual(host.failures, [])
  })

  it('mcp-server-linear reads teams, searches, and changes issues, comments and milestones', async () => {
    await using host = await serveTwin(tracker, section)
    await using server = await startServer(host, 'mcp-server-linear', 'LINEAR_ACCESS_TOKEN')
    assert.match(await server.call('linear_get_teams', {}), /Engineering/)
    assert.match(await server.call('linear_get_user', {}), /Mira Okafor/)
    assert.match(await server.call('linear_search_issues', { teamIds: [idOf('OPS')] }), /OPS-1/)
    assert.match(
      await server.call('linear_create_issue', { title: 'T', description: 'D', teamId: idOf('OPS') }),
      /OPS-3/,
    )
    await server.call('linear_edit_issue', { issueId: idOf('noise'), title: 'Quieter now' })
    assert.equal(host.instance.tables.Issue?.get(idOf('noise'))?.title, 'Quieter now')
    await server.call('linear_create_comment', { issueId: idOf('noise'), body: 'So it is' })
    await server.call('linear_create_project_milestone', { projectId: idOf('quiet'), name: 'Beta' })
    assert.match(await server.call('linear_get_project_milestones', { projectId: idOf('quiet') }), /Beta/)
    assert.match(await server.call('linear_list_projects', {}), /Quiet pump/)
    assert.deepEqual(host.failures, [])
  })
})
