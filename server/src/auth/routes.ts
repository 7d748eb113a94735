import type { organizationRoutes } from '@diorama/contract'
import { Answer, type Caller, type Handlers } from '../http/handler.ts'
import type { Authenticator } from './authenticate.ts'
import type { Organizations } from './organizations.ts'
import type { AuthStore } from './store.ts'
import type { Usage } from './usage.ts'

export interface AuthRouteParts {
  readonly organizations: Organizations
  readonly authenticator: Authenticator
  readonly store: AuthStore
  readonly usage: (organizationId: string, isOperator: boolean) => Promise<Usage>
}

export const authHandlers = ({
  organizations,
  authenticator,
  store,
  usage,
}: AuthRouteParts): Handlers<typeof organizationRoutes> => ({
  readMe: async ({ caller }) => ({
    organization: {
      id: caller.organizationId,
      name: caller.organizationName,
      limits: caller.limits,
      created_at: caller.organizationCreatedAt,
    },
    key: keyOf(caller),
    usage: await usage(caller.organizationId, caller.keyClass === 'operator'),
  }),
  listApiKeys: async ({ caller, query }) => {
    const { items, nextCursor } = await store.listKeys(caller.organizationId, query)
    return { items: [...items], next_cursor: nextCursor }
  },
  createApiKey: ({ caller, body }) => organizations.createKey(caller, body),
  readApiKey: ({ caller, params }) => organizations.readKey(caller, params.keyId),
  revokeApiKey: async ({ caller, params }) => {
    await organizations.revokeKey(caller, params.keyId)
    authenticator.forgetAll()
    return new Answer(204)
  },
  listOrganizations: async ({ query }) => {
    const { items, nextCursor } = await store.listOrganizations(query)
    return { items: [...items], next_cursor: nextCursor }
  },
  createOrganization: ({ body }) => organizations.createOrganization({ ...body, keyClass: 'platform' }),
  readOrganization: ({ params }) => organizations.readOrganization(params.organizationId),
  updateOrganization: async ({ params, body }) => {
    const changed = await organizations.updateOrganization(params.organizationId, body)
    authenticator.forgetAll()
    return changed
  },
})

const keyOf = (caller: Caller) => ({
  id: caller.keyId,
  name: caller.keyName,
  class: caller.keyClass,
  scopes: [...caller.scopes],
  expires_at: caller.keyExpiresAt?.toISOString() ?? null,
})
