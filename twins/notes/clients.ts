import type { ClientPlace, ClientSetting } from '@diorama/twin-kit/kernel/twin'

/** How a client of the pad is configured to reach the twin. */
export const clients = ({ token }: ClientPlace): ClientSetting => ({
  hosts: ['notes.example', 'mcp.notes.example'],
  baseUrl: 'http://notes.example',
  mcpUrl: 'http://mcp.notes.example/mcp',
  variables: { NOTES_TOKEN: token },
})
