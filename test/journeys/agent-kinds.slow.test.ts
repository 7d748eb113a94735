import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { createClient, type WorldBlueprintInput } from '../../sdk/index.ts'
import { openStandIn } from '../../server/src/models/testing.ts'
import { testService } from '../../server/src/testing.ts'
import { sampleCompany } from '../../server/src/worlds/sample.ts'
import { root } from '../sources.ts'

const example = (path: string): string => readFileSync(join(root, 'examples/agents', path), 'utf8')

/** A stand-in for a model that knows one task: it looks the deal up, changes its stage and says so. */
const scriptedModel = () =>
  openStandIn(({ body }) => {
    const results = body.messages.filter(({ role }: { role: string }) => role === 'tool')
    const call = (name: string, input: unknown) => ({
      toolCalls: [{ id: `c${results.length}`, name, input }],
    })
    const asked = JSON.stringify(body.messages)
    if (!/renewal/i.test(asked)) return { text: 'I do not know how to do this.' }
    if (results.length === 0)
      return call('soqlQuery', {
        query: "SELECT Id FROM Opportunity WHERE Name = 'Calder Valley Water - Renewal 2026'",
      })
    const id = /006\w{12,15}/.exec(JSON.stringify(results[0]))?.[0]
    if (results.length === 1)
      return call('updateSobjectRecord', {
        'sobject-name': 'Opportunity',
        id,
        body: { StageName: 'Negotiation/Review' },
      })
    return { text: 'The renewal stands at Negotiation/Review.', usage: { input: 100, output: 10 } }
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
    const names = ['command', 'acp', 'http', 'a2a', 'a2a-old', 'chat', 'elsewhere']
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
      { 'command@1': 4, 'acp@1': 4, 'http@1': 4, 'a2a@1': 4, 'a2a-old@1': 4, 'chat@1': 1, 'elsewhere@1': 0 },
      JSON.stringify(
        shown.filter(({ passed }) => !passed),
        null,
        1,
      ).slice(0, 6_000),
    )
    const of = (name: string) => trials.filter(({ agent }) => agent === `${name}@1`)
    for (const { error } of of('elsewhere')) assert.match(error ?? '', /DIORAMA_OUTSIDE_AGENTS/)
    // What an agent outside did is recorded, and so is what an agent reports of itself.
    for (const trial of of('http')) assert.ok(trial.steps.some(({ name }) => name.startsWith('tools/call ')))
    for (const trial of of('acp'))
      assert.ok(
        trial.steps.some(({ detail }) => detail?.reportedBy === 'agent' || detail?.reported_by === 'agent'),
      )
    assert.ok(of('chat').some(({ usage }) => (usage?.modelCalls ?? 0) >= 3))
    outside.close()
  })
})
