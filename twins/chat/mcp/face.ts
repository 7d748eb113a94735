import { type McpFace, onlyEndpoint } from '@diorama/twin-kit/wires/mcp/tool'
import { authenticate } from '../actor.ts'
import type { ChatTables } from '../tables.ts'
import { readTools } from './reading.ts'
import { searchTools } from './searching.ts'
import { writeTools } from './writing.ts'

/** The vendor's remote server, with its own names and arguments. The twin's token acts as it does in the native API. */
export const face: McpFace<ChatTables> = {
  serverInfo: { name: 'Slack MCP', version: '1.0.0' },
  hosts: ['mcp.slack.com'],
  endpoint: onlyEndpoint,
  authenticate: (request, session) => {
    const bearer = /^Bearer\s+(\S+)\s*$/i.exec(request.headers.authorization ?? '')?.[1]
    return bearer !== undefined && authenticate(session, bearer) === undefined
  },
  scopes: ['search:read.public', 'search:read.private', 'channels:history', 'chat:write', 'canvases:read'],
  tools: [...searchTools, ...readTools, ...writeTools],
  notEmulated: [
    'slack_send_message_draft',
    'slack_read_list',
    'slack_create_list',
    'slack_update_list',
    'slack_add_list_record',
    'slack_update_list_record',
  ],
  refusal: ({ code }) => code,
}
