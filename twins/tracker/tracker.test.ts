import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { conforms } from '../kernel/conformance.ts'
import { testCompany } from '../testing/host.ts'
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

describe('issues', () => {
  const create = `mutation($input: IssueCreateInput!) { issueCreate(input: $input) {
    success lastSyncId issue { id identifier title description state { name } labelIds subscribers { nodes { displayName } } } } }`

  it('are created in the team’s first state, with the next number, and empty descriptions become none', () => {
    const { data } = startTracker()
    const { issueCreate } = data(create, { input: { teamId: idOf('ENG'), title: 'Seal', description: '' } })
    assert.equal(issueCreate.issue.identifier, 'ENG-4')
    assert.equal(issueCreate.issue.description, null)
    assert.equal(issueCreate.issue.state.name, 'Backlog')
    assert.equal(
      data(create, { input: { teamId: idOf('ENG'), title: 'x' } }).issueCreate.issue.identifier,
      'ENG-5',
    )
  })

  it('are stamped as they move through the workflow, and their history tells of it', () => {
    const { data, clock } = startTracker()
    const { team } = data('{ team(id: "ENG") { states { nodes { id name } } } }')
    const state = (name: string) => team.states.nodes.find((one: { name: string }) => one.name === name).id
    const move = (name: string) => {
      clock.now += 60_000
      return data(
        `mutation($id: String!, $state: String!) { issueUpdate(id: $id, input: { stateId: $state }) {
          issue { startedAt completedAt canceledAt updatedAt } } }`,
        { id: 'ENG-2', state: state(name) },
      ).issueUpdate.issue
    }
    const started = move('In Progress')
    assert.equal(started.startedAt, '2026-03-02T09:01:00.000Z')
    const done = move('Done')
    assert.deepEqual(done, {
      startedAt: '2026-03-02T09:01:00.000Z',
      completedAt: '2026-03-02T09:02:00.000Z',
      canceledAt: null,
      updatedAt: '2026-03-02T09:02:00.000Z',
    })
    assert.equal(move('Todo').completedAt, null)
    const { issue } =
      data(`{ issue(id: "ENG-2") { history { nodes { fromState { name } toState { name } actor { displayName } } }
      stateHistory { nodes { state { name } endedAt } } } }`)
    assert.deepEqual(
      issue.history.nodes.map((node: { fromState: { name: string }; toState: { name: string } }) => [
        node.fromState.name,
        node.toState.name,
      ]),
      [
        ['Done', 'Todo'],
        ['In Progress', 'Done'],
        ['Backlog', 'In Progress'],
      ],
    )
    assert.equal(issue.stateHistory.nodes.length, 4)
  })

  it('move between teams with a new identifier and still answer to the old one', () => {
    const { data } = startTracker()
    data(`mutation { issueUpdate(id: "ENG-1", input: { teamId: "${idOf('OPS')}" }) { success } }`)
    const { issue } = data(
      '{ issue(id: "ENG-1") { identifier previousIdentifiers state { name team { key } } labels { nodes { name } } } }',
    )
    assert.deepEqual(issue, {
      identifier: 'OPS-3',
      previousIdentifiers: ['ENG-1'],
      state: { name: 'In Progress', team: { key: 'OPS' } },
      labels: { nodes: [] },
    })
  })

  it('go to the archive and to the trash, and come back', () => {
    const { data } = startTracker()
    const seen = (args = '') => data(`{ issues${args} { nodes { identifier } } }`).issues.nodes.length
    data('mutation { issueArchive(id: "ENG-1") { success entity { archivedAt } } }')
    data('mutation { issueDelete(id: "ENG-2") { success } }')
    assert.equal(seen(), 3)
    assert.equal(seen('(includeArchived: true)'), 5)
    assert.deepEqual(data('{ issue(id: "ENG-2") { trashed archivedAt } }').issue, {
      trashed: true,
      archivedAt: '2026-03-02T09:00:00.000Z',
    })
    data('mutation { issueUnarchive(id: "ENG-2") { success } }')
    assert.equal(seen(), 4)
  })

  it('are created and updated in batches, all or none', () => {
    const { data, ask, instance } = startTracker()
    const team = idOf('ENG')
    const made = data(
      'mutation($input: IssueBatchCreateInput!) { issueBatchCreate(input: $input) { issues { identifier } } }',
      {
        input: {
          issues: [
            { teamId: team, title: 'a' },
            { teamId: team, title: 'b' },
          ],
        },
      },
    )
    assert.deepEqual(
      made.issueBatchCreate.issues.map((one: { identifier: string }) => one.identifier),
      ['ENG-4', 'ENG-5'],
    )
    const before = instance.digest()
    const { body } = ask(
      'mutation($input: IssueBatchCreateInput!) { issueBatchCreate(input: $input) { success } }',
      {
        input: {
          issues: [
            { teamId: team, title: 'c' },
            { teamId: team, title: '' },
          ],
        },
      },
    )
    assert.equal(body.data, null)
    assert.equal(instance.digest(), before)
    const updated = data(
      'mutation($ids: [UUID!]!) { issueBatchUpdate(ids: $ids, input: { priority: 4 }) { issues { priorityLabel } } }',
      { ids: [idOf('leak'), idOf('noise')] },
    )
    assert.deepEqual(updated.issueBatchUpdate.issues, [{ priorityLabel: 'Low' }, { priorityLabel: 'Low' }])
  })

  it('take and lose labels; labels of another team and of the same group twice are refused', () => {
    const { data, ask } = startTracker()
    const { issueLabels } = data(
      '{ issueLabels(filter: { team: { key: { eq: "OPS" } } }) { nodes { id name } } }',
    )
    const foreign = issueLabels.nodes[0].id
    const refused = ask(`mutation { issueAddLabel(id: "ENG-1", labelId: "${foreign}") { success } }`)
    assert.equal(refused.body.errors[0].extensions.code, 'INPUT_ERROR')
    const { issueLabelCreate } = data(
      'mutation { issueLabelCreate(input: { name: "Urgent fix" }) { issueLabel { id } } }',
    )
    const label = issueLabelCreate.issueLabel.id
    const added = data(`mutation { issueAddLabel(id: "ENG-1", labelId: "${label}") { issue { labelIds } } }`)
    assert.equal(added.issueAddLabel.issue.labelIds.length, 3)
    const removed = data(
      `mutation { issueRemoveLabel(id: "ENG-1", labelId: "${label}") { issue { labelIds } } }`,
    )
    assert.equal(removed.issueRemoveLabel.issue.labelIds.length, 2)
    data(`mutation { issueUpdate(id: "ENG-1", input: { addedLabelIds: ["${label}"] }) { success } }`)
    data(`mutation { issueLabelDelete(id: "${label}") { success } }`)
    assert.equal(data('{ issue(id: "ENG-1") { labelIds } }').issue.labelIds.length, 2)
  })

  it('relate to each other both ways, and a duplicate is closed', () => {
    const { data } = startTracker()
    data(
      `mutation { issueRelationCreate(input: { issueId: "ENG-1", relatedIssueId: "ENG-3", type: blocks }) { success } }`,
    )
    data(
      `mutation { issueRelationCreate(input: { issueId: "ENG-2", relatedIssueId: "ENG-1", type: duplicate }) { success } }`,
    )
    const { one, two, blocked } = data(`{
      one: issue(id: "ENG-1") { relations { nodes { type relatedIssue { identifier } } } inverseRelations { nodes { type issue { identifier } } } }
      two: issue(id: "ENG-2") { state { type } }
      blocked: issues(filter: { hasBlockedByRelations: { eq: true } }) { nodes { identifier } } }`)
    assert.deepEqual(one.relations.nodes, [{ type: 'blocks', relatedIssue: { identifier: 'ENG-3' } }])
    assert.deepEqual(one.inverseRelations.nodes, [{ type: 'duplicate', issue: { identifier: 'ENG-2' } }])
    assert.equal(two.state.type, 'canceled')
    assert.deepEqual(blocked.nodes, [{ identifier: 'ENG-3' }])
  })

  it('leave no trace when an update changes nothing', () => {
    const { ask } = startTracker()
    const { step } = ask('mutation { issueUpdate(id: "ENG-1", input: { priority: 1 }) { success } }')
    assert.deepEqual(
      step.changes.filter(({ collection }) => collection !== '$series'),
      [],
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

  it('tell the people concerned, and nobody of their own doing', () => {
    const { data, tokens } = startTracker()
    const count = (as: string | undefined) =>
      data('{ notificationsUnreadCount }', {}, as).notificationsUnreadCount
    const before = { dev: count(tokens.dev), lucia: count(tokens.lucia), mira: count(tokens.mira) }
    data('mutation { commentCreate(input: { issueId: "ENG-1", body: "Can you look, @lucia?" }) { success } }')
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
