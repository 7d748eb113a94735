import assert from 'node:assert/strict'
import { it } from 'node:test'
import { testService } from '../../../testing.ts'
import { sampleCompany } from '../../../worlds/sample.ts'
import { createSuite, launchSample, pythonScorer, registerCommand, runToEnd } from '../../testing-runs.ts'

const command = `s=$(date +%s); sleep 300 && echo $(($(date +%s) - s)) > $WORK_DIR/output.txt
node -e 'const s = Date.now(); setTimeout(() => console.log((Date.now() - s) / 1000), 300000)' >> $WORK_DIR/output.txt
python3 -c 'import time; s = time.time(); time.sleep(300); print(round(time.time() - s))' >> $WORK_DIR/output.txt
date -u +%Y >> $WORK_DIR/output.txt`

it('an agent’s programs wait in the story of their trial, and the trial records how', async (context) => {
  await using service = await testService()
  const { world } = await launchSample(service)
  const suite = await createSuite(service, {
    scorers: [pythonScorer('any', 'return 1')],
    environmentVersionId: world.evaluation.environmentVersionId,
  })
  const agent = await registerCommand(service, 'sleeper', { command, network: 'world' })
  const { job, trials } = await runToEnd(service, { task_suite_id: suite, agents: [agent] })
  const trial = (await service.call('GET', `/v1/backtests/jobs/${job.id}/trials/${trials[0].id}`)).body
  assert.equal(trial.output, `300\n300\n300\n${new Date(world.world.blueprint.clock).getUTCFullYear()}\n`)
  assert.equal(trial.steps[0].detail.story_time, 'preload')
  assert.equal(trial.steps.filter(({ name }: { name: string }) => name === 'wait 300 s').length, 3)
  // Fifteen minutes of the story; what is left are the starts of five programs, on a machine as busy as it may be.
  const agentMs = trial.steps.find(({ kind }: { kind: string }) => kind === 'agent').duration_ms
  context.diagnostic(`the agent took ${Math.round(agentMs)} ms`)
  assert.ok(agentMs < 60_000, `the agent took ${agentMs} ms`)
})

const waiting = `node -e '
const post = async (url, body, headers = {}) => (await fetch(url, { method: "POST", body: JSON.stringify(body),
  headers: { "content-type": "application/json; charset=utf-8", ...headers } }))
const chat = async (method, body) => {
  const reply = await post(process.env.SVC_CHAT_BASE_URL + "/api/" + method, body, { authorization: "Bearer " + process.env.SVC_CHAT_TOKEN })
  return { date: Date.parse(reply.headers.get("date")), ...(await reply.json()) }
}
(async () => {
  const before = await chat("auth.test")
  await new Promise((resolve) => setTimeout(resolve, 300_000))
  const after = await chat("auth.test")
  const waited = await (await post(process.env.SVC_WORLD_URL + "/wait", { for: "2h" })).json()
  const later = await chat("auth.test")
  const wrong = await post(process.env.SVC_WORLD_URL + "/wait", { for: "soon" })
  const minutes = (ms) => Math.round(ms / 60_000)
  console.log(JSON.stringify([minutes(after.date - before.date), minutes(waited.waited_seconds * 1000), minutes(later.date - after.date), wrong.status]))
})()' > $WORK_DIR/output.txt`

it('waits of an agent move its twins: by sleeping, and by the wait endpoint', async () => {
  await using service = await testService()
  const blueprint = structuredClone(sampleCompany) as { scenario: object; identities: { handle: string }[] }
  const text = 'while you slept'
  const act = { service: 'chat', operation: 'chat.postMessage', input: { channel: '#general', text } }
  const as = blueprint.identities[0]?.handle
  Object.assign(blueprint.scenario, {
    events: [
      { key: 'slept', at: '4m', as, do: [act] },
      { key: 'waited', at: '1h', as, do: [act] },
    ],
  })
  const { body: world } = await service.call('POST', '/v1/builder/worlds', { blueprint })
  const suite = await createSuite(service, {
    scorers: [
      pythonScorer(
        'moved',
        `from world_state import world
return 1 if [c["after"]["text"] for c in world.diff(by="world") if c["collection"] == "message"] == ["${text}"] * 2 and not world.diff() else 0`,
      ),
    ],
    environmentVersionId: world.evaluation.environmentVersionId,
  })
  const agent = await registerCommand(service, 'waiter', { command: waiting, network: 'world' })
  const { job, trials } = await runToEnd(service, { task_suite_id: suite, agents: [agent] })
  const trial = (await service.call('GET', `/v1/backtests/jobs/${job.id}/trials/${trials[0].id}`)).body
  // In minutes: requests cost seconds, and so do the timers of Node’s own HTTP client.
  assert.equal(trial.output, '[5,120,120,400]\n', JSON.stringify(trial.error))
  assert.equal(trial.scores[0].score, 1, JSON.stringify(trial.scores))
})
