import type { ClientPlace, ClientSetting } from '@diorama/twin-kit/kernel/twin'

/** Where production clients look for the service, and the variables from which they take a credential. */
export const clients = ({ slug, token }: ClientPlace): ClientSetting => {
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
    },
  }
}
