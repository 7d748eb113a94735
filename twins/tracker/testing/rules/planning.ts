import assert from 'node:assert/strict'
import { type Cases, call, create, eng, issue, later, ops, quiet, refused, stateId } from './case.ts'

const week = (teamId: string, startsAt: string, endsAt: string) => ({ teamId, startsAt, endsAt })

export const planningCases: Cases = {
  'project.description-length': (world) => {
    const description = 'x'.repeat(256)
    const presentable = 'description must be shorter than or equal to 255 characters.'
    assert.equal(
      refused(world, 'projectCreate', { input: { name: 'P', teamIds: [eng], description } }).presentable,
      presentable,
    )
    assert.equal(
      refused(world, 'projectUpdate', { id: quiet, input: { description } }).presentable,
      presentable,
    )
    call(world, 'projectUpdate', { id: quiet, input: { description: 'x'.repeat(255), content: description } })
  },
  'project.has-team': (world) => {
    refused(world, 'projectCreate', { input: { name: 'P', teamIds: [] } })
    refused(world, 'projectUpdate', { id: quiet, input: { teamIds: [] } })
    refused(world, 'projectUpdate', { id: quiet, input: { leadTeamId: ops } })
  },
  'project.labels': (world) => {
    const group = create(world, 'projectLabelCreate', { name: 'Kind', isGroup: true })
    const [a, b] = ['Big', 'Small'].map((name) =>
      create(world, 'projectLabelCreate', { name, parentId: group }),
    )
    refused(world, 'projectAddLabel', { id: quiet, labelId: group })
    call(world, 'projectAddLabel', { id: quiet, labelId: a })
    refused(world, 'projectAddLabel', { id: quiet, labelId: b })
    refused(world, 'projectUpdate', { id: later, input: { labelIds: [a, b] } })
    call(world, 'projectLabelRetire', { id: b })
    refused(world, 'projectUpdate', { id: later, input: { labelIds: [b] } })
  },
  'project.status-archive': (world) => {
    const { status } = world.data(`{ project(id: "${quiet}") { status { id } } }`).project
    refused(world, 'projectStatusArchive', { id: status.id })
    const input = { name: 'Doing', color: '#ff0000', position: 9, type: 'started' }
    const id = create(world, 'projectStatusCreate', input)
    call(world, 'projectStatusArchive', { id })
    const paused = world.data('{ projectStatuses { nodes { id type } } }').projectStatuses.nodes
    const last = paused.find((row: { type: string }) => row.type === 'paused')
    refused(world, 'projectStatusArchive', { id: last.id })
  },
  'project.priority-and-hour': (world) => {
    refused(world, 'projectUpdate', { id: quiet, input: { priority: 7 } })
    refused(world, 'projectUpdate', { id: quiet, input: { updateRemindersHour: 24 } })
    call(world, 'projectUpdate', { id: quiet, input: { priority: 4, updateRemindersHour: 0 } })
  },
  'project.template': (world) => {
    const templateData = { description: 'Standard', priority: 2 }
    const templateId = create(world, 'templateCreate', { name: 'P', type: 'project', templateData })
    const read = (input: object) => {
      const id = create(world, 'projectCreate', { name: 'New', teamIds: [eng], ...input })
      return world.data(`{ project(id: "${id}") { description priority } }`).project
    }
    assert.deepEqual(read({ templateId }), templateData)
    call(world, 'teamUpdate', { id: eng, input: { defaultProjectTemplateId: templateId } })
    assert.deepEqual(read({ useDefaultTemplate: true, priority: 1 }), { ...templateData, priority: 1 })
    assert.deepEqual(read({}), { description: '', priority: 0 })
  },
  'project.relations': (world) => {
    const input = {
      projectId: quiet,
      relatedProjectId: later,
      type: 'dependency',
      anchorType: 'end',
      relatedAnchorType: 'start',
    }
    refused(world, 'projectRelationCreate', { input: { ...input, relatedProjectId: quiet } })
    const foreign = create(world, 'projectMilestoneCreate', { projectId: later, name: 'Alpha' })
    refused(world, 'projectRelationCreate', { input: { ...input, projectMilestoneId: foreign } })
    create(world, 'projectRelationCreate', { ...input, relatedProjectMilestoneId: foreign })
    refused(world, 'projectRelationCreate', { input })
  },
  'project.update-author': (world) => {
    const id = create(world, 'projectUpdateCreate', { projectId: quiet, body: 'Fine' }, world.tokens.dev)
    refused(world, 'projectUpdateUpdate', { id, input: { body: 'Bad' } })
    call(world, 'projectUpdateUpdate', { id, input: { body: 'Good' } }, { as: world.tokens.dev })
  },
  'milestone.percent': (world) => {
    const projectMilestoneId = create(world, 'projectMilestoneCreate', { projectId: quiet, name: 'Alpha' })
    for (const id of ['ENG-1', 'ENG-2']) call(world, 'issueUpdate', { id, input: { projectMilestoneId } })
    call(world, 'issueUpdate', { id: 'ENG-1', input: { stateId: stateId(world, 'ENG', 'Done') } })
    assert.equal(
      world.data(`{ projectMilestone(id: "${projectMilestoneId}") { progress } }`).projectMilestone.progress,
      50,
    )
  },
  'milestone.move': (world) => {
    const id = create(world, 'projectMilestoneCreate', { projectId: quiet, name: 'Alpha' })
    call(world, 'issueUpdate', { id: 'ENG-1', input: { projectMilestoneId: id } })
    const other = create(world, 'projectCreate', { name: 'Ops only', teamIds: [ops] })
    refused(world, 'projectMilestoneMove', { id, input: { projectId: other } })
    call(world, 'projectMilestoneMove', { id, input: { projectId: other, addIssueTeamToProject: true } })
    assert.equal(issue(world, 'ENG-1', 'project { name }').project.name, 'Ops only')
  },
  'cycle.span': (world) => {
    refused(world, 'cycleCreate', { input: week(eng, '2026-03-09', '2026-03-02') })
    const id = create(world, 'cycleCreate', week(eng, '2026-03-02', '2026-03-09'))
    refused(world, 'cycleUpdate', { id, input: { endsAt: '2026-03-01' } })
  },
  'cycle.start-next': (world) => {
    const running = create(world, 'cycleCreate', week(eng, '2026-02-25', '2026-03-08'))
    const next = create(world, 'cycleCreate', week(eng, '2026-03-08', '2026-03-15'))
    const after = create(world, 'cycleCreate', week(eng, '2026-03-15', '2026-03-22'))
    refused(world, 'cycleStartUpcomingCycleToday', { id: after })
    refused(world, 'cycleStartUpcomingCycleToday', { id: running })
    call(world, 'cycleStartUpcomingCycleToday', { id: next })
    const read = (id: string) =>
      world.data(`{ cycle(id: "${id}") { isActive completedAt startsAt endsAt } }`).cycle
    assert.equal(read(next).isActive, true)
    assert.equal(read(running).completedAt, read(next).startsAt)
    assert.equal(read(running).endsAt, read(next).startsAt)
  },
  'cycle.complete-early': (world) => {
    const id = create(world, 'cycleCreate', week(eng, '2026-02-25', '2026-03-08'))
    const completedAt = '2026-03-01T00:00:00.000Z'
    call(world, 'issueUpdate', { id: 'ENG-1', input: { cycleId: id } })
    call(world, 'cycleUpdate', { id, input: { completedAt } })
    const { cycle } = world.data(
      `{ cycle(id: "${id}") { isActive endsAt completedAt uncompletedIssuesUponClose { nodes { identifier } } } }`,
    )
    assert.deepEqual(cycle, {
      isActive: false,
      endsAt: completedAt,
      completedAt,
      uncompletedIssuesUponClose: { nodes: [{ identifier: 'ENG-1' }] },
    })
  },
  'cycle.archive-unlinks': (world) => {
    const id = create(world, 'cycleCreate', week(eng, '2026-02-25', '2026-03-08'))
    call(world, 'issueUpdate', { id: 'ENG-1', input: { cycleId: id } })
    call(world, 'cycleArchive', { id })
    assert.equal(issue(world, 'ENG-1', 'cycle { id }').cycle, null)
  },
  'cycle.created-when-enabled': (world) => {
    call(world, 'teamUpdate', {
      id: eng,
      input: { cyclesEnabled: true, cycleDuration: 1, upcomingCycleCount: 3 },
    })
    const read = () =>
      world.data('{ team(id: "ENG") { activeCycle { number } cycles { nodes { number isFuture isPast } } } }')
        .team
    assert.equal(read().activeCycle.number, 1)
    assert.equal(read().cycles.nodes.filter((cycle: { isFuture: boolean }) => cycle.isFuture).length, 3)
    call(world, 'teamUpdate', { id: eng, input: { cyclesEnabled: false } })
    assert.equal(read().activeCycle, null)
    assert.equal(
      read().cycles.nodes.every(
        (cycle: { isPast: boolean; isFuture: boolean }) => cycle.isPast || cycle.isFuture,
      ),
      true,
    )
  },
  'cycle.auto-complete': (world) => {
    call(world, 'teamUpdate', { id: eng, input: { cyclesEnabled: true, cycleDuration: 1 } })
    const read = () =>
      world.data(
        '{ team(id: "ENG") { activeCycle { id number } cycles { nodes { number isFuture completedAt } } } }',
      ).team
    const first = read().activeCycle
    call(world, 'issueUpdate', { id: 'ENG-2', input: { cycleId: first.id } })
    world.clock.now += 7 * 24 * 3_600_000
    assert.equal(read().activeCycle.number, first.number + 1)
    assert.equal(issue(world, 'ENG-2', 'cycle { number }').cycle.number, first.number + 1)
    const done = world.data(
      `{ cycle(id: "${first.id}") { completedAt endsAt uncompletedIssuesUponClose { nodes { identifier } } } }`,
    ).cycle
    assert.equal(done.completedAt, done.endsAt)
    assert.deepEqual(done.uncompletedIssuesUponClose.nodes, [{ identifier: 'ENG-2' }])
    world.clock.now += 60 * 24 * 3_600_000
    assert.ok(read().cycles.nodes.some((cycle: { isFuture: boolean }) => cycle.isFuture))
  },
  'cycle.delete-all': (world) => {
    const cycleId = create(world, 'cycleCreate', week(eng, '2026-02-25', '2026-03-08'))
    call(world, 'issueUpdate', { id: 'ENG-1', input: { cycleId } })
    call(world, 'teamCyclesDelete', { id: eng })
    assert.deepEqual(world.data('{ team(id: "ENG") { cyclesEnabled cycles { nodes { id } } } }').team, {
      cyclesEnabled: false,
      cycles: { nodes: [] },
    })
  },
  'initiative.hierarchy': (world) => {
    const ids = ['A', 'B', 'C', 'D', 'E', 'F'].map((name) => create(world, 'initiativeCreate', { name }))
    const relate = (initiativeId: unknown, relatedInitiativeId: unknown) => ({
      input: { initiativeId, relatedInitiativeId },
    })
    const [a, b, c, d, e, f] = ids
    refused(world, 'initiativeRelationCreate', relate(a, a))
    for (const [parent, child] of [
      [a, b],
      [b, c],
      [c, d],
      [d, e],
    ])
      call(world, 'initiativeRelationCreate', relate(parent, child))
    refused(world, 'initiativeRelationCreate', relate(e, a))
    refused(world, 'initiativeRelationCreate', relate(e, f))
    refused(world, 'initiativeRelationCreate', relate(a, b))
  },
  'initiative.project-once': (world) => {
    const [a, b] = ['A', 'B'].map((name) => create(world, 'initiativeCreate', { name }))
    call(world, 'initiativeRelationCreate', { input: { initiativeId: a, relatedInitiativeId: b } })
    create(world, 'initiativeToProjectCreate', { initiativeId: a, projectId: quiet })
    for (const initiativeId of [a, b])
      refused(world, 'initiativeToProjectCreate', { input: { initiativeId, projectId: quiet } })
  },
  'initiative.labels': (world) => {
    const id = create(world, 'initiativeCreate', { name: 'A' })
    const group = create(world, 'initiativeLabelCreate', { name: 'Kind', isGroup: true })
    refused(world, 'initiativeAddLabel', { id, labelId: group })
    refused(world, 'initiativeUpdate', { id, input: { priority: 9 } })
  },
  'document.one-place': (world) => {
    refused(world, 'documentCreate', { input: { title: 'Plan' } })
    refused(world, 'documentCreate', { input: { title: 'Plan', projectId: quiet, issueId: 'ENG-1' } })
    const id = create(world, 'documentCreate', { title: 'Plan', projectId: quiet })
    call(world, 'documentUpdate', { id, input: { issueId: 'ENG-1' } })
    const { document } = world.data(`{ document(id: "${id}") { project { id } issue { identifier } } }`)
    assert.deepEqual(document, { project: null, issue: { identifier: 'ENG-1' } })
  },
  'document.sub-documents': (world) => {
    const parentDocumentId = create(world, 'documentCreate', { title: 'Plan', projectId: quiet })
    refused(world, 'documentCreate', { input: { title: 'Part', projectId: later, parentDocumentId } })
    refused(world, 'documentCreate', { input: { title: 'Part', projectId: quiet, subDocumentSortOrder: 1 } })
    create(world, 'documentCreate', {
      title: 'Part',
      projectId: quiet,
      parentDocumentId,
      subDocumentSortOrder: 1,
    })
  },
  'document.trash': (world) => {
    const id = create(world, 'documentCreate', { title: 'Plan', projectId: quiet })
    call(world, 'documentDelete', { id })
    const read = () => world.data(`{ document(id: "${id}") { trashed archivedAt } }`).document
    assert.equal(read().trashed, true)
    call(world, 'documentUnarchive', { id })
    assert.deepEqual(read(), { trashed: null, archivedAt: null })
  },
  'template.types': (world) => {
    refused(world, 'templateCreate', { input: { name: 'T', type: 'poem', templateData: {} } })
    refused(world, 'templateCreate', {
      input: { name: 'T', type: 'issue', templateData: {}, pipelineId: quiet },
    })
  },
  'link.one-place': (world) => {
    const input = { url: 'https://example.com', label: 'Site' }
    const initiativeId = create(world, 'initiativeCreate', { name: 'A' })
    refused(world, 'entityExternalLinkCreate', { input })
    refused(world, 'entityExternalLinkCreate', { input: { ...input, projectId: quiet, initiativeId } })
  },
}
