// A server with seven tools that names what it means: teams, people and states by id, issues by id or identifier.
import { openServer } from '../mcp.mjs'
import { finish } from '../recorder.mjs'
import { idIn, known, shows } from './tracker.mjs'

const world = await known()
const { tool, toolRefused, close } = await openServer('node', ['server.mjs'])
await tool('list_teams', {}, shows(/Engineering/, /OPS/))
// Not `list_projects`: the program takes the connection of a project's teams for a list.
await tool('list_issues', {}, shows(/Pump leaks/))
await tool('list_issues', { teamId: world.ops }, shows(/sealing supplier/))
await tool('list_issues', { assigneeId: world.user('dev') }, shows(/Pump leaks/))
await tool('list_issues', { status: 'In Progress' }, shows(/Pump leaks/))
await tool('list_issues', { first: 2 }, shows(/title/))
await tool('search_issues', { query: 'noisy' }, shows(/Motor is too noisy/))
const made = await tool(
  'create_issue',
  { title: 'Bolt is loose', teamId: world.eng, priority: 1 },
  shows(/success/),
)
await tool('get_issue', { issueId: 'ENG-1' }, shows(/Pump leaks/))
await tool('get_issue', { issueId: world.issue('Motor').id }, shows(/noisy/))
await tool(
  'update_issue',
  { issueId: idIn(made), title: 'Bolt is tight' },
  shows(/Bolt is tight|ENG|success/i),
)
await tool('update_issue', { issueId: 'ENG-1', priority: 4 }, shows(/ENG|success|leaks/i))
await toolRefused('get_issue', { issueId: 'ENG-999' }, /not found|could not find/i)
await close()
finish()
