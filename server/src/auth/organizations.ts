import type { ApiKeyCreated } from '@diorama/contract'
import {
  type ApiKey,
  type ApiKeyCreate,
  defaultLimits,
  type KeyClass,
  Limits,
  type LimitsChange,
  type Organization,
  scopes,
} from '@diorama/contract'
import { ApiError, notFound } from '../http/api-error.ts'
import type { Caller } from '../http/handler.ts'
import type { Wake } from '../storage/wake.ts'
import { keysChanged } from './authenticate.ts'
import { hashSecret, makeSecret } from './secrets.ts'
import type { AuthStore, NewKey } from './store.ts'

export interface OrganizationParts {
  readonly store: AuthStore
  readonly wake: Wake
  readonly now: () => number
  readonly random: (bytes: number) => Uint8Array
  readonly makeId: (prefix: string) => string
}

export interface Organizations {
  readonly createOrganization: (spec: {
    name: string
    limits: LimitsChange
    keyClass: KeyClass
    secret?: string | undefined
  }) => Promise<{ organization: Organization; key: ApiKeyCreated }>
  readonly readOrganization: (id: string) => Promise<Organization>
  readonly updateOrganization: (
    id: string,
    change: { name?: string | undefined; limits?: LimitsChange | undefined },
  ) => Promise<Organization>
  readonly createKey: (caller: Caller, apiKeyCreate: ApiKeyCreate) => Promise<ApiKeyCreated>
  readonly readKey: (caller: Caller, id: string) => Promise<ApiKey>
  readonly revokeKey: (caller: Caller, id: string) => Promise<void>
}

/** The rules of organizations and their keys. */
export const openOrganizations = ({ store, wake, now, random, makeId }: OrganizationParts): Organizations => {
  const newKey = (
    organizationId: string,
    spec: Pick<NewKey, 'name' | 'scopes' | 'class' | 'expiresAt' | 'requestsPerMinute'>,
    secret = makeSecret(random),
  ): { key: NewKey; secret: string } => ({
    secret,
    key: {
      id: makeId('key'),
      organizationId,
      ...spec,
      secretHash: hashSecret(secret),
      createdAt: new Date(now()),
    },
  })

  const shown = ({ key, secret }: { key: NewKey; secret: string }) => ({
    id: key.id,
    name: key.name,
    scopes: [...key.scopes],
    class: key.class,
    expires_at: key.expiresAt?.toISOString() ?? null,
    secret,
  })

  const create = async (spec: {
    name: string
    limits: LimitsChange
    keyClass: KeyClass
    secret?: string | undefined
  }) => {
    const organization: Organization = {
      id: makeId('org'),
      name: spec.name,
      limits: Limits.parse({ ...defaultLimits, ...spec.limits }),
      created_at: new Date(now()).toISOString(),
    }
    const made = newKey(
      organization.id,
      { name: 'first key', scopes, class: spec.keyClass, expiresAt: null, requestsPerMinute: null },
      spec.secret,
    )
    await store.insertOrganization(
      { ...organization, createdAt: new Date(organization.created_at) },
      made.key,
    )
    return { organization, key: shown(made) }
  }

  return {
    createOrganization: create,

    readOrganization: async (id: string) => {
      const organization = await store.findOrganization(id)
      if (!organization) throw notFound('organization')
      return organization
    },

    updateOrganization: async (
      id: string,
      change: { name?: string | undefined; limits?: LimitsChange | undefined },
    ) => {
      const there = await store.findOrganization(id)
      if (!there) throw notFound('organization')
      const limits = change.limits && Limits.parse({ ...there.limits, ...change.limits })
      const changed = await store.updateOrganization(id, { name: change.name, limits })
      if (!changed) throw notFound('organization')
      await wake.send(keysChanged)
      return changed
    },

    createKey: async (
      caller: Caller,
      { name, scopes: wanted, class: keyClass, expires_at, requests_per_minute }: ApiKeyCreate,
    ) => {
      const mayHave = caller.keyClass !== 'standard'
      if (!mayHave && (keyClass !== 'standard' || wanted.some((scope) => !caller.scopes.has(scope))))
        throw new ApiError('forbidden', 'A key cannot make another that may do more than itself.')
      const expiresAt = expires_at === null ? null : new Date(expires_at)
      if (expiresAt && expiresAt.getTime() <= now())
        throw new ApiError('malformed', '/expires_at lies in the past.', {
          details: [{ pointer: '/expires_at', message: 'lies in the past' }],
        })
      const given = keyClass === 'standard' ? [...new Set(wanted)] : [...scopes]
      const made = newKey(caller.organizationId, {
        name,
        scopes: given,
        class: keyClass,
        expiresAt,
        requestsPerMinute: requests_per_minute,
      })
      await store.insertKey(made.key)
      return shown(made)
    },

    readKey: async (caller: Caller, id: string) => {
      const key = await store.findKey(caller.organizationId, id)
      if (!key) throw notFound('API key')
      return key
    },

    revokeKey: async (caller: Caller, id: string) => {
      const key = await store.findKey(caller.organizationId, id)
      if (!key) throw notFound('API key')
      if (key.id === caller.keyId)
        throw new ApiError('conflict', 'A key cannot revoke itself; use another key of the organization.')
      await store.revokeKey(caller.organizationId, id, new Date(now()))
      await wake.send(keysChanged)
    },
  }
}
