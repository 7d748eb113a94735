import assert from 'node:assert/strict'
import { it } from 'node:test'
import { testService } from '../../../testing.ts'
import { launchSample, pythonScorer, registerCommand, runToEnd } from '../../testing-runs.ts'

/**
 * A bot that is only ever called. It files an issue for a person who reports a leak in the chat and answers with its
 * number; it answers a person's comment on such an issue there.
 */
const bot = `
import { createServer } from 'node:http'
const post = async (url, authorization, body) => (await fetch(url, {
  method: 'POST', headers: { authorization, 'content-type': 'application/json' }, body: JSON.stringify(body),
})).json()
const chat = (method, body) => post('https://slack.com/api/' + method, 'Bearer ' + process.env.SLACK_BOT_TOKEN, body)
const tracker = async (query, variables) => (await post('https://api.linear.app/graphql', process.env.LINEAR_API_KEY, { query, variables })).data
const onMessage = async ({ channel, ts, text, bot_id }) => {
  if (bot_id || !/leak/.test(text)) return
  const { teams } = await tracker('{ teams(first: 1) { nodes { id } } }')
  const { issueCreate } = await tracker(
    'mutation($input: IssueCreateInput!) { issueCreate(input: $input) { issue { identifier } } }',
    { input: { teamId: teams.nodes[0].id, title: text } })
  await chat('chat.postMessage', { channel, thread_ts: ts, text: 'Filed as ' + issueCreate.issue.identifier })
}
const onComment = async ({ action, data }) => {
  if (action !== 'create' || !/[?]$/.test(data.body)) return
  await tracker('mutation($input: CommentCreateInput!) { commentCreate(input: $input) { success } }',
    { input: { issueId: data.issueId, body: 'A plumber is on the way' } })
}
await tracker('mutation($input: WebhookCreateInput!) { webhookCreate(input: $input) { success } }',
  { input: { url: 'https://agent.internal/tracker', resourceTypes: ['Comment'], allPublicTeams: true } })
createServer(async (request, response) => {
  const parts = []
  for await (const part of request) parts.push(part)
  const body = JSON.parse(Buffer.concat(parts))
  response.end(body.challenge ?? '')
  if (body.type === 'event_callback') await onMessage(body.event)
  if (request.url === '/tracker') await onComment(body)
}).listen(process.env.PORT)
`

const manifest = {
  settings: {
    event_subscriptions: { request_url: 'https://agent.internal/chat', bot_events: ['message.channels'] },
  },
}

const tasks = [
  {
    title: 'Reports in the chat become issues',
    scorer: pythonScorer(
      'Filed',
      `from world_state import world
made = [change["after"] for change in world.diff() if change.get("after")]
titles = sorted(row["title"] for row in made if "title" in row and "leaks" in str(row["title"]))
told = [row["text"] for row in made if str(row.get("text", "")).startswith("Filed as ")]
return {'score': 1 if titles == ["Pump 3 leaks", "Pump 4 leaks"] and len(set(told)) == 2 else 0, 'reason': str([titles, told])}`,
    ),
  },
  {
    title: 'Questions on issues are answered',
    scorer: pythonScorer(
      'Answered',
      `from world_state import world
bodies = [change["after"].get("body") for change in world.diff() if change.get("after")]
return {'score': 1 if bodies.count("A plumber is on the way") == 1 else 0, 'reason': str(bodies)}`,
    ),
  },
]

it('a bot that is only ever called solves two tasks of a moving company', async () => {
  await using service = await testService()
  const { world } = await launchSample(service, (blueprint) => {
    const say = (text: string) => ({
      as: blueprint.identities[0].handle,
      do: [{ service: 'chat', operation: 'chat.postMessage', input: { channel: '#general', text } }],
    })
    const comment = { issueId: { $key: 'radio-retry' }, body: 'Who looks after this?' }
    Object.assign(blueprint.scenario, {
      events: [
        { key: 'first', at: '10m', ...say('Pump 3 leaks') },
        {
          ...{ key: 'asked', at: '30m', as: 'tomas' },
          do: [{ service: 'tracker', operation: 'commentCreate', input: { input: comment } }],
        },
        { key: 'second', after: ['first', 'asked'], delay: '2h', ...say('Pump 4 leaks') },
      ],
    })
  })
  // Each task is about one of the two things that the bot does.
  const { body: suite } = await service.call('POST', '/v1/task-suites', {
    name: 'Leaks',
    unasked_changes: 'warn',
  })
  for (const { title, scorer } of tasks) {
    const { body: made } = await service.call('POST', '/v1/scorers', scorer)
    const task = await service.call('POST', `/v1/task-suites/${suite.id}/tasks`, {
      ...{ title, instruction: title, scorers: [{ scorer_id: made.id }] },
      environment_version_id: world.evaluation.environmentVersionId,
    })
    assert.equal(task.status, 201, task.text)
  }
  const agent = await registerCommand(
    service,
    'called',
    {
      ...{ command: ['node', 'bot.mjs'], network: 'world', timeout_seconds: 300 },
      listen: { settings: { chat: { manifest } } },
    },
    { 'bot.mjs': bot },
  )
  const { trials } = await runToEnd(service, { task_suite_id: suite.id, agents: [agent] }, { looks: 12_000 })
  assert.equal(trials.length, 2)
  for (const { id, job_id } of trials) {
    const { body: trial } = await service.call('GET', `/v1/backtests/jobs/${job_id}/trials/${id}`)
    assert.deepEqual([trial.error, trial.passed], [null, true], JSON.stringify(trial).slice(0, 6_000))
  }
})
