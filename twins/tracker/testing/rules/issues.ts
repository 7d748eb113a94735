import assert from 'node:assert/strict'
import {
  type Cases,
  call,
  create,
  eng,
  issue,
  labelId,
  later,
  ops,
  quiet,
  refused,
  stateId,
  userId,
} from './case.ts'

const newIssue = { teamId: eng, title: 'New' }

export const issueCases: Cases = {
  'issue.parent-not-descendant': (world) => {
    call(world, 'issueUpdate', { id: 'ENG-2', input: { parentId: 'ENG-1' } })
    call(world, 'issueUpdate', { id: 'ENG-3', input: { parentId: 'ENG-2' } })
    for (const parentId of ['ENG-1', 'ENG-2', 'ENG-3'])
      refused(world, 'issueUpdate', { id: 'ENG-1', input: { parentId } })
  },
  'issue.depth': (world) => {
    let parentId = create(world, 'issueCreate', newIssue)
    for (let level = 2; level <= 10; level++)
      parentId = create(world, 'issueCreate', { ...newIssue, parentId })
    refused(world, 'issueCreate', { input: { ...newIssue, parentId } })
    const pair = create(world, 'issueCreate', newIssue)
    create(world, 'issueCreate', { ...newIssue, parentId: pair })
    refused(world, 'issueUpdate', { id: pair, input: { parentId } })
  },
  'issue.team-parts': (world) => {
    const cycleId = create(world, 'cycleCreate', {
      teamId: ops,
      startsAt: '2026-03-02',
      endsAt: '2026-03-09',
    })
    const words = 'Discrepancy between issue team and state, cycle or project'
    const input = [{ cycleId }, { stateId: stateId(world, 'OPS', 'Todo') }]
    for (const part of input) {
      assert.equal(refused(world, 'issueUpdate', { id: 'ENG-1', input: part }).message, words)
      assert.equal(refused(world, 'issueCreate', { input: { ...newIssue, ...part } }).message, words)
    }
    assert.equal(refused(world, 'issueUpdate', { id: 'OPS-1', input: { projectId: quiet } }).message, words)
    call(world, 'issueUpdate', { id: 'OPS-1', input: { cycleId } })
  },
  'issue.milestone-of-project': (world) => {
    const projectMilestoneId = create(world, 'projectMilestoneCreate', { projectId: later, name: 'Alpha' })
    refused(world, 'issueUpdate', { id: 'ENG-1', input: { projectMilestoneId, projectId: quiet } })
    call(world, 'issueUpdate', { id: 'ENG-3', input: { projectMilestoneId } })
    assert.equal(issue(world, 'ENG-3', 'project { id }').project.id, later)
    call(world, 'issueUpdate', { id: 'ENG-3', input: { projectId: quiet } })
    assert.equal(issue(world, 'ENG-3', 'projectMilestone { id }').projectMilestone, null)
  },
  'issue.delegate-is-agent': (world) => {
    const delegateId = userId(world, 'dev')
    refused(world, 'issueUpdate', { id: 'ENG-1', input: { delegateId } })
    refused(world, 'issueCreate', { input: { ...newIssue, delegateId } })
  },
  'issue.assignee-active': (world) => {
    const assigneeId = userId(world, 'lucia')
    call(world, 'userSuspend', { id: assigneeId })
    refused(world, 'issueUpdate', { id: 'ENG-2', input: { assigneeId } })
  },
  'issue.times-past': (world) => {
    refused(world, 'issueCreate', { input: { ...newIssue, createdAt: '2030-01-01T00:00:00Z' } })
    const done = { stateId: stateId(world, 'ENG', 'Done'), createdAt: '2026-02-01T00:00:00Z' }
    refused(world, 'issueCreate', { input: { ...newIssue, ...done, completedAt: '2030-01-01T00:00:00Z' } })
    refused(world, 'issueCreate', { input: { ...newIssue, ...done, completedAt: '2026-01-01T00:00:00Z' } })
    refused(world, 'issueCreate', { input: { ...newIssue, completedAt: '2026-01-01T00:00:00Z' } })
    const completedAt = '2026-02-02T00:00:00.000Z'
    const id = create(world, 'issueCreate', { ...newIssue, ...done, completedAt })
    assert.deepEqual(issue(world, id, 'createdAt completedAt'), {
      createdAt: '2026-02-01T00:00:00.000Z',
      completedAt,
    })
  },
  'issue.sub-sort-order': (world) => {
    const id = create(world, 'issueCreate', { ...newIssue, parentId: 'ENG-1' })
    assert.equal(typeof issue(world, id, 'subIssueSortOrder').subIssueSortOrder, 'number')
    call(world, 'issueUpdate', { id, input: { parentId: null } })
    assert.equal(issue(world, id, 'subIssueSortOrder').subIssueSortOrder, null)
    const alone = create(world, 'issueCreate', { ...newIssue, subIssueSortOrder: 5 })
    assert.equal(issue(world, alone, 'subIssueSortOrder').subIssueSortOrder, null)
  },
  'issue.priority-range': (world) => {
    assert.equal(
      refused(world, 'issueUpdate', { id: 'ENG-1', input: { priority: 5 } }).presentable,
      'priority must not be greater than 4.',
    )
    assert.equal(
      refused(world, 'issueCreate', { input: { ...newIssue, priority: -1 } }).presentable,
      'priority must not be less than 0.',
    )
  },
  'issue.title-required': (world) => {
    refused(world, 'issueCreate', { input: { teamId: eng, title: '  ' } })
    refused(world, 'issueUpdate', { id: 'ENG-1', input: { title: '' } })
    refused(world, 'issueCreate', { input: { teamId: eng, title: 'x'.repeat(600) } })
  },
  'issue.trash-and-restore': (world) => {
    call(world, 'issueUpdate', { id: 'ENG-1', input: { trashed: true } })
    const trashed = issue(world, 'ENG-1', 'trashed archivedAt')
    assert.deepEqual([trashed.trashed, typeof trashed.archivedAt], [true, 'string'])
    call(world, 'issueUpdate', { id: 'ENG-1', input: { trashed: null } })
    assert.deepEqual(issue(world, 'ENG-1', 'trashed archivedAt'), { trashed: null, archivedAt: null })
  },
  'issue.retired-team': (world) => {
    call(world, 'teamUpdate', { id: ops, input: { retiredAt: '2026-02-28T00:00:00Z' } })
    refused(world, 'issueCreate', { input: { teamId: ops, title: 'New' } })
    refused(world, 'issueUpdate', { id: 'ENG-1', input: { teamId: ops } })
    refused(world, 'teamMembershipCreate', { input: { teamId: ops, userId: userId(world, 'dev') } })
  },
  'issue.triage-for-others': (world) => {
    call(world, 'teamUpdate', { id: eng, input: { triageEnabled: true } })
    const state = (as: string | undefined) =>
      issue(world, create(world, 'issueCreate', newIssue, as), 'state { type }').state.type
    assert.equal(state(world.tokens.dev), 'backlog')
    assert.equal(state(world.tokens.lucia), 'triage')
  },
  'issue.priority-leaves-triage': (world) => {
    call(world, 'teamUpdate', { id: eng, input: { triageEnabled: true, requirePriorityToLeaveTriage: true } })
    const id = create(world, 'issueCreate', newIssue, world.tokens.lucia)
    const to = { stateId: stateId(world, 'ENG', 'Todo') }
    refused(world, 'issueUpdate', { id, input: to })
    call(world, 'issueUpdate', { id, input: { ...to, priority: 2 } })
  },
  'issue.triage-responsibility': (world) => {
    call(world, 'teamUpdate', { id: eng, input: { triageEnabled: true } })
    const dev = userId(world, 'dev')
    const duty = { teamId: eng, action: 'assign', manualSelection: { userIds: [dev] } }
    create(world, 'triageResponsibilityCreate', duty)
    const id = create(world, 'issueCreate', newIssue, world.tokens.lucia)
    assert.equal(issue(world, id, 'assignee { id }').assignee.id, dev)
    refused(world, 'triageResponsibilityCreate', { input: duty })
    refused(world, 'triageResponsibilityCreate', { input: { ...duty, teamId: ops, action: 'ignore' } })
  },
  'issue.templates': (world) => {
    const templateData = { title: 'From template', priority: 1, description: 'Steps' }
    const templateId = create(world, 'templateCreate', {
      name: 'Bug',
      type: 'issue',
      teamId: 'ENG',
      templateData,
    })
    const read = (input: object) =>
      issue(world, create(world, 'issueCreate', { teamId: eng, ...input }), 'title priority description')
    assert.deepEqual(read({ templateId }), templateData)
    assert.deepEqual(read({ templateId, title: 'Mine' }), { ...templateData, title: 'Mine' })
    call(world, 'teamUpdate', { id: eng, input: { defaultTemplateForMembersId: templateId } })
    assert.equal(read({ title: 'Plain' }).description, null)
    assert.equal(read({ title: 'Asked', useDefaultTemplate: true }).description, 'Steps')
    const project = create(world, 'templateCreate', { name: 'P', type: 'project', templateData: {} })
    refused(world, 'issueCreate', { input: { ...newIssue, templateId: project } })
  },
  'issue.closes-with-parent': (world) => {
    call(world, 'teamUpdate', { id: eng, input: { autoCloseChildIssues: true, autoCloseParentIssues: true } })
    call(world, 'issueUpdate', { id: 'ENG-2', input: { parentId: 'ENG-1' } })
    const done = stateId(world, 'ENG', 'Done')
    call(world, 'issueUpdate', { id: 'ENG-2', input: { stateId: done } })
    assert.equal(issue(world, 'ENG-1', 'state { type }').state.type, 'completed')
    const parent = create(world, 'issueCreate', newIssue)
    const child = create(world, 'issueCreate', { ...newIssue, parentId: parent })
    call(world, 'issueUpdate', { id: parent, input: { stateId: stateId(world, 'ENG', 'Canceled') } })
    assert.equal(issue(world, child, 'state { type }').state.type, 'canceled')
  },
  'issue.moves-team': (world) => {
    call(world, 'issueUpdate', { id: 'ENG-1', input: { teamId: ops } })
    const moved = issue(
      world,
      'ENG-1',
      'identifier state { name team { key } } labels { nodes { name } } project { id } assignee { displayName }',
    )
    assert.deepEqual(moved, {
      identifier: 'OPS-3',
      state: { name: 'In Progress', team: { key: 'OPS' } },
      labels: { nodes: [] },
      project: null,
      assignee: { displayName: 'dev' },
    })
  },
  'issue.batch-atomic': (world) => {
    refused(world, 'issueBatchCreate', { input: { issues: [newIssue, { ...newIssue, priority: 9 }] } })
    const issues = Array.from({ length: 51 }, () => newIssue)
    refused(world, 'issueBatchCreate', { input: { issues } })
    const made = call(
      world,
      'issueBatchCreate',
      { input: { issues: [newIssue, newIssue] } },
      { select: 'issues { id }' },
    )
    assert.equal((made as { issues: unknown[] }).issues.length, 2)
  },
  'issue.create-as-user': (world) => {
    refused(world, 'issueCreate', { input: { ...newIssue, createAsUser: 'Somebody' } })
    refused(world, 'commentCreate', { input: { issueId: 'ENG-1', body: 'x', createAsUser: 'Somebody' } })
    refused(world, 'attachmentCreate', {
      input: {
        issueId: 'ENG-1',
        title: 'x',
        url: 'https://example.com',
        displayIconUrl: 'https://example.com/i.png',
      },
    })
  },
  'issue.own-id': (world) => {
    assert.equal(
      refused(world, 'issueCreate', { input: { ...newIssue, id: 'mine' } }).presentable,
      'id must be a UUID.',
    )
    const id = '0b0c5ad5-3f3f-4a5e-9a47-0a2ad6f2b111'
    assert.equal(create(world, 'issueCreate', { ...newIssue, id }), id)
    assert.equal(
      refused(world, 'issueCreate', { input: { ...newIssue, id } }).presentable,
      `Entity Issue with id ${id} already exists.`,
    )
  },
  'issue.reminders': (world) => {
    const unread = () => world.data('{ notificationsUnreadCount }').notificationsUnreadCount
    const before = unread()
    world.data('mutation { issueReminder(id: "ENG-2", reminderAt: "P2D") { success } }')
    assert.equal(unread(), before)
    world.clock.now += 3 * 24 * 3_600_000
    assert.equal(unread(), before + 1)
    world.clock.now += 3 * 24 * 3_600_000
    assert.equal(unread(), before + 1)
  },
  'issue.due-dates': (world) => {
    const unread = () => world.data('{ notificationsUnreadCount }').notificationsUnreadCount
    const dueIn = (id: string, days: number) => {
      const dueDate = new Date(world.clock.now + days * 86_400_000).toISOString().slice(0, 10)
      const assigneeId = world.data('{ viewer { id } }').viewer.id
      call(world, 'issueUpdate', { id, input: { dueDate, assigneeId } })
    }
    dueIn('ENG-1', -3)
    dueIn('ENG-2', 2)
    const before = unread()
    world.clock.now += 3 * 86_400_000
    assert.equal(unread(), before + 1)
    world.clock.now += 3 * 86_400_000
    assert.equal(unread(), before + 1)
    dueIn('ENG-2', 2)
    world.clock.now += 3 * 86_400_000
    assert.equal(unread(), before + 2)
  },
  'relation.not-itself': (world) => {
    const input = { issueId: 'ENG-1', relatedIssueId: 'ENG-1', type: 'blocks' }
    assert.equal(
      refused(world, 'issueRelationCreate', { input }).presentable,
      'relatedIssueId cannot have the same value as issueId.',
    )
  },
  'label.not-retired': (world) => {
    const id = labelId(world, 'ENG', 'Feature')
    call(world, 'issueAddLabel', { id: 'ENG-2', labelId: id })
    call(world, 'issueLabelRetire', { id })
    refused(world, 'issueAddLabel', { id: 'ENG-1', labelId: id })
    refused(world, 'issueCreate', { input: { ...newIssue, labelIds: [id] } })
    call(world, 'issueUpdate', { id: 'ENG-2', input: { labelIds: [id], title: 'Still labelled' } })
    call(world, 'issueLabelRestore', { id })
    call(world, 'issueAddLabel', { id: 'ENG-1', labelId: id })
  },
  'label.of-team': (world) => {
    const { message, presentable } = refused(world, 'issueAddLabel', {
      id: 'OPS-1',
      labelId: labelId(world, 'ENG', 'Hardware'),
    })
    assert.equal(message, 'LabelIds for incorrect team')
    assert.equal(presentable, "The label 'Hardware' is not associated with the same team as the issue.")
  },
  'label.group-not-applied': (world) => {
    const group = create(world, 'issueLabelCreate', { name: 'Area', teamId: eng, isGroup: true })
    refused(world, 'issueAddLabel', { id: 'ENG-1', labelId: group })
  },
  'label.one-of-group': (world) => {
    const group = (name: string, groupType?: string) =>
      create(world, 'issueLabelCreate', {
        name,
        teamId: eng,
        isGroup: true,
        ...(groupType ? { groupType } : {}),
      })
    const label = (name: string, parentId: string) =>
      create(world, 'issueLabelCreate', { name, teamId: eng, parentId })
    const area = group('Area')
    const labelIds = [label('Pump', area), label('Motor', area)]
    const { message, presentable } = refused(world, 'issueUpdate', { id: 'ENG-1', input: { labelIds } })
    assert.equal(message, 'labelIds not exclusive child labels')
    assert.equal(
      presentable,
      "The label 'Motor' is in the same group as 'Pump'. Only one label in a group can be applied to an issue.",
    )
    const parts = group('Parts', 'multiSelect')
    call(world, 'issueUpdate', {
      id: 'ENG-1',
      input: { labelIds: [label('Seal', parts), label('Rotor', parts)] },
    })
  },
  'label.parent-is-group': (world) => {
    const parentId = labelId(world, 'ENG', 'Bug')
    refused(world, 'issueLabelCreate', { input: { name: 'Leak', teamId: eng, parentId } })
    const group = create(world, 'issueLabelCreate', { name: 'Area', teamId: eng, isGroup: true })
    refused(world, 'issueLabelCreate', {
      input: { name: 'Sub-area', teamId: eng, isGroup: true, parentId: group },
    })
    refused(world, 'issueLabelUpdate', { id: labelId(world, 'ENG', 'Hardware'), input: { parentId } })
    create(world, 'issueLabelCreate', { name: 'Leak', teamId: eng, parentId: group })
    refused(world, 'issueLabelUpdate', { id: group, input: { isGroup: false } })
  },
  'label.unique-name': (world) => {
    const { message, presentable } = refused(world, 'issueLabelCreate', {
      input: { name: 'bug', teamId: eng },
    })
    assert.deepEqual(
      [message, presentable],
      ['Duplicate label name', 'Label "Bug" already exists in team Engineering.'],
    )
    refused(world, 'issueLabelCreate', { input: { name: 'Bug' } })
    create(world, 'issueLabelCreate', { name: 'Everywhere' })
    refused(world, 'issueLabelCreate', { input: { name: 'everywhere', teamId: ops } })
    refused(world, 'issueLabelUpdate', { id: labelId(world, 'ENG', 'Bug'), input: { name: 'Hardware' } })
    create(world, 'projectLabelCreate', { name: 'Risky' })
    refused(world, 'projectLabelCreate', { input: { name: 'risky' } })
  },
  'label.group-type': (world) => {
    const read = (input: object) =>
      (
        call(world, 'issueLabelCreate', { input }, { select: 'issueLabel { groupType isGroup }' }) as {
          issueLabel: object
        }
      ).issueLabel
    assert.deepEqual(read({ name: 'A', isGroup: true }), { groupType: 'singleSelect', isGroup: true })
    assert.deepEqual(read({ name: 'B' }), { groupType: null, isGroup: false })
  },
  'attachment.unique-url': (world) => {
    const input = { issueId: 'ENG-1', title: 'One', url: 'https://example.com/a' }
    const id = create(world, 'attachmentCreate', input)
    assert.equal(create(world, 'attachmentCreate', { ...input, title: 'Two' }), id)
    assert.equal(world.data(`{ attachment(id: "${id}") { title } }`).attachment.title, 'Two')
    assert.notEqual(create(world, 'attachmentCreate', { ...input, issueId: 'ENG-2' }), id)
  },
}
