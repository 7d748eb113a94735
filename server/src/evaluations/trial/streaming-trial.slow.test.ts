import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { testService } from '../../testing.ts'
import { createSuite, launchSample, pythonScorer, registerCommand, runToEnd } from '../testing-runs.ts'

/** Listens for changes by long polling at the real host name, changes a record, and leaves while a poll is still held. */
const agent = `
import { writeFileSync } from 'node:fs'
const base = process.env.SVC_CRM_BASE_URL, authorization = 'Bearer ' + process.env.SVC_CRM_TOKEN
const post = async (path, body) => (await fetch(base + path, { method: 'POST', headers: { authorization, 'content-type': 'application/json' }, body: JSON.stringify(body) })).json()
const bayeux = (message) => post('/cometd/62.0', [message])
const [{ clientId }] = await bayeux({ channel: '/meta/handshake', version: '1.0', supportedConnectionTypes: ['long-polling'] })
const connect = () => bayeux({ channel: '/meta/connect', clientId, connectionType: 'long-polling' })
await connect()
await bayeux({ channel: '/meta/subscribe', clientId, subscription: '/data/ChangeEvents' })
const held = connect()
await post('/services/data/v62.0/sobjects/Account', { Name: 'Heard of' })
const messages = await held
writeFileSync(process.env.WORK_DIR + '/output.txt', JSON.stringify(messages.filter(({ data }) => data)))
connect().catch(() => undefined)
await new Promise((resolve) => setTimeout(resolve, 300))
process.exit(0)
`

describe('long polling in a trial', () => {
  it('reaches the twin by its real host name, and ends with the trial', async () => {
    await using service = await testService()
    const { world } = await launchSample(service)
    const suite = await createSuite(service, {
      scorers: [pythonScorer('heard', "return 1 if 'Heard of' in output and 'CREATE' in output else 0")],
      environmentVersionId: world.evaluation.environmentVersionId,
    })
    const run = { command: ['node', 'agent.mjs'], network: 'world' } as const
    const reference = await registerCommand(service, 'listener', run, { 'agent.mjs': agent })
    const { trials } = await runToEnd(service, { task_suite_id: suite, agents: [reference] })
    assert.equal(trials[0].status, 'succeeded', JSON.stringify(trials[0]))
    assert.deepEqual(
      trials[0].scores.map(({ score }: { score: number }) => score),
      [1],
      JSON.stringify(trials[0]),
    )
  })
})
