import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { conforms } from '@diorama/twin-kit/conformance'
import { testCompany } from '@diorama/twin-kit/testing/host'
import { documentFor, variablesFor } from './testing/variables.ts'
import { idOf, post, section, startTracker } from './testing/world.ts'
import { tracker } from './twin.ts'

const known = new Map([
  ['Issue', idOf('leak')],
  ['OtherIssue', idOf('noise')],
  ['Project', idOf('quiet')],
  ['Team', idOf('ENG')],
])

conforms(tracker, {
  section,
  company: testCompany,
  request: (operation, credential) => {
    const made = documentFor(operation)
    if (!made) return undefined
    const root = operation.startsWith('mutation') ? 'mutation' : 'query'
    return post(made.document, credential, variablesFor(root, made.field, known))
  },
  refuses: (status, body) => status === 401 && body.includes('AUTHENTICATION_ERROR'),
  script: (credential) => [
    post(`mutation { issueUpdate(id: "ENG-1", input: { priority: 2 }) { success } }`, credential),
    post(
      `mutation($input: IssueCreateInput!) { issueCreate(input: $input) { issue { identifier } } }`,
      credential,
      { input: { teamId: idOf('ENG'), title: 'Order new seals', assigneeId: null } },
    ),
    post(
      `mutation { commentCreate(input: { issueId: "ENG-2", body: "On it, @dev" }) { success } }`,
      credential,
    ),
    post(`mutation { issueArchive(id: "OPS-1") { success } }`, credential),
    post(`mutation { issueDelete(id: "OPS-2", permanentlyDelete: true) { success } }`, credential),
  ],
})

describe('a seeded tracker', () => {
  it('numbers issues per team in the order of the blueprint and keeps their words, people and times', () => {
    const { data } = startTracker()
    const { issues } = data(`{ issues { nodes {
      identifier number title description priority priorityLabel createdAt updatedAt startedAt completedAt canceledAt
      state { name type } assignee { displayName } creator { email } project { name } labels { nodes { name } } } } }`)
    const byName = new Map(issues.nodes.map((node: { identifier: string }) => [node.identifier, node]))
    assert.deepEqual([...byName.keys()].sort(), ['ENG-1', 'ENG-2', 'ENG-3', 'OPS-1', 'OPS-2'])
    assert.deepEqual(byName.get('ENG-1'), {
      identifier: 'ENG-1',
      number: 1,
      title: 'Pump leaks at 3 bar',
      description: 'Seen **twice** in the lab.',
      priority: 1,
      priorityLabel: 'Urgent',
      createdAt: '2026-02-10T10:00:00.000Z',
      updatedAt: '2026-02-13T09:00:00.000Z',
      startedAt: '2026-02-13T09:00:00.000Z',
      completedAt: null,
      canceledAt: null,
      state: { name: 'In Progress', type: 'started' },
      assignee: { displayName: 'dev' },
      creator: { email: 'mira@northwind.example' },
      project: { name: 'Quiet pump' },
      labels: { nodes: [{ name: 'Hardware' }, { name: 'Bug' }] },
    })
  })

  it('gives every team the standard workflow and labels, and its members', () => {
    const { data } = startTracker()
    const { team } = data(`{ team(id: "OPS") { name issueCount members { nodes { displayName } }
      states(orderBy: createdAt) { nodes { name type position } } labels { nodes { name } } } }`)
    assert.equal(team.issueCount, 2)
    assert.deepEqual(team.states.nodes.map(({ name }: { name: string }) => name).reverse(), [
      'Backlog',
      'Todo',
      'In Progress',
      'In Review',
      'Done',
      'Canceled',
    ])
    assert.deepEqual(team.labels.nodes.map(({ name }: { name: string }) => name).sort(), [
      'Bug',
      'Feature',
      'Improvement',
    ])
    assert.deepEqual(
      team.members.nodes.map(({ displayName }: { displayName: string }) => displayName).sort(),
      ['lucia', 'mira'],
    )
  })

  it('acts as the API owner with its own token, and as each person with theirs', () => {
    const { data, tokens } = startTracker()
    const viewer = '{ viewer { email isMe admin organization { urlKey name userCount } } }'
    assert.deepEqual(data(viewer), {
      viewer: {
        email: 'mira@northwind.example',
        isMe: true,
        admin: true,
        organization: { urlKey: 'northwind', name: 'Northwind Supply', userCount: 3 },
      },
    })
    assert.equal(data(viewer, {}, tokens.lucia).viewer.email, 'lucia@northwind.example')
  })

  it('counts progress from the issues themselves', () => {
    const { data } = startTracker()
    const { project } = data(`{ project(id: "${idOf('quiet')}") { progress scope state status { type }
      issueCountHistory completedIssueCountHistory scopeHistory url slugId teams { nodes { key } } } }`)
    assert.equal(project.progress, 0.125)
    assert.equal(project.scope, 2)
    assert.equal(project.state, 'started')
    assert.equal(project.issueCountHistory.at(-1), 2)
    assert.equal(project.url, `https://linear.app/northwind/project/quiet-pump-${project.slugId}`)
  })

  it('shows graders the state in the blueprint’s words, with names beside the ids', () => {
    const { instance } = startTracker()
    const row = instance.tables.Issue?.get(idOf('review'))
    const shown = row && tracker.present?.('Issue', row, instance.tables as never)
    assert.deepEqual(
      [shown?.state, shown?.stateName, shown?.assignee, shown?.team, shown?.identifier, shown?.labels],
      ['in_review', 'In Review', 'mira', 'ENG', 'ENG-3', []],
    )
  })
})

describe('comments, reactions and notifications', () => {
  it('make threads that can be resolved, edited and deleted with their replies', () => {
    const { data, ask } = startTracker()
    const { commentCreate } = data(
      'mutation { commentCreate(input: { issueId: "ENG-2", body: "Why?" }) { comment { id url } } }',
    )
    const id = commentCreate.comment.id
    assert.equal(
      commentCreate.comment.url,
      `https://linear.app/northwind/issue/ENG-2/motor-is-too-noisy#comment-${id.slice(0, 8)}`,
    )
    data(`mutation { commentCreate(input: { parentId: "${id}", body: "Bearings." }) { success } }`)
    const resolved = data(
      `mutation { commentResolve(id: "${id}") { comment { resolvedAt resolvingUser { displayName } children { nodes { body } } } } }`,
    )
    assert.equal(resolved.commentResolve.comment.resolvingUser.displayName, 'mira')
    assert.deepEqual(resolved.commentResolve.comment.children.nodes, [{ body: 'Bearings.' }])
    data(`mutation { reactionCreate(input: { commentId: "${id}", emoji: "eyes" }) { success } }`)
    const { comment } = data(
      `{ comment(id: "${id}") { reactions { emoji user { displayName } } reactionData } }`,
    )
    assert.deepEqual(comment.reactions, [{ emoji: 'eyes', user: { displayName: 'mira' } }])
    data(`mutation { commentDelete(id: "${id}") { success entityId } }`)
    assert.equal(data('{ issue(id: "ENG-2") { comments { nodes { id } } } }').issue.comments.nodes.length, 0)
    assert.equal(ask(`{ comment(id: "${id}") { id } }`).body.errors[0].message, 'Entity not found: Comment')
  })

  it('notify the people concerned, and no one of their own changes', () => {
    const { data, tokens } = startTracker()
    const count = (as: string | undefined) =>
      data('{ notificationsUnreadCount }', {}, as).notificationsUnreadCount
    const before = { dev: count(tokens.dev), lucia: count(tokens.lucia), mira: count(tokens.mira) }
    data(`mutation { commentCreate(input: { issueId: "ENG-1",
      body: "Can you look, https://linear.app/northwind/profiles/lucia ?" }) { success } }`)
    assert.equal(count(tokens.dev), before.dev + 1)
    assert.equal(count(tokens.lucia), before.lucia + 1)
    assert.equal(count(tokens.mira), before.mira)
    const { notifications } = data(
      '{ notifications(first: 1) { nodes { id type title ... on IssueNotification { issue { identifier } comment { body } } } } }',
      {},
      tokens.lucia,
    )
    assert.equal(notifications.nodes[0].type, 'issueCommentMention')
    assert.equal(notifications.nodes[0].issue.identifier, 'ENG-1')
    data(
      `mutation { notificationUpdate(id: "${notifications.nodes[0].id}", input: { readAt: "2026-03-02T09:00:00Z" }) { success } }`,
      {},
      tokens.lucia,
    )
    assert.equal(count(tokens.lucia), before.lucia)
  })
})

describe('projects, cycles, documents, initiatives and teams', () => {
  it('are created, changed, and found from both ends', () => {
    const { data } = startTracker()
    const { projectCreate } = data(
      'mutation($input: ProjectCreateInput!) { projectCreate(input: $input) { project { id slugId state url } } }',
      { input: { name: 'Loud pump', teamIds: [idOf('ENG')] } },
    )
    const { id, slugId, state } = projectCreate.project
    assert.equal(state, 'backlog')
    assert.equal(data(`{ project(id: "${slugId}") { name } }`).project.name, 'Loud pump')
    data(`mutation { projectMilestoneCreate(input: { projectId: "${id}", name: "Alpha" }) { success } }`)
    data(
      `mutation { projectUpdateCreate(input: { projectId: "${id}", body: "Slow", health: atRisk }) { success } }`,
    )
    data(
      `mutation { documentCreate(input: { projectId: "${id}", title: "Plan", content: "# Plan" }) { success } }`,
    )
    const made = data('mutation { initiativeCreate(input: { name: "Silence" }) { initiative { id } } }')
    const initiative = made.initiativeCreate.initiative.id
    data(
      `mutation { initiativeToProjectCreate(input: { initiativeId: "${initiative}", projectId: "${id}" }) { success } }`,
    )
    const { project } = data(`{ project(id: "${id}") { health projectMilestones { nodes { name status } }
      documents { nodes { title } } initiatives { nodes { name projects { nodes { name } } } } lastUpdate { body } } }`)
    assert.deepEqual(project, {
      health: 'atRisk',
      projectMilestones: { nodes: [{ name: 'Alpha', status: 'next' }] },
      documents: { nodes: [{ title: 'Plan' }] },
      initiatives: { nodes: [{ name: 'Silence', projects: { nodes: [{ name: 'Loud pump' }] } }] },
      lastUpdate: { body: 'Slow' },
    })
  })

  it('know the running cycle from the world’s clock', () => {
    const { data, clock } = startTracker()
    const cycle = (startsAt: string, endsAt: string) =>
      data(
        'mutation($input: CycleCreateInput!) { cycleCreate(input: $input) { cycle { number isActive isNext } } }',
        { input: { teamId: idOf('ENG'), startsAt, endsAt } },
      ).cycleCreate.cycle
    assert.deepEqual(cycle('2026-03-01', '2026-03-08'), { number: 1, isActive: true, isNext: false })
    assert.deepEqual(cycle('2026-03-08', '2026-03-15'), { number: 2, isActive: false, isNext: true })
    clock.now += 7 * 24 * 60 * 60_000
    const { team } = data(
      '{ team(id: "ENG") { activeCycle { number } cycles { nodes { number isPrevious } } } }',
    )
    assert.equal(team.activeCycle.number, 2)
  })

  it('gives a new team its workflow, its key and its first member', () => {
    const { data } = startTracker()
    const { teamCreate } = data(
      'mutation { teamCreate(input: { name: "Research" }) { team { key states { nodes { name } } members { nodes { displayName } } defaultIssueState { name } } } }',
    )
    assert.equal(teamCreate.team.key, 'RES')
    assert.equal(teamCreate.team.states.nodes.length, 6)
    assert.deepEqual(teamCreate.team.members.nodes, [{ displayName: 'mira' }])
  })

  it('takes a file at the address that the API gives out and hands it back', () => {
    const { data, instance, clock, token } = startTracker()
    const { fileUpload } = data(
      'mutation { fileUpload(contentType: "text/plain", filename: "a.txt", size: 5) { uploadFile { uploadUrl assetUrl headers { key value } } } }',
    )
    const path = new URL(fileUpload.uploadFile.uploadUrl).pathname
    const call = (method: string, body: string) =>
      instance.handle({ ...post('', token), method, path, body: Buffer.from(body) }, clock.now).step.reply
    assert.equal(call('PUT', 'hello').status, 200)
    assert.equal(Buffer.from(call('GET', '').body).toString(), 'hello')
  })

  it('keeps settings of the workspace for administrators', () => {
    const { ask, tokens } = startTracker()
    const { body } = ask(
      'mutation { organizationUpdate(input: { name: "Mine" }) { success } }',
      {},
      tokens.dev,
    )
    assert.equal(body.errors[0].extensions.type, 'forbidden')
  })
})
