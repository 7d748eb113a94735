import type { agentSecretRoutes } from '@diorama/contract'
import { Answer, type Handlers } from '../../http/handler.ts'
import type { Secrets } from './secrets.ts'

export const secretHandlers = (secrets: Secrets): Handlers<typeof agentSecretRoutes> => ({
  listSecrets: async ({ caller, query }) => {
    const { items, nextCursor } = await secrets.list(caller.organizationId, query)
    return { items, next_cursor: nextCursor }
  },
  putSecret: ({ caller, params, body }) =>
    secrets.put(caller.organizationId, { ...body, name: params.name, createdBy: caller.keyId }),
  deleteSecret: async ({ caller, params }) => {
    await secrets.remove(caller.organizationId, params.name)
    return new Answer(204)
  },
})
