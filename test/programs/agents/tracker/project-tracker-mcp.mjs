// The tools that two servers of one family share; `more` are those of the newer one.
import { openServer } from '../mcp.mjs'
import { finish } from '../recorder.mjs'
import { ask, idIn, known, shows } from './tracker.mjs'

const latest = async (id) =>
  (await ask('query ($id: String!) { issue(id: $id) { comments { nodes { id body } } } }', { id })).issue
const world = await known()
const { tool, toolRefused, close, names } = await openServer('node', ['server.mjs'], {
  LINEAR_ACCESS_TOKEN: process.env.LINEAR_API_KEY,
})
// Four of their documents do not fit the service's schema, or its limits, and are refused there as they are here.
const isNewer = names.includes('linear_edit_issue')
const leak = world.issue('Pump leaks')
const noise = world.issue('Motor')
const body = { description: 'As seen', teamId: world.eng }
await tool('linear_get_teams', {}, shows(/Engineering/, /Operations/))
await tool('linear_get_user', {}, shows(/@northwind|northwind\.example/))
await tool('linear_create_issue', { title: 'Gauge is wrong', ...body, priority: 1 }, shows(/Gauge is wrong/))
await tool(
  'linear_create_issue',
  { title: 'For Dev', ...body, assigneeId: world.user('dev') },
  shows(/For Dev/),
)
const issues = ['One', 'Two', 'Three'].map((title) => ({ title, ...body }))
if (isNewer) await tool('linear_create_issues', { issues }, shows(/3|Three/))
else
  await toolRefused('linear_create_issues', { issues }, /used in position expecting type "IssueCreateInput!"/)
await toolRefused(
  'linear_search_issues',
  { query: 'Gauge', first: 5 },
  /"search" is not defined by type "IssueFilter"/,
)
await tool('linear_search_issues', { teamIds: [world.ops] }, shows(/sealing supplier/))
await tool('linear_search_issues', { assigneeIds: [world.user('mira')] }, shows(/CAD model/))
await tool('linear_search_issues', { states: ['In Progress'] }, shows(/Pump leaks/))
await tool('linear_search_issues', { priority: 1 }, shows(/Gauge is wrong|Pump leaks/))
await tool('linear_search_issues', { first: 2, orderBy: 'updatedAt' }, shows(/ENG-/))
const identifiers = ['ENG-1', 'ENG-2']
if (isNewer) await toolRefused('linear_search_issues_by_identifier', { identifiers }, /Query too complex/)
else await tool('linear_search_issues_by_identifier', { identifiers }, shows(/Pump leaks/, /noisy/))
await tool(
  'linear_bulk_update_issues',
  { issueIds: [leak.id, noise.id], update: { priority: 4 } },
  shows(/2|success/i),
)
await tool('linear_list_projects', {}, shows(/Quiet pump/, /Solar pump/))
await tool('linear_get_project', { id: world.project('Quiet pump') }, shows(/Quiet pump/))
await tool(
  'linear_create_project_with_issues',
  { project: { name: 'Retrofit', teamIds: [world.eng] }, issues: [{ title: 'Plan it', ...body }] },
  shows(/Retrofit/),
)
const comment = idIn(
  await tool(
    'linear_create_comment',
    { issueId: leak.id, body: 'First words' },
    shows(/First words|success/i),
  ),
)
const { comments } = await latest(leak.id)
const own = comments.nodes.find((one) => one.body === 'First words')?.id ?? comment
await tool(
  'linear_update_comment',
  { id: own, input: { body: 'Better words' } },
  shows(/Better words|success/i),
)
await tool('linear_resolve_comment', { id: own }, shows(/success/))
await tool('linear_unresolve_comment', { id: own }, shows(/success/))
await toolRefused('linear_delete_comment', { id: own }, /Cannot query field "id" on type "DeletePayload"/)
if (isNewer) {
  const fields = { title: 'Leak, severe', stateId: world.state('Todo'), dueDate: '2026-04-01' }
  await tool('linear_edit_issue', { issueId: leak.id, ...fields }, shows(/Leak, severe/))
  await tool('linear_edit_issue', { issueId: noise.id, parentId: leak.id }, shows(/noisy/))
  await toolRefused('linear_get_issue', { identifier: 'ENG-1' }, /Query too complex/)
  const projectId = world.project('Quiet pump')
  const stone = await tool('linear_create_project_milestone', { projectId, name: 'Beta' }, shows(/Beta/))
  const { projectMilestones } = await ask('{ projectMilestones { nodes { id name } } }')
  const id = projectMilestones.nodes.find(({ name }) => name === 'Beta')?.id ?? idIn(stone)
  await tool('linear_get_project_milestones', { projectId }, shows(/Beta/))
  await tool('linear_update_project_milestone', { id, name: 'Gamma' }, shows(/Gamma/))
  await tool('linear_delete_project_milestone', { id }, shows(/delet|success/i))
}
if (!isNewer) await toolRefused('linear_delete_issues', { ids: [leak.id] }, /Unknown argument "ids"/)
const { issues: found } = await ask(
  '{ issues(filter: { title: { eq: "Gauge is wrong" } }) { nodes { id } } }',
)
const [{ id }] = found.nodes
if (isNewer) await tool('linear_delete_issue', { id }, shows(/delet|success/i))
else await toolRefused('linear_delete_issue', { id }, /Unknown argument "ids"/)
await close()
finish()
