import type { ClientPlace, ClientSetting, Principal } from '@diorama/twin-kit/kernel/twin'
import { clientIdOf, secretOf } from './oauth/installed.ts'

/** Where production clients look for the service, and the variables from which they take a credential. */
export const clients = ({ slug, token, principals = [] }: ClientPlace): ClientSetting => ({
  hosts: ['api.linear.app', 'uploads.linear.app', 'mcp.linear.app', 'linear.app'],
  baseUrl: 'https://api.linear.app',
  mcpUrl: 'https://mcp.linear.app/mcp',
  variables: { LINEAR_API_KEY: token, LINEAR_API_TOKEN: token, ...applicationVariables(slug, principals) },
})

/** What an agent that is an application of the workspace reads; with several of them, those of the first. */
const applicationVariables = (slug: string, principals: readonly Principal[]): Record<string, string> => {
  const own = principals.find(({ subject }) => subject.startsWith('app:'))
  if (!own) return {}
  const clientId = clientIdOf(slug, own.subject.slice('app:'.length))
  return {
    LINEAR_ACCESS_TOKEN: own.token,
    LINEAR_OAUTH_TOKEN: own.token,
    LINEAR_CLIENT_ID: clientId,
    LINEAR_CLIENT_SECRET: secretOf(principals, 'client', { clientId, version: 0 }),
    LINEAR_WEBHOOK_SECRET: secretOf(principals, 'webhook', { clientId, version: 0 }),
  }
}
