import assert from 'node:assert/strict'
import { day } from '../../values/times.ts'
import { startAgents } from '../world.ts'
import {
  type Cases,
  call,
  create,
  eng,
  issue,
  labelId,
  ops,
  quiet,
  refused,
  stateId,
  userId,
  type World,
} from './case.ts'

const team = (world: World, id: string, select: string) =>
  world.data(`{ team(id: "${id}") { ${select} } }`).team
const setTeam = (world: World, input: object, id = eng) => call(world, 'teamUpdate', { id, input })
const setSecurity = (world: World, securitySettings: object) =>
  call(world, 'organizationUpdate', { input: { securitySettings } })
const moveTo = (world: World, id: string, state: string) =>
  call(world, 'issueUpdate', { id, input: { stateId: stateId(world, id.slice(0, 3), state) } })
const cycleOf = (world: World, id: string) => issue(world, id, 'cycle { id }').cycle?.id

/** What happens without a caller asking for it, and who may set it up. */
export const automationCases: Cases = {
  'cycle.auto-assign': (world) => {
    setTeam(world, { cyclesEnabled: true, cycleIssueAutoAssignCompleted: false })
    const running = team(world, 'ENG', 'activeCycle { id }').activeCycle.id
    moveTo(world, 'ENG-2', 'Done')
    assert.equal(cycleOf(world, 'ENG-2'), undefined)
    moveTo(world, 'ENG-2', 'In Progress')
    assert.equal(cycleOf(world, 'ENG-2'), running)
    setTeam(world, { cycleIssueAutoAssignCompleted: true })
    moveTo(world, 'ENG-3', 'Done')
    assert.equal(cycleOf(world, 'ENG-3'), running)
  },
  'cycle.lock-to-active': (world) => {
    setTeam(world, { cyclesEnabled: true })
    moveTo(world, 'ENG-2', 'Todo')
    assert.equal(cycleOf(world, 'ENG-2'), undefined)
    moveTo(world, 'ENG-2', 'Backlog')
    setTeam(world, { cycleLockToActive: true })
    moveTo(world, 'ENG-2', 'Todo')
    assert.equal(cycleOf(world, 'ENG-2'), team(world, 'ENG', 'activeCycle { id }').activeCycle.id)
  },
  'cycle.inherited': (world) => {
    setTeam(world, { cyclesEnabled: true })
    const cycles = (key: string) =>
      team(world, key, 'cycles { nodes { id name startsAt inheritedFrom { id } } }').cycles.nodes
    create(world, 'teamCreate', { name: 'Below', key: 'SUB', parentId: eng })
    const above = cycles('ENG').map(({ id }: { id: string }) => id)
    const ids = () =>
      cycles('SUB').map(({ inheritedFrom }: { inheritedFrom: { id: string } | null }) => inheritedFrom?.id)
    assert.deepEqual(ids().sort(), [...above].sort())
    call(world, 'cycleUpdate', { id: above[0], input: { name: 'Sprint' } })
    assert.ok(cycles('SUB').some(({ name }: { name: string | null }) => name === 'Sprint'))
    const input = { teamId: eng, startsAt: '2027-01-04T00:00:00Z', endsAt: '2027-01-11T00:00:00Z' }
    const later = create(world, 'cycleCreate', input)
    assert.ok(ids().includes(later))
  },
  'state.inherited': (world) => {
    const input = { name: 'Below', key: 'SUB', parentId: eng, inheritWorkflowStatuses: true }
    create(world, 'teamCreate', input)
    const names = () =>
      team(world, 'SUB', 'states { nodes { name inheritedFrom { name } } }').states.nodes.flatMap(
        ({ inheritedFrom }: { inheritedFrom: { name: string } | null }) => inheritedFrom?.name ?? [],
      )
    assert.ok(names().includes('In Review'))
    const state = { teamId: eng, name: 'Testing', type: 'started', color: '#ff0000' }
    const id = create(world, 'workflowStateCreate', state)
    call(world, 'workflowStateUpdate', { id, input: { name: 'Tests' } })
    assert.equal(typeof stateId(world, 'SUB', 'Tests'), 'string')
  },
  'issue.triage-times': (world) => {
    setTeam(world, { triageEnabled: true })
    const id = create(world, 'issueCreate', { teamId: eng, title: 'New' }, world.tokens.lucia)
    const times = () => issue(world, id, 'startedTriageAt triagedAt snoozedBy { displayName }')
    assert.deepEqual([typeof times().startedTriageAt, times().triagedAt], ['string', null])
    call(world, 'issueUpdate', { id, input: { snoozedUntilAt: 'P1D' } })
    assert.equal(times().snoozedBy.displayName, 'mira')
    call(world, 'issueUpdate', { id, input: { stateId: stateId(world, 'ENG', 'Todo') } })
    assert.deepEqual([typeof times().triagedAt, times().snoozedBy], ['string', null])
  },
  'sla.clock': (world) => {
    const read = () => issue(world, 'ENG-1', 'slaStartedAt slaType slaMediumRiskAt slaHighRiskAt')
    call(world, 'issueUpdate', { id: 'ENG-1', input: { slaBreachesAt: '2026-03-06T09:00:00Z' } })
    assert.deepEqual(read(), {
      slaStartedAt: '2026-03-02T09:00:00.000Z',
      slaType: 'all',
      slaMediumRiskAt: '2026-03-04T09:00:00.000Z',
      slaHighRiskAt: '2026-03-05T09:00:00.000Z',
    })
    call(world, 'issueUpdate', { id: 'ENG-1', input: { slaBreachesAt: null } })
    assert.deepEqual([...new Set(Object.values(read()))], [null])
  },
  'issue.auto-close': (world) => {
    setTeam(world, { autoClosePeriod: 3 })
    world.clock.now += 100 * day
    const { state, autoClosedAt } = issue(world, 'ENG-2', 'state { type } autoClosedAt')
    assert.deepEqual([state.type, typeof autoClosedAt], ['canceled', 'string'])
    assert.equal(issue(world, 'OPS-1', 'autoClosedAt').autoClosedAt, null)
  },
  'issue.auto-archive': (world) => {
    setTeam(world, { autoArchivePeriod: 3 }, ops)
    assert.equal(issue(world, 'OPS-1', 'archivedAt').archivedAt, null)
    world.clock.now += 100 * day
    assert.equal(typeof issue(world, 'OPS-1', 'autoArchivedAt').autoArchivedAt, 'string')
  },
  'issue.delete-for-good': (world) => {
    refused(world, 'issueDelete', { id: 'ENG-1', permanentlyDelete: true }, { as: world.tokens.dev })
    call(world, 'issueDelete', { id: 'ENG-1', permanentlyDelete: true })
    assert.ok(world.ask('{ issue(id: "ENG-1") { id } }').body.errors)
  },
  'issue.shared-only': (world) => {
    setTeam(world, { private: true })
    call(world, 'issueShare', { id: 'ENG-1', userId: userId(world, 'lucia') })
    const as = world.tokens.lucia ?? ''
    const { sharedAccess } = world.data(
      '{ issue(id: "ENG-1") { sharedAccess { viewerHasOnlySharedAccess disallowedIssueFields } } }',
      {},
      as,
    ).issue
    assert.equal(sharedAccess.viewerHasOnlySharedAccess, true)
    assert.ok(sharedAccess.disallowedIssueFields.includes('projectId'))
    refused(world, 'issueUpdate', { id: 'ENG-1', input: { projectId: null } }, { as })
    call(world, 'issueUpdate', { id: 'ENG-1', input: { priority: 2 } }, { as })
  },
  'issue.icon-with-name': () => {
    const world = startAgents()
    const as = world.tokens['app:helper']
    const input = { teamId: eng, title: 'New', displayIconUrl: 'https://example.com/icon.png' }
    refused(world, 'issueCreate', { input }, { as })
    create(world, 'issueCreate', { ...input, createAsUser: 'George' }, as)
  },
  'label.last-applied': (world) => {
    const id = labelId(world, 'ENG', 'Bug')
    const read = () => world.data(`{ issueLabel(id: "${id}") { lastAppliedAt } }`).issueLabel.lastAppliedAt
    assert.equal(read(), '2026-02-10T10:00:00.000Z')
    call(world, 'issueAddLabel', { id: 'ENG-2', labelId: id })
    assert.equal(read(), '2026-03-02T09:00:00.000Z')
  },
  'color.hexadecimal': (world) => {
    const { presentable } = refused(world, 'issueLabelCreate', { input: { name: 'Red', color: 'red' } })
    assert.equal(presentable, 'color must be a hexadecimal color.')
    create(world, 'issueLabelCreate', { name: 'Red', color: '#f00' })
  },
  'team.key-delete': (world) => {
    refused(world, 'teamKeyDelete', { id: 'ENG' })
    setTeam(world, { key: 'DEV' })
    assert.equal(issue(world, 'ENG-1', 'identifier').identifier, 'DEV-1')
    refused(world, 'teamKeyDelete', { id: 'ENG' }, { as: world.tokens.dev })
    call(world, 'teamKeyDelete', { id: 'ENG' })
    assert.ok(world.ask('{ issue(id: "ENG-1") { id } }').body.errors)
  },
  'team.security-settings': (world) => {
    const as = world.tokens.dev
    const label = { input: { name: 'Sealed', teamId: eng } }
    const member = { input: { teamId: eng, userId: userId(world, 'lucia') } }
    setTeam(world, { securitySettings: { labelManagement: 'owner' } })
    setTeam(world, { securitySettings: { memberManagement: 'owner' } })
    refused(world, 'issueLabelCreate', label, { as })
    refused(world, 'teamMembershipCreate', member, { as })
    refused(world, 'teamUpdate', { id: eng, input: { description: 'Ours' } }, { as })
    const open = { labelManagement: 'member', memberManagement: 'member', teamManagement: 'member' }
    setTeam(world, { securitySettings: open })
    call(world, 'issueLabelCreate', label, { as })
    call(world, 'teamMembershipCreate', member, { as })
    call(world, 'teamUpdate', { id: eng, input: { description: 'Ours' } }, { as })
  },
  'organization.security-settings': (world) => {
    const as = world.tokens.dev
    const template = { type: 'issue', name: 'Bug', templateData: { title: 'x' } }
    const asked: readonly (readonly [string, string, Record<string, unknown>])[] = [
      ['labelManagementRole', 'issueLabelCreate', { name: 'Sealed' }],
      ['teamCreationRole', 'teamCreate', { name: 'Design' }],
      ['invitationsRole', 'organizationInviteCreate', { email: 'new@northwind.example' }],
      ['templateManagementRole', 'templateCreate', template],
    ]
    for (const [setting, name, input] of asked) {
      setSecurity(world, { [setting]: 'admin' })
      refused(world, name, { input }, { as })
      setSecurity(world, { [setting]: 'user' })
      call(world, name, { input }, { as })
    }
    const hook = { url: 'https://example.com/hook', resourceTypes: ['Issue'], allPublicTeams: true }
    refused(world, 'webhookCreate', { input: hook }, { as })
    setSecurity(world, { apiSettingsRole: 'user' })
    call(world, 'webhookCreate', { input: hook }, { as })
  },
  'guest.workspace-labels': (world) => {
    call(world, 'userChangeRole', { id: userId(world, 'dev'), role: 'guest' })
    refused(world, 'issueLabelCreate', { input: { name: 'Mine' } }, { as: world.tokens.dev })
  },
  'user.last-admin': (world) => {
    const id = userId(world, 'mira')
    refused(world, 'userChangeRole', { id, role: 'user' })
    call(world, 'userChangeRole', { id: userId(world, 'dev'), role: 'admin' })
    call(world, 'userChangeRole', { id, role: 'user' })
  },
  'user.admin-only': (world) => {
    const as = world.tokens.dev ?? ''
    const id = userId(world, 'lucia')
    refused(world, 'userRevokeAllSessions', { id }, { as })
    call(world, 'userRevokeAllSessions', { id })
    for (const document of [`{ userSessions(id: "${id}") { id } }`, '{ auditEntries { nodes { id } } }']) {
      assert.equal(world.ask(document, {}, as).body.errors[0].extensions.code, 'FORBIDDEN')
      world.data(document)
    }
  },
  'webhook.resource-types': (world) => {
    const input = { url: 'https://example.com/hook', allPublicTeams: true }
    refused(world, 'webhookCreate', { input: { ...input, resourceTypes: ['Banana'] } })
    refused(world, 'webhookCreate', { input: { ...input, resourceTypes: ['Issue'], url: 'ftp://x' } })
  },
  'view.named': (world) => {
    refused(world, 'customViewCreate', { input: { name: '' } })
  },
  'link.address': (world) => {
    refused(world, 'entityExternalLinkCreate', { input: { url: 'nowhere', label: 'Docs', projectId: quiet } })
  },
  'file.public-images': (world) => {
    const upload = (contentType: string) =>
      world.ask(
        'mutation($type: String!) { fileUpload(contentType: $type, filename: "a", size: 3, makePublic: true) { success } }',
        { type: contentType },
      ).body
    assert.ok(upload('application/pdf').errors)
    assert.equal(upload('image/png').errors, undefined)
  },
}
