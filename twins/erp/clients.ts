import type { ClientPlace, ClientSetting } from '../kernel/twin.ts'

/** Where production clients look for the service, and the variables from which they take a credential. */
export const clients = ({ slug, token }: ClientPlace): ClientSetting => {
  const host = `${slug}.s4hana.cloud.sap`
  return {
    hosts: [host, `${slug}.s4hana.ondemand.com`, 'sandbox.api.sap.com'],
    baseUrl: `https://${host}`,
    variables: { SAP_BASE_URL: `https://${host}`, SAP_TOKEN: token },
  }
}
