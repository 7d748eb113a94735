import type { ClientPlace, ClientSetting } from '@diorama/twin-kit/kernel/twin'

/** Where production clients look for the service, and the variables from which they take a credential. */
export const clients = ({ token }: ClientPlace): ClientSetting => ({
  hosts: ['api.linear.app', 'uploads.linear.app', 'linear.app'],
  baseUrl: 'https://api.linear.app',
  variables: { LINEAR_API_KEY: token, LINEAR_API_TOKEN: token },
})
