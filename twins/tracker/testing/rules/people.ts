import assert from 'node:assert/strict'
import { type Cases, call, create, eng, issue, ops, quiet, refused, userId } from './case.ts'

const body = 'Words'
const onIssue = { issueId: 'ENG-1', body }

export const peopleCases: Cases = {
  'comment.author-edits': (world) => {
    const id = create(world, 'commentCreate', onIssue, world.tokens.dev)
    refused(world, 'commentUpdate', { id, input: { body: 'Other' } })
    refused(world, 'commentUpdate', { id, input: { body: 'Other' } }, { as: world.tokens.lucia })
    call(world, 'commentUpdate', { id, input: { body: 'Mine' } }, { as: world.tokens.dev })
    assert.equal(typeof world.data(`{ comment(id: "${id}") { editedAt } }`).comment.editedAt, 'string')
  },
  'comment.author-deletes': (world) => {
    const id = create(world, 'commentCreate', onIssue, world.tokens.dev)
    refused(world, 'commentDelete', { id }, { as: world.tokens.lucia })
    call(world, 'commentDelete', { id })
  },
  'comment.top-level-parent': (world) => {
    const root = create(world, 'commentCreate', onIssue)
    const reply = create(world, 'commentCreate', { parentId: root, body })
    const { message, presentable } = refused(world, 'commentCreate', { input: { parentId: reply, body } })
    assert.deepEqual(
      [message, presentable],
      ['incorrect parent', 'Parent comment must be a top level comment.'],
    )
    refused(world, 'commentCreate', { input: { parentId: root, issueId: 'ENG-2', body } })
  },
  'comment.one-place': (world) => {
    refused(world, 'commentCreate', { input: { body } })
    refused(world, 'commentCreate', { input: { body, issueId: 'ENG-1', projectId: quiet } })
    refused(world, 'commentCreate', { input: { issueId: 'ENG-1', body: '' } })
  },
  'comment.past': (world) => {
    refused(world, 'commentCreate', { input: { ...onIssue, createdAt: '2031-01-01T00:00:00Z' } })
    const createdAt = '2026-01-05T00:00:00.000Z'
    const id = create(world, 'commentCreate', { ...onIssue, createdAt })
    assert.equal(world.data(`{ comment(id: "${id}") { createdAt } }`).comment.createdAt, createdAt)
  },
  'comment.threads-resolve': (world) => {
    const root = create(world, 'commentCreate', onIssue)
    const reply = create(world, 'commentCreate', { parentId: root, body })
    const other = create(world, 'commentCreate', onIssue)
    refused(world, 'commentResolve', { id: reply })
    refused(world, 'commentResolve', { id: root, resolvingCommentId: other })
    call(world, 'commentResolve', { id: root, resolvingCommentId: reply })
    const read = () =>
      world.data(`{ comment(id: "${root}") { resolvingComment { id } resolvingUser { id } } }`).comment
    assert.deepEqual(read(), {
      resolvingComment: { id: reply },
      resolvingUser: { id: userId(world, 'mira') },
    })
    call(world, 'commentUnresolve', { id: root })
    assert.deepEqual(read(), { resolvingComment: null, resolvingUser: null })
  },
  'comment.synced-thread': (world) => {
    refused(world, 'commentCreate', { input: { ...onIssue, createOnSyncedSlackThread: true } })
  },
  'comment.quoted-inline': (world) => {
    refused(world, 'commentCreate', { input: { ...onIssue, quotedText: 'Pump' } })
  },
  'comment.auto-subscribe': (world) => {
    const followers = () =>
      issue(world, 'OPS-1', 'subscribers { nodes { displayName } }')
        .subscribers.nodes.map((node: { displayName: string }) => node.displayName)
        .sort()
    const before = followers()
    create(world, 'commentCreate', { issueId: 'OPS-1', body, doNotSubscribeToIssue: true }, world.tokens.dev)
    assert.deepEqual(followers(), before)
    create(world, 'commentCreate', { issueId: 'OPS-1', body }, world.tokens.dev)
    assert.deepEqual(followers(), ['dev', ...before])
    call(world, 'issueUnsubscribe', { id: 'OPS-1' }, { as: world.tokens.dev })
    assert.deepEqual(followers(), before)
  },
  'user.status-expires': (world) => {
    const id = userId(world, 'mira')
    call(world, 'userUpdate', { id, input: { statusEmoji: ':palm_tree:', statusUntilAt: 'P1D' } })
    const status = () => world.data('{ viewer { statusEmoji } }').viewer.statusEmoji
    assert.equal(status(), ':palm_tree:')
    world.clock.now += 2 * 24 * 3_600_000
    assert.equal(status(), null)
  },
  'mention.by-profile': (world) => {
    const unread = () =>
      world.data('{ notificationsUnreadCount }', {}, world.tokens.lucia).notificationsUnreadCount
    const before = unread()
    create(world, 'commentCreate', { issueId: 'ENG-2', body: 'See this, @lucia' })
    assert.equal(unread(), before)
    create(world, 'commentCreate', {
      issueId: 'ENG-2',
      body: 'See this, https://linear.app/northwind/profiles/lucia',
    })
    assert.equal(unread(), before + 1)
    create(world, 'commentCreate', { issueId: 'ENG-2', body: 'https://linear.app/other/profiles/lucia' })
    assert.equal(unread(), before + 1)
  },
  'reaction.one-place': (world) => {
    const commentId = create(world, 'commentCreate', onIssue)
    refused(world, 'reactionCreate', { input: { emoji: 'eyes' } })
    refused(world, 'reactionCreate', { input: { emoji: 'eyes', issueId: 'ENG-1', commentId } })
    const id = create(world, 'reactionCreate', { emoji: 'eyes', commentId })
    refused(world, 'reactionDelete', { id }, { as: world.tokens.dev })
    call(world, 'reactionDelete', { id })
  },
  'team.managers': (world) => {
    const name = { input: { name: 'Renamed' } }
    refused(world, 'teamUpdate', { id: eng, ...name }, { as: world.tokens.dev })
    refused(world, 'teamDelete', { id: eng }, { as: world.tokens.dev })
    refused(world, 'teamCyclesDelete', { id: eng }, { as: world.tokens.dev })
    const own = create(world, 'teamCreate', { name: 'Research' }, world.tokens.dev)
    call(world, 'teamUpdate', { id: own, ...name }, { as: world.tokens.dev })
    call(world, 'teamUpdate', { id: own, ...name })
    refused(world, 'teamUpdate', { id: own, ...name }, { as: world.tokens.lucia })
  },
  'team.admin-settings': (world) => {
    const own = create(world, 'teamCreate', { name: 'Research' }, world.tokens.dev)
    refused(world, 'teamUpdate', { id: own, input: { joinByDefault: true } }, { as: world.tokens.dev })
    refused(world, 'teamUpdate', { id: own, input: { scimManaged: true } })
    call(world, 'teamUpdate', { id: own, input: { joinByDefault: true } })
  },
  'team.created-whole': (world) => {
    const made = call(
      world,
      'teamCreate',
      { input: { name: 'Research' } },
      {
        select: `team { key timezone states(orderBy: createdAt) { nodes { name type position } } labels { nodes { name } }
          memberships { nodes { owner user { displayName } } } }`,
      },
    )
    const { key, timezone, states, labels, memberships } = made.team as Record<
      string,
      { nodes: Record<string, unknown>[] }
    >
    assert.deepEqual([key, timezone], ['RES', 'America/Los_Angeles'])
    const ordered = states?.nodes
      .sort((a, b) => Number(a.position) - Number(b.position))
      .map(({ name }) => name)
    assert.deepEqual(ordered, ['Backlog', 'Todo', 'In Progress', 'Done', 'Canceled', 'Duplicate'])
    assert.deepEqual(labels?.nodes.map(({ name }) => name).sort(), ['Bug', 'Feature', 'Improvement'])
    assert.deepEqual(memberships?.nodes, [{ owner: true, user: { displayName: 'mira' } }])
  },
  'team.estimation-types': (world) => {
    refused(world, 'teamUpdate', { id: eng, input: { issueEstimationType: 'bananas' } })
    call(world, 'teamUpdate', { id: eng, input: { issueEstimationType: 'fibonacci' } })
  },
  'team.unique-key': (world) => {
    refused(world, 'teamCreate', { input: { name: 'Engines', key: 'ENG' } })
    refused(world, 'teamUpdate', { id: ops, input: { key: 'eng' } })
  },
  'team.parent-not-descendant': (world) => {
    call(world, 'teamUpdate', { id: ops, input: { parentId: eng } })
    refused(world, 'teamUpdate', { id: eng, input: { parentId: ops } })
    refused(world, 'teamUpdate', { id: eng, input: { parentId: eng } })
  },
  'team.retires-sub-teams': (world) => {
    call(world, 'teamUpdate', { id: ops, input: { parentId: eng } })
    const retiredAt = '2026-02-28T00:00:00Z'
    refused(world, 'teamUpdate', { id: eng, input: { retiredAt } })
    call(world, 'teamUpdate', { id: eng, input: { retiredAt, handleSubTeamsOnRetirement: 'unnest' } })
    assert.deepEqual(world.data('{ team(id: "OPS") { parent { id } retiredAt } }').team, {
      parent: null,
      retiredAt: null,
    })
  },
  'team.states-its-own': (world) => {
    const states = (team: string) =>
      world.data(`{ team(id: "${team}") { states { nodes { id type } } } }`).team.states.nodes
    const of = (team: string, type: string) =>
      states(team).find((state: { type: string }) => state.type === type).id
    refused(world, 'teamUpdate', { id: eng, input: { defaultIssueStateId: of('OPS', 'unstarted') } })
    refused(world, 'teamUpdate', { id: eng, input: { autoCloseStateId: of('ENG', 'completed') } })
    call(world, 'teamUpdate', {
      id: eng,
      input: { autoCloseStateId: of('ENG', 'canceled'), defaultIssueStateId: of('ENG', 'unstarted') },
    })
  },
  'membership.once': (world) => {
    refused(world, 'teamMembershipCreate', { input: { teamId: eng, userId: userId(world, 'dev') } })
    call(world, 'teamDelete', { id: ops })
    refused(world, 'teamMembershipCreate', { input: { teamId: ops, userId: userId(world, 'dev') } })
  },
  'membership.permission': (world) => {
    const dev = userId(world, 'dev')
    refused(
      world,
      'teamMembershipCreate',
      { input: { teamId: ops, userId: userId(world, 'dev'), owner: true } },
      { as: world.tokens.lucia },
    )
    create(world, 'teamMembershipCreate', { teamId: ops, userId: dev }, world.tokens.dev)
    const memberships = world.data(
      '{ team(id: "OPS") { memberships { nodes { id user { displayName } } } } }',
    ).team.memberships.nodes
    const of = (name: string) =>
      memberships.find((row: { user: { displayName: string } }) => row.user.displayName === name).id
    refused(world, 'teamMembershipDelete', { id: of('lucia') }, { as: world.tokens.dev })
    refused(
      world,
      'teamMembershipUpdate',
      { id: of('dev'), input: { owner: true } },
      { as: world.tokens.dev },
    )
    call(world, 'teamMembershipDelete', { id: of('dev') }, { as: world.tokens.dev })
    call(world, 'teamMembershipDelete', { id: of('lucia') })
  },
  'team.private-hidden': (world) => {
    const own = create(world, 'teamCreate', { name: 'Secret', private: true }, world.tokens.dev)
    const id = create(world, 'issueCreate', { teamId: own, title: 'Hidden' }, world.tokens.dev)
    create(world, 'commentCreate', { issueId: id, body }, world.tokens.dev)
    const seen = (as: string | undefined) => {
      const { issues, teams, comments, searchIssues } = world.data(
        `{ issues(filter: { title: { eq: "Hidden" } }) { nodes { id } } teams(filter: { name: { eq: "Secret" } }) { nodes { id } }
          comments(filter: { issue: { title: { eq: "Hidden" } } }) { nodes { id } } searchIssues(term: "Hidden") { nodes { id } } }`,
        {},
        as,
      )
      return [issues, teams, comments, searchIssues].map(({ nodes }) => nodes.length)
    }
    assert.deepEqual(seen(world.tokens.dev), [1, 1, 1, 1])
    assert.deepEqual(seen(world.tokens.lucia), [0, 0, 0, 0])
    assert.equal(
      world.ask(`{ issue(id: "${id}") { id } }`, {}, world.tokens.lucia).body.errors[0].message,
      'Entity not found: Issue',
    )
    refused(world, 'issueUpdate', { id, input: { title: 'Seen' } }, { as: world.tokens.lucia })
    call(world, 'issueShare', { id, userId: userId(world, 'lucia') }, { as: world.tokens.dev })
    assert.equal(world.data(`{ issue(id: "${id}") { title } }`, {}, world.tokens.lucia).issue.title, 'Hidden')
  },
  'guest.own-teams': (world) => {
    call(world, 'userChangeRole', { id: userId(world, 'lucia'), role: 'guest' })
    const keys = world.data(
      '{ teams { nodes { key } } issues { nodes { team { key } } } }',
      {},
      world.tokens.lucia,
    )
    assert.deepEqual(keys.teams.nodes, [{ key: 'OPS' }])
    assert.deepEqual(
      [...new Set(keys.issues.nodes.map((node: { team: { key: string } }) => node.team.key))],
      ['OPS'],
    )
    refused(world, 'teamCreate', { input: { name: 'Guests' } }, { as: world.tokens.lucia })
  },
  'user.roles': (world) => {
    const lucia = userId(world, 'lucia')
    refused(world, 'userChangeRole', { id: lucia, role: 'admin' }, { as: world.tokens.dev })
    call(world, 'userChangeRole', { id: userId(world, 'dev'), role: 'admin' })
    refused(world, 'userChangeRole', { id: lucia, role: 'owner' }, { as: world.tokens.dev })
    refused(world, 'userChangeRole', { id: userId(world, 'mira'), role: 'user' }, { as: world.tokens.dev })
    call(world, 'userChangeRole', { id: lucia, role: 'admin' }, { as: world.tokens.dev })
  },
  'user.suspension': (world) => {
    const lucia = userId(world, 'lucia')
    refused(world, 'userSuspend', { id: lucia }, { as: world.tokens.dev })
    call(world, 'userSuspend', { id: lucia })
    assert.equal(world.ask('{ viewer { id } }', {}, world.tokens.lucia).status, 401)
    call(world, 'userUnsuspend', { id: lucia })
    assert.equal(world.ask('{ viewer { id } }', {}, world.tokens.lucia).status, 200)
  },
  'user.profile': (world) => {
    const [dev, lucia] = [userId(world, 'dev'), userId(world, 'lucia')]
    refused(world, 'userUpdate', { id: lucia, input: { title: 'Boss' } }, { as: world.tokens.dev })
    call(world, 'userUpdate', { id: dev, input: { title: 'Boss' } }, { as: world.tokens.dev })
    refused(world, 'userUpdate', { id: dev, input: { displayName: 'lucia' } })
  },
  'organization.admin': (world) => {
    refused(world, 'organizationUpdate', { input: { name: 'Mine' } }, { as: world.tokens.dev })
    call(world, 'organizationUpdate', { input: { name: 'Ours' } })
  },
  'favorite.unique': (world) => {
    const id = create(world, 'favoriteCreate', { issueId: 'ENG-1' })
    assert.equal(create(world, 'favoriteCreate', { issueId: 'ENG-1' }), id)
    assert.notEqual(create(world, 'favoriteCreate', { issueId: 'ENG-1' }, world.tokens.dev), id)
  },
  'favorite.one-target': (world) => {
    refused(world, 'favoriteCreate', { input: {} })
    refused(world, 'favoriteCreate', { input: { issueId: 'ENG-1', projectId: quiet } })
  },
  'favorite.idempotent-delete': (world) => {
    call(world, 'favoriteDelete', { id: '0b0c5ad5-3f3f-4a5e-9a47-0a2ad6f2b222' })
    const id = create(world, 'favoriteCreate', { issueId: 'ENG-1' })
    call(world, 'favoriteDelete', { id })
    call(world, 'favoriteDelete', { id })
  },
  'favorite.folders': (world) => {
    const leaf = create(world, 'favoriteCreate', { issueId: 'ENG-1' })
    refused(world, 'favoriteCreate', { input: { projectId: quiet, parentId: leaf } })
    const folder = create(world, 'favoriteCreate', { folderName: 'Pumps' })
    call(world, 'favoriteUpdate', { id: leaf, input: { parentId: folder } })
    refused(world, 'favoriteUpdate', { id: leaf, input: { folderName: 'x' } })
    refused(
      world,
      'favoriteUpdate',
      { id: folder, input: { folderName: 'Theirs' } },
      { as: world.tokens.dev },
    )
  },
  'subscription.one-target': (world) => {
    refused(world, 'notificationSubscriptionCreate', { input: {} })
    refused(world, 'notificationSubscriptionCreate', { input: { projectId: quiet, teamId: eng } })
    const id = create(world, 'notificationSubscriptionCreate', { projectId: quiet })
    refused(world, 'notificationSubscriptionDelete', { id }, { as: world.tokens.dev })
  },
  'view.personal': (world) => {
    const id = create(world, 'customViewCreate', { name: 'Mine', filterData: { priority: { eq: 1 } } })
    assert.equal(
      world.data('{ customViews { nodes { id } } }', {}, world.tokens.dev).customViews.nodes.length,
      0,
    )
    refused(world, 'customViewUpdate', { id, input: { name: 'Theirs' } }, { as: world.tokens.dev })
    call(world, 'customViewUpdate', {
      id,
      input: { shared: true, projectFilterData: { name: { contains: 'x' } } },
    })
    const view = world.data(
      `{ customView(id: "${id}") { modelName shared } }`,
      {},
      world.tokens.dev,
    ).customView
    assert.deepEqual(view, { modelName: 'Project', shared: true })
  },
  'view.preferences': (world) => {
    const input = { type: 'user', viewType: 'inbox', preferences: {} }
    const first = create(world, 'viewPreferencesCreate', input)
    const id = create(world, 'viewPreferencesCreate', input)
    assert.notEqual(first, id)
    refused(world, 'viewPreferencesUpdate', { id, input: { preferences: {} } }, { as: world.tokens.dev })
    call(world, 'viewPreferencesDelete', { id })
    call(world, 'viewPreferencesDelete', { id })
  },
  'webhook.scope': (world) => {
    const input = { url: 'https://example.com/hook', resourceTypes: ['Issue'] }
    refused(world, 'webhookCreate', { input })
    refused(world, 'webhookCreate', { input: { ...input, allPublicTeams: true, resourceTypes: [] } })
    refused(world, 'webhookCreate', { input: { ...input, allPublicTeams: true, url: 'nowhere' } })
    create(world, 'webhookCreate', { ...input, teamId: 'ENG' })
  },
  'emoji.unique': (world) => {
    const input = { name: 'pump', url: 'https://example.com/pump.png' }
    create(world, 'emojiCreate', input)
    refused(world, 'emojiCreate', { input })
  },
  'invite.role': (world) => {
    refused(
      world,
      'organizationInviteCreate',
      { input: { email: 'new@northwind.example', role: 'admin' } },
      { as: world.tokens.dev },
    )
    refused(world, 'organizationInviteCreate', { input: { email: 'dev@northwind.example' } })
    create(world, 'organizationInviteCreate', { email: 'new@northwind.example', role: 'admin' })
  },
  'state.types': (world) => {
    const input = { teamId: eng, name: 'Blocked', color: '#ff0000', type: 'started' }
    for (const type of ['triage', 'duplicate', 'anything'])
      refused(world, 'workflowStateCreate', { input: { ...input, type } })
    const id = create(world, 'workflowStateCreate', input)
    refused(world, 'workflowStateCreate', { input })
    refused(world, 'workflowStateUpdate', { id, input: { name: 'Todo' } })
  },
  'state.archive-unused': (world) => {
    const { state } = issue(world, 'ENG-1', 'state { id }')
    refused(world, 'workflowStateArchive', { id: state.id })
    const id = create(world, 'workflowStateCreate', {
      teamId: eng,
      name: 'Blocked',
      color: '#ff0000',
      type: 'started',
    })
    call(world, 'workflowStateArchive', { id })
  },
}
