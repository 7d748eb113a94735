import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { hostLayer, savedImage, tarOf } from '../../sandbox/testing/test-image.ts'
import { createClient, type WorldBlueprintInput } from '../../sdk/index.ts'
import { openStandIn } from '../../server/src/models/testing.ts'
import { type TestService, testService } from '../../server/src/testing.ts'
import { sampleCompany } from '../../server/src/worlds/sample.ts'
import { root } from '../sources.ts'

const example = (path: string): string => readFileSync(join(root, 'examples/agents', path), 'utf8')

type Ask = readonly [tool: string, input: (results: readonly string[]) => unknown]

const found = (text: string | undefined, pattern: RegExp): string => pattern.exec(text ?? '')?.[1] ?? ''
const orders = { serviceId: 'API_SALES_ORDER_SRV', entityName: 'A_SalesOrder' }

/** The calls with which each task of the sample company is done, one after the other, and what is answered then. */
const plans: readonly (readonly [task: RegExp, calls: readonly Ask[]])[] = [
  [
    /escalated/i,
    [
      [
        'soqlQuery',
        () => ({
          query: "SELECT Id, CaseNumber FROM Case WHERE Subject LIKE '%drift%' AND IsClosed = false",
        }),
      ],
      [
        'updateSobjectRecord',
        ([cases]) => ({
          'sobject-name': 'Case',
          id: found(cases, /"Id":"(\w+)"/),
          body: { Status: 'Escalated' },
        }),
      ],
      ['slack_search_channels', () => ({ query: 'support-escalations' })],
      [
        'slack_send_message',
        ([cases, , channels]) => ({
          channel_id: found(channels, /Channel ID: (\w+)/),
          message: `Case ${found(cases, /"CaseNumber":"(\d+)"/)} is escalated.`,
        }),
      ],
    ],
  ],
  [
    /spare probes/i,
    [
      [
        'execute-entity-operation',
        () => ({
          ...orders,
          operation: 'read',
          queryOptions: { $filter: "PurchaseOrderByCustomer eq 'CVW-2291'" },
        }),
      ],
      [
        'execute-entity-operation',
        ([read]) => ({
          ...orders,
          operation: 'update',
          parameters: {
            SalesOrder: found(read, /"SalesOrder":"(\d+)"/),
            RequestedDeliveryDate: `/Date(${Date.UTC(2026, 2, 20)})/`,
          },
        }),
      ],
      ['slack_search_channels', () => ({ query: 'orders' })],
      [
        'slack_read_channel',
        ([, , channels]) => ({ channel_id: found(channels, /Name: #orders\\nChannel ID: (\w+)/) }),
      ],
      [
        'slack_send_message',
        ([, , channels, history]) => ({
          channel_id: found(channels, /Name: #orders\\nChannel ID: (\w+)/),
          thread_ts: found(history, /Message TS: (\d+\.\d+)\\n(?:(?!Message TS)[\s\S])*CVW-2291/),
          message: 'Done: the requested delivery date is now 2026-03-20.',
        }),
      ],
    ],
  ],
  [
    /drift issue/i,
    [
      ['list_issues', () => ({ query: 'Turbidity baseline drifts after nine days' })],
      [
        'save_issue',
        ([issues]) => ({
          id: found(issues, /"id":"([A-Z]+-\d+)"/),
          assignee: 'Aiko Tanaka',
          state: 'In Progress',
          priority: 1,
        }),
      ],
    ],
  ],
  [
    /renewal/i,
    [
      [
        'soqlQuery',
        () => ({ query: "SELECT Id FROM Opportunity WHERE Name = 'Calder Valley Water - Renewal 2026'" }),
      ],
      [
        'updateSobjectRecord',
        ([deals]) => ({
          'sobject-name': 'Opportunity',
          id: found(deals, /"Id":"(\w+)"/),
          body: { StageName: 'Negotiation/Review' },
        }),
      ],
    ],
  ],
]

/** A stand-in for a model: it knows which call comes next by the answers that it is shown. */
const scriptedModel = () =>
  openStandIn(({ body }) => {
    const messages: readonly { role: string; content: unknown }[] = body.messages
    const asked = JSON.stringify(messages.find(({ role }) => role === 'user'))
    const results = messages.filter(({ role }) => role === 'tool').map(({ content }) => textOf(content))
    const next = plans.find(([task]) => task.test(asked))?.[1][results.length]
    const usage = { input: 100, output: 10 }
    if (!next) return { text: 'Done.', usage }
    const [name, input] = next
    return { toolCalls: [{ id: `c${results.length}`, name, input: input(results) }], usage }
  })

const textOf = (content: unknown): string => (typeof content === 'string' ? content : JSON.stringify(content))

/** The agent of the kind command, with Node, as an image of this machine's own programs. */
const agentImage = async (): Promise<Buffer> => {
  const { layer, path } = hostLayer({ programs: ['sh'], node: true })
  const files = await tarOf([
    { name: 'app/work.mjs', content: example('mcp-only/work.mjs') },
    { name: 'app/agent.mjs', content: example('mcp-only/agent.mjs') },
  ])
  const config = { Env: [`PATH=${path}`], WorkingDir: '/app', Cmd: ['node', 'agent.mjs'] }
  return gzipSync(await savedImage({ layers: [layer, files], config }), { level: 1 })
}

const uploadBundle = ({ baseUrl, key }: TestService, name: string, body: Buffer): Promise<Response> =>
  fetch(`${baseUrl}/v1/agents/${name}/versions/1/bundle`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/gzip' },
    body: new Uint8Array(body),
  })

describe('agents of every kind', () => {
  it('work at one suite in one evaluation', async () => {
    await using model = await scriptedModel()
    const { serve } = (await import(
      pathToFileURL(join(root, 'examples/agents/outside/server.mjs')).href
    )) as {
      serve: () => Promise<Server>
    }
    const outside = await serve()
    const origin = `http://127.0.0.1:${(outside.address() as AddressInfo).port}`
    await using service = await testService({
      outsideAgents: [origin],
      models: {
        providers: { local: { wire: 'openai', base_url: model.baseUrl } },
        prices: {},
        timeoutMs: 10_000,
      },
    })
    const client = createClient({ baseUrl: service.baseUrl, apiKey: service.key })
    const world = await client.worlds.launchAndWait({
      blueprint: sampleCompany as WorldBlueprintInput,
      ttlHours: 1,
    })
    const work = { 'work.mjs': example('mcp-only/work.mjs') }
    const register = (name: string, more: object) =>
      service.call('POST', '/v1/agents/register', { name, version: '1', ...more })
    const made = await Promise.all([
      register('command', {
        files: { ...work, 'agent.mjs': example('mcp-only/agent.mjs') },
        run: { command: 'node agent.mjs' },
      }),
      register('image', { run: { kind: 'image' } }),
      register('acp', {
        files: { ...work, 'agent.mjs': example('acp/agent.mjs') },
        run: { kind: 'acp', command: ['node', 'agent.mjs'] },
      }),
      register('http', { run: { kind: 'http', url: `${origin}/run` } }),
      register('a2a', { run: { kind: 'a2a', url: origin } }),
      register('a2a-old', { run: { kind: 'a2a', url: `${origin}/old` } }),
      register('chat', {
        run: { kind: 'chat' },
        model: { provider: 'local', id: 'scripted' },
        instructions: 'You work at the company. Use the tools.',
      }),
      register('elsewhere', { run: { kind: 'http', url: 'http://169.254.169.254/latest' } }),
    ])
    for (const { status, text } of made) assert.equal(status, 201, text)
    const uploaded = await uploadBundle(service, 'image', await agentImage())
    assert.equal(uploaded.status, 201, await uploaded.text())
    const names = ['command', 'image', 'acp', 'http', 'a2a', 'a2a-old', 'chat', 'elsewhere']
    const { job, results } = await client.evaluations.runAndWait({
      taskSuiteId: world.evaluation?.taskSuiteId ?? '',
      agents: names.map((name) => `${name}@1`),
      mode: 'compare',
    })
    const { items } = await client.evaluations.listTrials(job.id, { limit: 100 })
    const trials = await Promise.all(items.map(({ id }) => client.evaluations.getTrial(job.id, id)))
    const shown = trials.map(({ agent, passed, error, scores }) => ({ agent, passed, error, scores }))
    const passes = Object.fromEntries(results.agents.map(({ agent, passedTrials }) => [agent, passedTrials]))
    assert.deepEqual(
      passes,
      {
        'command@1': 4,
        'image@1': 4,
        'acp@1': 4,
        'http@1': 4,
        'a2a@1': 4,
        'a2a-old@1': 4,
        'chat@1': 4,
        'elsewhere@1': 0,
      },
      JSON.stringify(
        shown.filter(({ passed }) => !passed),
        null,
        1,
      ).slice(0, 6_000),
    )
    const of = (name: string) => trials.filter(({ agent }) => agent === `${name}@1`)
    for (const { isolation } of of('image')) assert.match(isolation ?? '', /crun|runc/)
    for (const { error } of of('elsewhere')) assert.match(error ?? '', /DIORAMA_OUTSIDE_AGENTS/)
    // What an agent outside did is recorded, and so is what an agent reports of itself.
    for (const trial of of('http')) assert.ok(trial.steps.some(({ name }) => name.startsWith('tools/call ')))
    for (const trial of of('acp'))
      assert.ok(trial.steps.some(({ detail }) => JSON.stringify(detail).includes('agent')))
    assert.ok(of('chat').some(({ usage }) => (usage?.modelCalls ?? 0) >= 3))
    outside.close()
  })
})
