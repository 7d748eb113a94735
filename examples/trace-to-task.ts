// What an agent did in production becomes a task: what led up to its answer is given, the answer is the reference.
import assert from 'node:assert/strict'
import { createClient } from '../sdk/index.ts'
import { openService } from './service.ts'

await using service = await openService()
const client = createClient(service)

const text = (role: string, content: string) => JSON.stringify([{ role, parts: [{ type: 'text', content }] }])
const traceId = `trace-${Date.now()}`
const answer = 'Orders 7001 and 7004 are late.'
await client.traces.track({
  traceId,
  name: 'Order question',
  spans: [
    {
      spanId: 'ask',
      name: 'invoke_agent helper',
      startedAt: '2026-01-05T09:00:00Z',
      endedAt: '2026-01-05T09:00:09Z',
      attributes: {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.input.messages': text('user', 'Which open orders of Lakeshore are late? Name them.'),
        'gen_ai.output.messages': text('assistant', answer),
      },
    },
    {
      spanId: 'look',
      parentSpanId: 'ask',
      name: 'execute_tool list_orders',
      startedAt: '2026-01-05T09:00:03Z',
      endedAt: '2026-01-05T09:00:04Z',
      attributes: {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'list_orders',
        'gen_ai.tool.call.result': '["7001","7002","7004"]',
      },
    },
  ],
})

const suite = await client.suites.create({ name: `From traces ${traceId}` })
const task = await client.tasks.createFromTrace(suite.id, {
  traceId,
  notes: 'Both orders must be named, and no other.',
})
console.log(`${task.title}: ${task.instruction}`)
assert.match(task.instruction, /Which open orders of Lakeshore are late/)

// Held-back events are what the scorer gets as `expected`.
const scorer = await client.scorers.create({
  name: 'Names both orders',
  kind: 'code',
  language: 'python',
  code: 'def handler(input, output, expected, metadata):\n    return {"score": 1 if "7001" in output and "7004" in output and "7002" not in output else 0}\n',
  passThreshold: 1,
})
await client.tasks.setScorers(suite.id, task.id, [{ scorerId: scorer.id }])
await client.agents.register({
  name: 'answerer',
  version: '1',
  run: { command: `echo '${answer}' > "$WORK_DIR/output.txt"`, network: 'none' },
})
const { results } = await client.evaluations.runAndWait({
  taskSuiteId: suite.id,
  agents: ['answerer@1'],
  mode: 'replay',
})
assert.equal(results.passRate, 1)
console.log('The replayed task passed.')
