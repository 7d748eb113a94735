import type { modelProviderRoutes } from '@diorama/contract'
import { Answer, type Handlers } from '../../http/handler.ts'
import type { ModelProviders } from './providers.ts'

export const modelProviderHandlers = (providers: ModelProviders): Handlers<typeof modelProviderRoutes> => ({
  listModelProviders: async ({ caller }) => ({ items: await providers.list(caller.organizationId) }),
  readModelProvider: ({ caller, params }) => providers.read(caller.organizationId, params.name),
  putModelProvider: ({ caller, params, body }) =>
    providers.put({ organizationId: caller.organizationId, name: params.name, by: caller.keyId }, body),
  deleteModelProvider: async ({ caller, params }) => {
    await providers.remove(caller.organizationId, params.name)
    return new Answer(204)
  },
})
