import { type McpFace, mcpTool, onlyEndpoint } from '@diorama/twin-kit/wires/mcp/tool'
import { z } from 'zod'
import { authenticate } from '../actor.ts'
import type { NotesTables } from '../tables.ts'

/** The pad for agents that come by the Model Context Protocol. Each tool calls an operation. */
export const face: McpFace<NotesTables> = {
  serverInfo: { name: 'notes', version: '1.0.0' },
  hosts: ['mcp.notes.example'],
  endpoint: onlyEndpoint,
  authenticate,
  tools: [
    mcpTool({
      name: 'list_notes',
      description: 'Every note on the pad.',
      effect: 'read',
      input: z.strictObject({}),
      run: ({ session }) => session.call('list', {}),
    }),
    mcpTool({
      name: 'write_note',
      description: 'Writes a new note.',
      effect: 'write',
      input: z.strictObject({ text: z.string().describe('What to write down') }),
      run: ({ session }, { text }) => session.call('write', { text }),
    }),
  ],
  notEmulated: ['share_note'],
  refusal: ({ code }) => code,
}
