import type { TableView } from '@diorama/twin-kit/kernel/table'
import { type ClientPlace, type ClientSetting, integration } from '@diorama/twin-kit/kernel/twin'
import { actor, secretOf } from './actor.ts'

/** Where production clients look for the service, and the variables from which they take a credential. */
export const clients = ({ slug, token, views }: ClientPlace): ClientSetting => {
  const instance = `${slug}.my.salesforce.com`
  return {
    hosts: [
      instance,
      'login.salesforce.com',
      'test.salesforce.com',
      'api.salesforce.com',
      'api.pubsub.salesforce.com',
    ],
    baseUrl: `https://${instance}`,
    mcpUrl: 'https://api.salesforce.com/platform/mcp/v1/platform/sobject-all',
    variables: {
      SF_INSTANCE_URL: `https://${instance}`,
      SF_ACCESS_TOKEN: token,
      SALESFORCE_INSTANCE_URL: `https://${instance}`,
      SALESFORCE_ACCESS_TOKEN: token,
      ...(views && loginVariables(token, views())),
    },
  }
}

/** For clients that log in by name; the password is the secret part of the token. */
const loginVariables = (
  token: string,
  views: Readonly<Record<string, TableView>>,
): Record<string, string> => {
  const user = actor(integration, views)
  const username = String((user && views.User?.get(user.id)?.Username) ?? '')
  const password = secretOf(token)
  return {
    SF_USERNAME: username,
    SF_PASSWORD: password,
    SALESFORCE_USERNAME: username,
    SALESFORCE_PASSWORD: password,
  }
}
