// What every major of the vendor's client is used for: typed calls with lazy relations, pages and errors.
import { call, finish, refused } from '../recorder.mjs'
import { known } from './tracker.mjs'

// Set by the file of each major.
const { LinearClient } = globalThis.client
const world = await known()
const client = new LinearClient({ apiKey: process.env.LINEAR_API_KEY })
const text = (value) => JSON.stringify(value)
await call(
  'viewer',
  () => client.viewer,
  ({ email }) => email.includes('northwind'),
)
await call(
  'organization',
  () => client.organization,
  ({ name }) => name === 'Northwind Supply',
)
await call(
  'teams',
  () => client.teams(),
  ({ nodes }) => nodes.length === 2,
)
const team = await call(
  'team',
  () => client.team(world.eng),
  ({ key }) => key === 'ENG',
)
await call(
  'team.states',
  () => team.states(),
  ({ nodes }) => nodes.some(({ name }) => name === 'In Progress'),
)
await call(
  'team.members',
  () => team.members(),
  ({ nodes }) => nodes.length >= 2,
)
await call(
  'team.labels',
  () => team.labels(),
  ({ nodes }) => nodes.some(({ name }) => name === 'Hardware'),
)
await call(
  'users',
  () => client.users(),
  ({ nodes }) => nodes.length >= 3,
)
const issue = await call(
  'issue',
  () => client.issue('ENG-1'),
  ({ title }) => title === 'Pump leaks at 3 bar',
)
await call(
  'issue.assignee',
  () => issue.assignee,
  ({ displayName }) => displayName === 'dev',
)
await call(
  'issue.state',
  () => issue.state,
  ({ type }) => type === 'started',
)
await call(
  'issue.comments',
  () => issue.comments(),
  ({ nodes }) => nodes.length === 2,
)
await call(
  'issue.labels',
  () => issue.labels(),
  ({ nodes }) => nodes.length === 2,
)
await call(
  'issue.project',
  () => issue.project,
  ({ name }) => name === 'Quiet pump',
)
const first = await call(
  'issues page',
  () => client.issues({ first: 2 }),
  ({ nodes }) => nodes.length === 2,
)
const ids = first.nodes.map(({ id }) => id)
await call(
  'issues next page',
  () => client.issues({ first: 2, after: first.pageInfo.endCursor }),
  ({ nodes }) => nodes.length === 2 && nodes.every(({ id }) => !ids.includes(id)),
)
const filter = { priority: { lte: 2, gte: 1 }, assignee: { null: false } }
await call(
  'issues filtered',
  () => client.issues({ filter }),
  ({ nodes }) => nodes.length === 2,
)
const input = {
  teamId: world.eng,
  title: 'Made by a client',
  priority: 2,
  labelIds: [world.label('Hardware')],
}
const made = await call(
  'createIssue',
  () => client.createIssue(input),
  ({ success }) => success,
)
const fresh = await call(
  'payload.issue',
  () => made.issue,
  ({ identifier }) => /^ENG-\d+$/.test(identifier),
)
const stateId = world.state('In Progress')
await call(
  'updateIssue',
  () => client.updateIssue(fresh.id, { stateId }),
  ({ success }) => success,
)
await call(
  'issue again',
  () => client.issue(fresh.id),
  ({ startedAt }) => startedAt !== undefined,
)
const said = await call('createComment', () => client.createComment({ issueId: fresh.id, body: 'Hello' }))
const comment = await call(
  'payload.comment',
  () => said.comment,
  ({ body }) => body === 'Hello',
)
await call(
  'updateComment',
  () => client.updateComment(comment.id, { body: 'Hello again' }),
  ({ success }) => success,
)
await call(
  'deleteComment',
  () => client.deleteComment(comment.id),
  ({ success }) => success,
)
const link = { issueId: fresh.id, title: 'Manual', url: 'https://docs.example/manual' }
await call(
  'createAttachment',
  () => client.createAttachment(link),
  ({ success }) => success,
)
await call(
  'attachments',
  () => fresh.attachments(),
  ({ nodes }) => nodes.length === 1,
)
await call(
  'projects',
  () => client.projects(),
  ({ nodes }) => nodes.length === 2,
)
await call(
  'createProject',
  () => client.createProject({ name: 'Small parts', teamIds: [world.eng] }),
  ({ success }) => success,
)
const relation = { issueId: fresh.id, relatedIssueId: issue.id, type: 'blocks' }
await call(
  'createIssueRelation',
  () => client.createIssueRelation(relation),
  ({ success }) => success,
)
await call(
  'relations',
  () => fresh.relations(),
  ({ nodes }) => nodes.length === 1,
)
await call(
  'createIssueLabel',
  () => client.createIssueLabel({ name: 'Urgent fix', teamId: world.eng }),
  ({ success }) => success,
)
await refused('issue unknown', () => client.issue('ENG-999'), /Entity not found/)
await refused(
  'createIssue without a team',
  () => client.createIssue({ title: 'x', teamId: 'ENG' }),
  /Argument Validation Error/,
)
await refused('createComment on nothing', () => client.createComment({ body: 'x' }), /./)
await call(
  'archiveIssue',
  () => client.archiveIssue(fresh.id),
  ({ success }) => success,
)
await call(
  'issues archived',
  () => client.issues({ includeArchived: true }),
  (found) => text(found.nodes).includes(fresh.id),
)
await call(
  'deleteIssue',
  () => client.deleteIssue(world.issue('Order brass').id),
  ({ success }) => success,
)
finish()
