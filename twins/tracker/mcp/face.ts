import type { McpFace } from '@diorama/twin-kit/wires/mcp/tool'
import { authenticate } from '../actor.ts'
import type { TrackerTables } from '../tables.ts'
import { commentTools } from './comments.ts'
import { contentTools } from './documents.ts'
import { issueTools } from './issues.ts'
import { planningTools } from './projects.ts'
import { workspaceTools } from './workspace.ts'

/** The vendor's remote server. It takes names as well as ids, and refuses arguments that it does not know. */
export const face: McpFace<TrackerTables> = {
  serverInfo: { name: 'Linear MCP', version: '1.0.0' },
  hosts: ['mcp.linear.app'],
  endpoint: (path) => {
    if (path === '/mcp') return {}
    return path === '/mcp/readonly' ? { includes: ({ effect }) => effect === 'read' } : undefined
  },
  authenticate: (request, session) => authenticate(request, session) !== undefined,
  scopes: ['read', 'write'],
  tools: [...issueTools, ...commentTools, ...workspaceTools, ...planningTools, ...contentTools],
  notEmulated: [
    'list_agent_skills',
    'get_agent_skill',
    'extract_images',
    'search_documentation',
    'create_attachment',
    'list_release_pipelines',
    'list_releases',
    'get_release',
    'save_release',
    'list_release_notes',
    'get_release_note',
    'save_release_note',
    'get_diff',
    'list_diffs',
    'get_diff_threads',
    'save_diff_comment',
    'resolve_diff_thread',
    'delete_diff_comment',
    'submit_diff_review',
    'merge_diff',
    'list_initiatives',
    'get_initiative',
    'save_initiative',
    'list_initiative_labels',
    'create_initiative_label',
    'get_workspace',
    'list_templates',
    'get_template',
    'share_issue',
    'unshare_issue',
    'list_customers',
    'save_customer',
    'delete_customer',
    'save_customer_need',
    'delete_customer_need',
  ],
  refusal: ({ message }) => message,
}
