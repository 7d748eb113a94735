import assert from 'node:assert/strict'
import { minute, second } from '../../values/times.ts'
import { startAgents } from '../world.ts'
import { type Cases, call, create, issue, refused, userId, type World } from './case.ts'

const helperOf = (world: World): string => accountOf(world, 'Helper Bot')
const accountOf = (world: World, name: string): string =>
  world.data(`{ users(filter: { name: { eq: "${name}" } }) { nodes { id } } }`).users.nodes[0].id
const agentToken = (world: World, key = 'helper'): string => world.tokens[`app:${key}`] ?? assert.fail(key)

const sessionsOf = (world: World) =>
  world.data(
    '{ agentSessions { nodes { id status startedAt endedAt summary plan externalUrls comment { id body } sourceComment { id } issue { identifier } creator { name } appUser { name } activities { nodes { id ephemeral content { __typename ... on AgentActivityPromptContent { body } ... on AgentActivityThoughtContent { body } ... on AgentActivityResponseContent { body } } } } } } }',
  ).agentSessions.nodes

/** A world in which ENG-1 was just delegated to the agent. */
const delegated = () => {
  const world = startAgents()
  call(
    world,
    'issueUpdate',
    { id: 'ENG-1', input: { delegateId: helperOf(world) } },
    { as: world.tokens.dev },
  )
  const [session] = sessionsOf(world)
  const act = (content: Record<string, unknown>, more: Record<string, unknown> = {}) =>
    call(
      world,
      'agentActivityCreate',
      { input: { agentSessionId: session.id, content, ...more } },
      { as: agentToken(world), select: 'agentActivity { id }' },
    )
  const status = () => sessionsOf(world)[0].status
  const comments = () =>
    world.data('{ issue(id: "ENG-1") { comments { nodes { body user { name } } } } }').issue.comments.nodes
  return { world, session, act, status, comments }
}

const thought = { type: 'thought', body: 'Looking' }
const mention = (world: World, name: string): string => {
  const { displayName } = world.data(`{ user(id: "${accountOf(world, name)}") { displayName } }`).user
  return `https://linear.app/northwind/profiles/${displayName} please look`
}

export const agentCases: Cases = {
  'agent.delegation-starts-session': () => {
    const { world, session } = delegated()
    assert.equal(session.status, 'pending')
    assert.deepEqual(
      [session.issue.identifier, session.creator.name, session.appUser.name],
      ['ENG-1', 'Dev Sharma', 'Helper Bot'],
    )
    assert.match(session.comment.body, /agent session with helperbot/)
    call(world, 'issueUpdate', { id: 'ENG-1', input: { title: 'Other' } })
    assert.equal(sessionsOf(world).length, 1)
    const made = create(world, 'issueCreate', {
      teamId: issue(world, 'ENG-1', 'team { id }').team.id,
      title: 'New',
      delegateId: helperOf(world),
    })
    assert.equal(sessionsOf(world).length, 2)
    assert.equal(issue(world, made, 'delegate { name }').delegate.name, 'Helper Bot')
  },
  'agent.assignee-becomes-delegate': () => {
    const world = startAgents()
    call(world, 'issueUpdate', { id: 'ENG-1', input: { assigneeId: helperOf(world) } })
    const { assignee, delegate } = issue(world, 'ENG-1', 'assignee { name } delegate { name }')
    assert.deepEqual([assignee.name, delegate.name], ['Dev Sharma', 'Helper Bot'])
    assert.equal(sessionsOf(world).length, 1)
  },
  'agent.delegates-are-assignable': () => {
    const world = startAgents()
    refused(world, 'issueUpdate', { id: 'ENG-1', input: { delegateId: accountOf(world, 'Reader') } })
    refused(world, 'issueUpdate', { id: 'ENG-1', input: { delegateId: userId(world, 'dev') } })
  },
  'agent.mention-starts-session': () => {
    const world = startAgents()
    const id = create(
      world,
      'commentCreate',
      { issueId: 'ENG-2', body: mention(world, 'Reader') },
      world.tokens.dev,
    )
    const [session] = sessionsOf(world)
    assert.deepEqual([session.comment.id, session.sourceComment, session.appUser.name], [id, null, 'Reader'])
    const reply = create(
      world,
      'commentCreate',
      { parentId: id, body: mention(world, 'Helper Bot') },
      world.tokens.dev,
    )
    const other = sessionsOf(world).find(
      (one: { appUser: { name: string } }) => one.appUser.name === 'Helper Bot',
    )
    assert.deepEqual([other.comment.id, other.sourceComment.id], [id, reply])
    assert.deepEqual(session.activities.nodes, [])
  },
  'agent.replies-are-prompts': () => {
    const { world, session, act, status } = delegated()
    act({ type: 'response', body: 'Done' })
    create(world, 'commentCreate', { parentId: session.comment.id, body: 'Really?' }, world.tokens.dev)
    const [{ activities }] = sessionsOf(world)
    const prompts = activities.nodes.filter(
      ({ content }: { content: { __typename: string } }) =>
        content.__typename === 'AgentActivityPromptContent',
    )
    assert.deepEqual(
      prompts.map(({ content }: { content: { body: string } }) => content.body),
      ['Really?'],
    )
    assert.equal(status(), 'active')
    refused(
      world,
      'agentActivityCreatePrompt',
      { input: { agentSessionId: session.id, content: { type: 'prompt', body: 'x' } } },
      { as: agentToken(world) },
    )
    call(world, 'agentActivityCreatePrompt', {
      input: { agentSessionId: session.id, content: { type: 'prompt', body: 'Stop' }, signal: 'stop' },
    })
    assert.equal(status(), 'stopping')
  },
  'agent.status-follows-activity': () => {
    const { act, status, world } = delegated()
    act(thought)
    assert.equal(status(), 'active')
    assert.equal(typeof sessionsOf(world)[0].startedAt, 'string')
    act({ type: 'action', action: 'Reading', parameter: 'pump.c', result: 'ok' })
    assert.equal(status(), 'active')
    act({ type: 'elicitation', body: 'Which pump?' })
    assert.equal(status(), 'awaitingInput')
    act({ type: 'error', body: 'No' })
    assert.equal(status(), 'error')
    act({ type: 'response', body: 'Done' })
    assert.equal(status(), 'complete')
    assert.equal(typeof sessionsOf(world)[0].endedAt, 'string')
  },
  'agent.last-words-are-comments': () => {
    const { act, comments } = delegated()
    act(thought)
    act({ type: 'response', body: 'The seal was worn.' })
    const last = comments().find(({ body }: { body: string }) => body === 'The seal was worn.')
    assert.equal(last?.user.name, 'Helper Bot')
    assert.ok(!comments().some(({ body }: { body: string }) => body === 'Looking'))
  },
  'agent.ephemeral': () => {
    const { act, world } = delegated()
    act(thought, { ephemeral: true })
    assert.equal(sessionsOf(world)[0].activities.nodes.length, 1)
    act({ type: 'thought', body: 'Found it' })
    assert.deepEqual(
      sessionsOf(world)[0].activities.nodes.map((one: { content: { body: string } }) => one.content.body),
      ['Found it'],
    )
    assert.throws(() => act({ type: 'response', body: 'x' }, { ephemeral: true }), /ephemeral/)
  },
  'agent.activity-content': () => {
    const { act, world, session } = delegated()
    for (const content of [
      { type: 'thought' },
      { type: 'action', action: 'x' },
      { type: 'prompt', body: 'x' },
      { type: 'song', body: 'x' },
    ])
      assert.throws(() => act(content), /Argument Validation Error/)
    refused(world, 'agentActivityCreate', { input: { agentSessionId: session.id, content: thought } })
    refused(
      world,
      'agentActivityCreate',
      { input: { agentSessionId: session.id, content: thought } },
      { as: agentToken(world, 'reader') },
    )
  },
  'agent.signals': () => {
    const { act, status } = delegated()
    const options = [{ value: 'a' }, { value: 'b' }]
    assert.throws(
      () => act(thought, { signal: 'select', signalMetadata: { options } }),
      /Argument Validation/,
    )
    assert.throws(
      () => act({ type: 'elicitation', body: 'Sign in' }, { signal: 'auth' }),
      /Argument Validation/,
    )
    assert.throws(() => act({ type: 'elicitation', body: 'Stop' }, { signal: 'stop' }), /Argument Validation/)
    act({ type: 'elicitation', body: 'Which?' }, { signal: 'select', signalMetadata: { options } })
    act(
      { type: 'elicitation', body: 'Sign in' },
      { signal: 'auth', signalMetadata: { url: 'https://helper.example' } },
    )
    assert.equal(status(), 'awaitingInput')
  },
  'agent.ten-seconds': () => {
    const { world, act, status, session } = delegated()
    world.clock.now += 9 * second
    assert.equal(status(), 'pending')
    world.clock.now += 2 * second
    assert.equal(status(), 'stale')
    act(thought)
    assert.equal(status(), 'active')
    const again = delegated()
    const input = { externalUrls: [{ label: 'Run', url: 'https://helper.example/run/1' }] }
    call(again.world, 'agentSessionUpdate', { id: session.id, input }, { as: agentToken(again.world) })
    again.world.clock.now += 11 * second
    assert.equal(again.status(), 'pending')
  },
  'agent.thirty-minutes': () => {
    const { world, act, status } = delegated()
    act(thought)
    world.clock.now += 29 * minute
    assert.equal(status(), 'active')
    world.clock.now += 2 * minute
    assert.equal(status(), 'stale')
    act(thought)
    assert.equal(status(), 'active')
    act({ type: 'elicitation', body: 'Which?' })
    world.clock.now += 60 * minute
    assert.equal(status(), 'awaitingInput')
  },
  'agent.session-update': () => {
    const { world, session } = delegated()
    const update = (input: Record<string, unknown>) =>
      call(world, 'agentSessionUpdate', { id: session.id, input }, { as: agentToken(world) })
    const url = (n: number) => ({ label: `Run ${n}`, url: `https://helper.example/run/${n}` })
    update({
      externalUrls: [url(1), url(2)],
      plan: [{ content: 'Look', status: 'inProgress' }],
      summary: 'Leak',
    })
    update({ addedExternalUrls: [url(3)], removedExternalUrls: [url(1).url] })
    const [{ externalUrls, plan, summary }] = sessionsOf(world)
    assert.deepEqual(JSON.parse(externalUrls), [url(2), url(3)])
    assert.deepEqual(JSON.parse(plan), [{ content: 'Look', status: 'inProgress' }])
    assert.equal(summary, 'Leak')
    for (const input of [
      { plan: [{ content: 'x', status: 'lost' }] },
      { summary: 'a\nb' },
      { externalUrls: [{ label: 'x', url: 'no' }] },
    ])
      assert.throws(() => update(input), /Argument Validation/)
    refused(world, 'agentSessionUpdate', { id: session.id, input: { summary: 'Mine' } })
  },
  'agent.proactive-session': () => {
    const world = startAgents()
    const as = agentToken(world)
    const root = create(world, 'commentCreate', { issueId: 'ENG-2', body: 'Noise' })
    call(world, 'agentSessionCreateOnIssue', { input: { issueId: 'ENG-1' } }, { as })
    call(world, 'agentSessionCreateOnComment', { input: { commentId: root } }, { as })
    assert.deepEqual(
      sessionsOf(world).map((one: { creator: unknown }) => one.creator),
      [null, null],
    )
    refused(world, 'agentSessionCreateOnComment', { input: { commentId: root } }, { as })
    refused(world, 'agentSessionCreateOnIssue', { input: { issueId: 'ENG-1' } })
  },
}
