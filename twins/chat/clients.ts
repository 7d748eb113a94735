import type { ClientPlace, ClientSetting, Principal } from '@diorama/twin-kit/kernel/twin'
import { webhookSecret } from './actor.ts'
import { credentialsOf } from './apps/credentials.ts'
import type { ChatViews } from './tables.ts'

/** Where production clients look for the service, and the variables from which they take a credential. */
export const clients = ({ slug, token, principals = [], views }: ClientPlace): ClientSetting => ({
  hosts: [
    'slack.com',
    'www.slack.com',
    'api.slack.com',
    'files.slack.com',
    'hooks.slack.com',
    'wss-primary.slack.com',
    'wss-backup.slack.com',
    'mcp.slack.com',
    `${slug}.slack.com`,
  ],
  baseUrl: 'https://slack.com',
  mcpUrl: 'https://mcp.slack.com/mcp',
  variables: {
    SLACK_BOT_TOKEN: token,
    SLACK_TOKEN: token,
    SLACK_API_TOKEN: token,
    ...(views && appVariables(principals, views() as unknown as ChatViews)),
  },
})

/** What an app is given besides its bot's token: the token of the person who installed it, and its own secrets. */
const appVariables = (principals: readonly Principal[], views: ChatViews): Record<string, string> => {
  const [bot] = views.bot.all()
  const [team] = views.team.all()
  const owner = [...views.user.find('all', 'all')].find((user) => user.is_primary_owner)
  // The client id and secret are not among them: programs take those as an order to install themselves by OAuth.
  const { app_token, signing_secret } = credentialsOf(bot?.app_id ?? '', principals)
  return {
    SLACK_APP_TOKEN: app_token,
    SLACK_SIGNING_SECRET: signing_secret,
    SLACK_USER_TOKEN: principals.find(({ subject }) => subject === owner?.subject)?.token ?? '',
    SLACK_WEBHOOK_URL: `https://hooks.slack.com/services/${team?.id}/${bot?.id}/${webhookSecret(principals)}`,
  }
}
