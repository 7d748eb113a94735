// A server with five tools, on a client of the vendor's that is years old. Its lists wait on
// themselves as soon as they find an issue (one queue, entered twice), and end in an invalid answer where there is none: not called.
import { openServer } from '../mcp.mjs'
import { finish } from '../recorder.mjs'
import { known, shows } from './tracker.mjs'

const world = await known()
const { tool, close } = await openServer('node', ['server.mjs'])
const leak = world.issue('Pump leaks')
await tool('linear_create_issue', { title: 'Valve sticks', teamId: world.eng, priority: 2 }, shows(/ENG-\d+/))
await tool(
  'linear_create_issue',
  { title: 'Described', teamId: world.ops, description: '**b**' },
  shows(/OPS-\d+/),
)
await tool('linear_update_issue', { id: leak.id, title: 'Pump leaks at 4 bar' }, shows(/ENG-1/))
await tool('linear_update_issue', { id: leak.id, priority: 3, description: 'Seen again' }, shows(/ENG-1/))
await tool('linear_update_issue', { id: world.issue('Motor').id, priority: 1 }, shows(/ENG-2/))
await tool('linear_add_comment', { issueId: leak.id, body: 'A comment over MCP' }, shows(/ENG-1|comment/i))
await close()
finish()
