import type { ClientPlace, ClientSetting } from '@diorama/twin-kit/kernel/twin'
import { integrationUser } from './seed.ts'

/** Where production clients look for the service, and the variables from which they take a credential. */
export const clients = ({ slug, token }: ClientPlace): ClientSetting => {
  const host = `${slug}.s4hana.cloud.sap`
  return {
    hosts: [host, `${slug}.s4hana.ondemand.com`, 'sandbox.api.sap.com'],
    baseUrl: `https://${host}`,
    mcpUrl: `https://${host}/mcp`,
    // Bridges for language models log on with a user and a password; the password is the token.
    variables: {
      SAP_BASE_URL: `https://${host}`,
      SAP_TOKEN: token,
      SAP_USERNAME: integrationUser,
      SAP_PASSWORD: token,
      SAP_CLIENT: '100',
      ODATA_USERNAME: integrationUser,
      ODATA_PASSWORD: token,
    },
  }
}
