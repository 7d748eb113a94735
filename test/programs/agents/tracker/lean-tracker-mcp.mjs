// A server with twenty tools that resolves names, writes documents and attaches links.
import { openServer } from '../mcp.mjs'
import { finish } from '../recorder.mjs'
import { ask, known, shows } from './tracker.mjs'

const world = await known()
const { tool, close } = await openServer('node', ['server.mjs'])
const projectId = world.project('Quiet pump')
await tool('list_teams', {}, shows(/ENG/, /OPS/))
await tool('list_projects', {}, shows(/Quiet pump/))
await tool('get_issue', { id: 'ENG-1' }, shows(/Pump leaks/))
await tool('get_issue', { id: 'ENG-1', comments: true, sub_issues: true }, shows(/new seal/))
await tool('list_issues', {}, shows(/Pump leaks/))
await tool('list_issues', { query: 'noisy' }, shows(/Motor/))
await tool('list_issues', { priority: 1, limit: 5 }, shows(/Pump leaks/))
await tool('get_status_map', { team: 'ENG' }, shows(/In Progress/))
await tool('create_issue', { teamId: world.eng, title: 'Hose burst', priority: 2 }, shows(/Hose burst|ENG-4/))
await tool(
  'create_issue',
  { teamId: world.eng, title: 'In project', projectId, state: world.state('Todo') },
  shows(/In project|ENG-5/),
)
await tool(
  'update_issue',
  { id: 'ENG-1', title: 'Pump leaks badly', priority: 3 },
  shows(/leaks badly|ENG-1/),
)
await tool('update_issue', { id: 'ENG-2', state: world.state('In Progress') }, shows(/In Progress|ENG-2/))
await tool('search_issues', { query: 'leaks badly' }, shows(/leaks badly/))
await tool(
  'create_comment',
  { issueId: 'ENG-1', body: 'From the lean one' },
  shows(/lean one|success|ENG-1|id/i),
)
await tool('list_comments', { issueId: 'ENG-1' }, shows(/lean one/))
const { issue } = await ask('{ issue(id: "ENG-1") { comments { nodes { id body } } } }')
await tool('get_comment', { id: issue.comments.nodes[0].id }, shows(/./))
await tool(
  'create_attachment',
  { issueId: 'ENG-1', url: 'https://docs.example/1', title: 'Manual' },
  shows(/Manual|id/),
)
await tool('list_attachments', { issueId: 'ENG-1' }, shows(/Manual/))
await tool('create_document', { title: 'Findings', content: '# One', projectId }, shows(/Findings|id/))
const { documents } = await ask('{ documents { nodes { id title } } }')
const id = documents.nodes.find(({ title }) => title === 'Findings')?.id ?? ''
await tool('list_documents', { projectId }, shows(/Findings/))
await tool('update_document', { id, title: 'Final findings' }, shows(/Final findings|id/))
await tool('delete_document', { id }, shows(/delet|success|true|id/i))
await tool(
  'create_project',
  { teamId: world.eng, name: 'Noise hunt', targetDate: '2026-06-01' },
  shows(/Noise hunt|id/),
)
await tool('update_project', { id: projectId, description: 'Quieter still' }, shows(/Quiet|id/))
await tool('archive_issue', { id: 'ENG-4' }, shows(/archiv|success|true|ENG-4/i))
await close()
finish()
