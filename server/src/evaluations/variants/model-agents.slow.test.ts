import assert from 'node:assert/strict'
import { it } from 'node:test'
import { openStandIn } from '../../models/testing.ts'
import { testService } from '../../testing.ts'
import { createSuite, launchSample, pythonScorer, runToEnd } from '../testing-runs.ts'

const calls = 24

it('calls of a model that the service drives meet faults too, and the model is shown them', async () => {
  const shown: string[] = []
  await using model = await openStandIn(({ body }) => {
    const messages: readonly { role: string; content: unknown }[] = body.messages
    const results = messages.filter(({ role }) => role === 'tool')
    shown.push(JSON.stringify(results.at(-1)?.content ?? ''))
    const usage = { input: 10, output: 1 }
    if (results.length === calls) return { text: 'Done.', usage }
    const input = { query: `orders ${results.length}` }
    return { toolCalls: [{ id: `c${results.length}`, name: 'slack_search_channels', input }], usage }
  })
  await using service = await testService({
    models: {
      providers: { local: { wire: 'openai', base_url: model.baseUrl } },
      prices: {},
      timeoutMs: 10_000,
    },
  })
  const { world } = await launchSample(service)
  const suite = await createSuite(service, {
    scorers: [pythonScorer('any', 'return 1')],
    environmentVersionId: world.evaluation.environmentVersionId,
  })
  const made = await service.call('POST', '/v1/agents/register', {
    name: 'driven',
    version: '1',
    run: { kind: 'chat', max_turns: calls + 2 },
    model: { provider: 'local', id: 'scripted' },
    instructions: 'Use the tools.',
  })
  assert.equal(made.status, 201, made.text)
  const run = { task_suite_id: suite, agents: ['driven@1'], variants: ['faults'] }
  const { job, trials } = await runToEnd(service, run)
  const stepsOf = async (variant: string | null) => {
    const id = trials.find((one) => one.variant === variant)?.id
    const { body } = await service.call('GET', `/v1/backtests/jobs/${job.id}/trials/${id}`)
    return body.steps.filter(({ name }: { name: string }) => name.startsWith('fault: '))
  }
  assert.deepEqual(await stepsOf(null), [])
  const faults = await stepsOf('faults')
  assert.ok(faults.length >= 2, JSON.stringify(trials))
  assert.ok(faults.every(({ detail }: { detail: { service: string } }) => detail.service === 'chat'))
  assert.ok(
    shown.some((text) => /without an answer|rate|unavailable|internal/i.test(text)),
    shown.join('\n'),
  )
})
