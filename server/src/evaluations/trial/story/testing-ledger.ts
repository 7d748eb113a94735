import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'

// biome-ignore lint/suspicious/noExplicitAny: tests look into replies of several routes.
type Body = any

/** An agent of three runtimes: it asks, polls, sleeps and answers, by clients with their own timers. */
export const agentFiles = {
  'agent.mjs': `
const slack = async (method, parameters = {}) => {
  const reply = await fetch('https://slack.com/api/' + method, {
    method: 'POST',
    headers: { authorization: 'Bearer ' + process.env.SLACK_BOT_TOKEN },
    body: new URLSearchParams(parameters),
    signal: AbortSignal.timeout(30_000),
  })
  return reply.json()
}
const sleep = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1_000))
const { user } = await slack('users.lookupByEmail', { email: 'dana@larkfield.example' })
const { channel, ts } = await slack('chat.postMessage', { channel: user.id, text: 'Do you approve a discount of 900 EUR?' })
for (let n = 0; n < 30; n++) {
  const { messages } = await slack('conversations.history', { channel, oldest: ts })
  if (messages.some(({ text }) => /approved/i.test(text))) break
  await sleep(60)
}
await Promise.all([sleep(5), sleep(7.5), slack('auth.test')])
await slack('chat.postMessage', { channel, text: 'Thank you, it is ' + new Date().toISOString().slice(0, 16) })
`,
  'agent.py': `
import json, os, time, urllib.parse, urllib.request
def slack(method, **parameters):
    request = urllib.request.Request('https://slack.com/api/' + method, urllib.parse.urlencode(parameters).encode(),
        {'authorization': 'Bearer ' + os.environ['SLACK_BOT_TOKEN']})
    return json.load(urllib.request.urlopen(request, timeout=20))
channel = next(one['id'] for one in slack('conversations.list')['channels'] if one['name'] == 'orders')
for n in range(3):
    time.sleep(1800)
    slack('conversations.history', channel=channel)
slack('chat.postMessage', channel=channel, text='Seen by Python')
`,
  'agent.sh': `
node agent.mjs && python3 agent.py && sleep 90 && date -u +%FT%TZ > "$WORK_DIR/output.txt"
curl -sS https://slack.com/api/auth.test -H "authorization: Bearer $SLACK_BOT_TOKEN" > /dev/null
`,
}

/** Ten minutes, on a machine that is not busy with other tests. */
const maxPolls = 1_800

interface Caller {
  readonly call: (method: string, path: string, body?: unknown) => Promise<{ body: Body; text: string }>
}

/** Launches a company that moves, registers the agent and starts so many evaluations of it; the path of the job. */
export const startRuns = async (service: Caller, perTask: number): Promise<string> => {
  const file = new URL('../../../../../examples/blueprints/larkfield-pumps.json', import.meta.url)
  const blueprint = JSON.parse(readFileSync(file, 'utf8'))
  blueprint.scenario.tasks.splice(2)
  blueprint.scenario.coworkers[0].replyDelay = '6m'
  const { body: launched } = await service.call('POST', '/v1/builder/worlds', { blueprint })
  const run = { command: 'sh agent.sh', network: 'world', timeout_seconds: 300 }
  await service.call('POST', '/v1/agents/register', { name: 'three', version: '1', files: agentFiles, run })
  const started = await service.call('POST', '/v1/backtests/jobs', {
    task_suite_id: launched.evaluation.taskSuiteId,
    agents: ['three@1'],
    trials_per_task: perTask,
  })
  return `/v1/backtests/jobs/${started.body.id}`
}

/** Waits for the end of the evaluations; the ledger of each trial. */
export const ledgersOf = async (service: Caller, path: string): Promise<string[]> => {
  const isOver = async () => (await service.call('GET', path)).body.finished_at !== null
  for (let n = 0; n < maxPolls && !(await isOver()); n++)
    await new Promise((resolve) => setTimeout(resolve, 500))
  const { items } = (await service.call('GET', `${path}/trials?limit=200`)).body
  const ledgers: string[] = []
  for (const { id } of items) {
    const { body: trial } = await service.call('GET', `${path}/trials/${id}`)
    assert.equal(trial.error, null)
    ledgers.push(JSON.stringify(await ledgerOf(service, trial)))
  }
  return ledgers
}

/**
 * Everything that a trial's world recorded, in the order of the world: who asked for what when, what was answered and
 * what it changed. Left out are the names of the trial's own rows and the wall's time.
 */
export const ledgerOf = async (service: Caller, trial: Body): Promise<Body[]> => {
  const twins: Body[] = trial.steps[0].detail.twins
  const entries: Body[] = []
  for (const { id } of twins) {
    const { items } = (await service.call('GET', `/v1/twins/${id}/activity?limit=200`)).body
    for (const { request_id } of items.toReversed()) {
      const { body } = await service.call('GET', `/v1/twins/${id}/activity/${request_id}`)
      const { request_id: _, twin_id: __, at: ___, duration_ms: ____, ...rest } = body
      entries.push(JSON.parse(JSON.stringify(rest).replaceAll(id, 'twin')))
    }
  }
  return entries
}
