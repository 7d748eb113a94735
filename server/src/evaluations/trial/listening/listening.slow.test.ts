import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type TestService, testService } from '../../../testing.ts'
import { sampleCompany } from '../../../worlds/sample.ts'
import { createSuite, pythonScorer, registerCommand, runToEnd } from '../../testing-runs.ts'

/** A bot that never asks for anything: it answers each message of a person in its thread. */
const bot = `
import { createServer } from 'node:http'
createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const { type, challenge, event } = JSON.parse(Buffer.concat(chunks))
  response.end(type === 'url_verification' ? challenge : '')
  if (type !== 'event_callback' || event.bot_id || event.thread_ts) return
  await fetch('https://slack.com/api/chat.postMessage', {
    method: 'POST',
    headers: { authorization: 'Bearer ' + process.env.SLACK_BOT_TOKEN, 'content-type': 'application/json' },
    body: JSON.stringify({ channel: event.channel, thread_ts: event.ts, text: 'Heard: ' + event.text }),
  })
}).listen(process.env.PORT)
`

const manifest = {
  settings: {
    event_subscriptions: {
      request_url: 'https://agent.internal/events',
      bot_events: ['message.channels'],
    },
  },
}

describe('an agent that listens', () => {
  let service: TestService
  let environmentVersionId: string
  before(async () => {
    service = await testService()
    const blueprint = structuredClone(sampleCompany) as { scenario: object; identities: { handle: string }[] }
    const say = (text: string) => ({
      as: blueprint.identities[0]?.handle,
      do: [{ service: 'chat', operation: 'chat.postMessage', input: { channel: '#general', text } }],
    })
    Object.assign(blueprint.scenario, {
      events: [
        { key: 'soon', at: '4m', ...say('one') },
        { key: 'later', at: '2h', ...say('two') },
      ],
    })
    const { body } = await service.call('POST', '/v1/builder/worlds', { blueprint })
    environmentVersionId = body.evaluation.environmentVersionId
  })
  after(() => service[Symbol.asyncDispose]())

  const trialOf = async (name: string, listen: object, files: Record<string, string>) => {
    const reference = await registerCommand(
      service,
      name,
      { command: ['node', 'bot.mjs'], network: 'world', listen },
      files,
    )
    const suite = await createSuite(service, {
      scorers: [
        pythonScorer(
          'answered',
          `from world_state import world
said = [change["after"]["text"] for change in world.diff() if change["collection"] == "message"]
return {'score': 1 if said == ["Heard: one", "Heard: two"] else 0, 'reason': str(said)}`,
        ),
      ],
      environmentVersionId,
    })
    const { job, trials } = await runToEnd(service, { task_suite_id: suite, agents: [reference] })
    return (await service.call('GET', `/v1/backtests/jobs/${job.id}/trials/${trials[0].id}`)).body
  }

  it('is called by the services of its world, and ends when nothing is due any more', async () => {
    const trial = await trialOf('bot', { settings: { chat: { manifest } } }, { 'bot.mjs': bot })
    assert.deepEqual(
      [trial.status, trial.error, trial.scores[0]?.score],
      ['succeeded', null, 1],
      JSON.stringify(trial).slice(0, 4_000),
    )
  })

  it('fails where it does not listen, or where its settings are refused', async () => {
    const deaf = await trialOf('deaf', { ready_seconds: 1 }, { 'bot.mjs': 'setTimeout(() => {}, 1e9)' })
    assert.deepEqual(
      [deaf.status, deaf.cause, deaf.error],
      ['failed', 'agent', 'The agent did not listen on port 3000 within 1 seconds (run.listen).'],
    )
    const wrong = await trialOf('wrong', { settings: { chat: { manifesto: {} } } }, { 'bot.mjs': bot })
    assert.equal(wrong.cause, 'agent')
    assert.match(wrong.error, /^The settings of chat in run.listen were refused: /)
  })
})
