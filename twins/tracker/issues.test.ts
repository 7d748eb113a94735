import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { idOf, startTracker } from './testing/world.ts'

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

  it('are stamped as they move through the workflow, and their history records it', () => {
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
