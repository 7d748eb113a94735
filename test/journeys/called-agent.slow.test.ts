import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { testCompany } from '@diorama/twin-kit/testing/host'
import { LinearClient } from '@linear/sdk'
import { LinearWebhookClient } from '@linear/sdk/webhooks'
import { testService } from '../../server/src/testing.ts'
import { section as trackerSection } from '../../twins/tracker/section.ts'
import { withAgents } from '../../twins/tracker/testing/world.ts'
import { tracker } from '../../twins/tracker/twin.ts'
import { eventually } from '../eventually.ts'

const models = [
  { twin: tracker, sample: { section: trackerSection.parse(withAgents), company: testCompany } },
]

/** An agent that is only ever called: it answers its sessions over the API and asks for nothing on its own. */
const startAgent = async ({
  secret,
  accessToken,
  apiUrl,
}: {
  secret: string
  accessToken: string
  apiUrl: string
}) => {
  const client = new LinearClient({ accessToken, apiUrl })
  const handler = new LinearWebhookClient(secret).createHandler()
  const heard: string[] = []
  handler.on('AgentSessionEvent', async ({ action, agentSession, agentActivity }) => {
    heard.push(action)
    const say = (content: object) => client.createAgentActivity({ agentSessionId: agentSession.id, content })
    if (action === 'created') {
      await say({ type: 'thought', body: 'Looking into it' })
      await say({ type: 'elicitation', body: `Which pump of ${agentSession.issue?.identifier}?` })
    } else await say({ type: 'response', body: `Done: ${agentActivity?.content.body}` })
  })
  const server = createServer((request, response) => void handler(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    heard,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

describe('an agent that is only ever called', () => {
  it('is delegated an issue, asks, is answered, and finishes, all of it recorded as deliveries', async () => {
    await using service = await testService({ deliveryAllow: ['127.0.0.0/8'] }, models)
    const { body: twin } = await service.call('POST', '/v1/twins', { service: 'tracker' })
    const at = `/v1/twins/${twin.id}`
    const { body: people } = await service.call('GET', `${at}/identities`)
    const tokenOf = (subject: string): string =>
      people.items.find((one: { subject: string }) => one.subject === subject)?.token ?? assert.fail(subject)
    const { body: settings } = await service.call('GET', `${at}/settings`)
    const app = settings.applications.find(({ key }: { key: string }) => key === 'helper')
    const apiUrl = `${twin.baseUrl}/graphql`
    await using agent = await startAgent({
      secret: app.webhookSecret,
      accessToken: tokenOf('app:helper'),
      apiUrl,
    })
    const change = { applications: [{ id: 'helper', webhookUrl: agent.url }] }
    assert.equal((await service.call('PUT', `${at}/settings`, change)).status, 200)

    const dev = new LinearClient({ apiKey: tokenOf('dev'), apiUrl })
    const sessionIs = (wanted: string) =>
      eventually(
        async () => (await dev.agentSessions()).nodes[0]?.status === wanted,
        `the session is not ${wanted}`,
      )
    await dev.updateIssue('ENG-1', { delegateId: app.appUserId })
    await sessionIs('awaitingInput')
    const session = (await dev.agentSessions()).nodes[0] ?? assert.fail()
    const root = await session.comment
    await dev.createComment({ parentId: root?.id ?? '', body: 'The red one' })
    await sessionIs('complete')
    const thread = (await (await dev.issue('ENG-1')).comments()).nodes.map(({ body }) => body)
    assert.ok(
      thread.includes('Which pump of ENG-1?') && thread.includes('Done: The red one'),
      thread.join('\n'),
    )
    assert.deepEqual(agent.heard, ['created', 'prompted'])

    await eventually(
      async () => (await service.call('GET', `${at}/deliveries?status=pending`)).body.items.length === 0,
      'deliveries are still pending',
    )
    const { body: sent } = await service.call('GET', `${at}/deliveries?limit=50`)
    const events = sent.items.filter(({ kind }: { kind: string }) => kind.startsWith('AgentSessionEvent'))
    assert.deepEqual(
      events.map(({ kind, status: how, attempts }: Record<string, unknown>) => [kind, how, attempts]),
      [
        ['AgentSessionEvent prompted', 'delivered', 1],
        ['AgentSessionEvent created', 'delivered', 1],
      ],
    )
    const { body: cause } = await service.call('GET', `${at}/activity/${events[1].cause}`)
    assert.equal(cause.operation, 'mutation IssueUpdate')
  })
})
