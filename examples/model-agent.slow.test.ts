import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { openStandIn } from '../server/src/models/testing.ts'
import { testService } from '../server/src/testing.ts'

interface Message {
  readonly role: string
}

describe('the loop around a model', () => {
  it('asks the model, calls a service for it, and ends with its answer', { timeout: 120_000 }, async () => {
    await using model = await openStandIn(({ body }) =>
      body.messages.some(({ role }: Message) => role === 'tool')
        ? { text: 'I have looked.' }
        : {
            toolCalls: [
              { id: 'call_1', name: 'http', input: { service: 'slack', method: 'POST', path: '/auth.test' } },
            ],
          },
    )
    const origin = new URL(model.baseUrl).origin
    await using service = await testService({ agentHosts: [`api.openai.com=${origin}`] })
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [fileURLToPath(new URL('model-agent.ts', import.meta.url))],
      {
        env: {
          PATH: process.env.PATH,
          DIORAMA_BASE_URL: service.baseUrl,
          DIORAMA_API_KEY: service.key,
          OPENAI_API_KEY: 'sk-stand-in',
        },
        timeout: 90_000,
      },
    )
    // The stand-in does none of the tasks, so that all four fail, and the evaluation still comes to its end.
    assert.equal(stdout.match(/^failed {2}/gm)?.length, 4, stdout)
    const { body: jobs } = await service.call('GET', '/v1/backtests/jobs')
    const { body: trials } = await service.call('GET', `/v1/backtests/jobs/${jobs.items[0].id}/trials`)
    const path = `/v1/backtests/jobs/${jobs.items[0].id}/trials/${trials.items[0].id}`
    const { body: trial } = await service.call('GET', path)
    assert.deepEqual([trial.status, trial.output], ['succeeded', 'I have looked.'], trial.error)
    assert.ok(trial.steps.some(({ name }: { name: string }) => name === 'auth.test'))
    assert.equal(model.asked.length, 8)
    assert.equal(model.asked[0]?.body.tools[0].function.name, 'http')
  })
})
