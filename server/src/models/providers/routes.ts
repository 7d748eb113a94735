import type { modelProviderRoutes } from '@diorama/contract'
import { Answer, type Handlers } from '../../http/handler.ts'
import type { ModelProviders } from './providers.ts'
import type { TryProvider } from './try-provider.ts'

export const modelProviderHandlers = (
  providers: ModelProviders,
  test: TryProvider,
): Handlers<typeof modelProviderRoutes> => ({
  listModelProviders: async ({ caller }) => ({ items: await providers.list(caller.organizationId) }),
  readModelProvider: ({ caller, params }) => providers.read(caller.organizationId, params.name),
  putModelProvider: ({ caller, params, body }) =>
    providers.put({ organizationId: caller.organizationId, name: params.name, by: caller.keyId }, body),
  testModelProvider: ({ caller, params, body, signal }) =>
    test(caller.organizationId, { name: params.name, model: body.model }, signal),
  deleteModelProvider: async ({ caller, params }) => {
    await providers.remove(caller.organizationId, params.name)
    return new Answer(204)
  },
})
