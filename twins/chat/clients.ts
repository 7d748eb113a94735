import type { ClientPlace, ClientSetting } from '@diorama/twin-kit/kernel/twin'

/** Where production clients look for the service, and the variables from which they take a credential. */
export const clients = ({ slug, token }: ClientPlace): ClientSetting => ({
  hosts: [
    'slack.com',
    'www.slack.com',
    'api.slack.com',
    'files.slack.com',
    'hooks.slack.com',
    'mcp.slack.com',
    `${slug}.slack.com`,
  ],
  baseUrl: 'https://slack.com',
  mcpUrl: 'https://mcp.slack.com/mcp',
  variables: { SLACK_BOT_TOKEN: token, SLACK_TOKEN: token, SLACK_API_TOKEN: token },
})
