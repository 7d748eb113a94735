import { z } from 'zod'
import { InputTimestamp, PageQuery, pageOf, Timestamp } from './pages.ts'
import { routes } from './route.ts'
import { KeyClass, Scope } from './scopes.ts'

const count = (maximum: number) => z.int().min(0).max(maximum)

const RequestsPerMinute = z
  .int()
  .min(1)
  .max(1_000_000_000)
  .nullable()
  .meta({ description: 'Requests a minute that one node takes; null for no limit.' })

const HostName = z
  .string()
  .max(253)
  .regex(/^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/, 'must be a lower-case host name')

/** What an organization may use at once. */
export const Limits = z
  .object({
    live_twins: count(1_000_000),
    concurrent_trials: count(10_000),
    trials_per_run: count(200),
    sandbox: z.boolean(),
    event_retention_days: z
      .int()
      .min(1)
      .max(36_500)
      .nullable()
      .meta({ description: 'How long events and traces are kept; null for as long as the deployment says.' }),
    ledger_retention_days: z.int().min(1).max(36_500).nullable().meta({
      description:
        'How long twins that have ended are kept with their ledgers, and worlds that nothing refers to; null to keep them.',
    }),
    requests_per_minute: RequestsPerMinute,
    body_bytes_in_flight: count(1_099_511_627_776).meta({
      description: 'Bytes of request bodies that one node holds for the organization at once.',
    }),
    open_episodes: count(100_000).meta({
      description: 'Episodes that one node holds open for the organization at once, one for each socket.',
    }),
    episode_idle_seconds: z
      .int()
      .min(1)
      .max(3_600)
      .meta({ description: 'After how long without a message an episode is closed.' }),
    agent_hosts: z.array(HostName).max(100).meta({
      description:
        'Public hosts that agents in trials may reach by HTTPS, beside their world and those of the deployment.',
    }),
  })
  .meta({ id: 'Limits' })
export type Limits = z.infer<typeof Limits>

export const LimitsChange = Limits.partial()
export type LimitsChange = z.infer<typeof LimitsChange>

export const defaultLimits: Limits = {
  live_twins: 20_000,
  concurrent_trials: 256,
  trials_per_run: 200,
  sandbox: true,
  event_retention_days: null,
  ledger_retention_days: null,
  requests_per_minute: null,
  body_bytes_in_flight: 268_435_456,
  open_episodes: 256,
  episode_idle_seconds: 900,
  agent_hosts: [],
}

export const Organization = z
  .object({ id: z.string(), name: z.string(), limits: Limits, created_at: Timestamp })
  .meta({ id: 'Organization' })
export type Organization = z.infer<typeof Organization>

const name = z.string().min(1).max(120)

export const ApiKey = z
  .object({
    id: z.string(),
    name: z.string(),
    scopes: z.array(Scope),
    class: KeyClass,
    created_at: Timestamp,
    expires_at: Timestamp.nullable(),
    revoked_at: Timestamp.nullable(),
    last_used_at: Timestamp.nullable(),
    requests_per_minute: RequestsPerMinute,
  })
  .meta({ id: 'ApiKey' })
export type ApiKey = z.infer<typeof ApiKey>

export const ApiKeyCreate = z
  .object({
    name,
    scopes: z.array(Scope).max(50).default([]),
    class: z.enum(['standard', 'platform']).default('standard'),
    expires_at: InputTimestamp.nullable().default(null),
    requests_per_minute: RequestsPerMinute.default(null),
  })
  .meta({ id: 'ApiKeyCreate' })
export type ApiKeyCreate = z.infer<typeof ApiKeyCreate>

export const ApiKeyCreated = ApiKey.pick({
  id: true,
  name: true,
  scopes: true,
  class: true,
  expires_at: true,
})
  .extend({ secret: z.string() })
  .meta({ id: 'ApiKeyCreated', description: 'The secret is shown only once.' })
export type ApiKeyCreated = z.infer<typeof ApiKeyCreated>

export const Me = z
  .object({
    organization: Organization,
    key: ApiKey.pick({ id: true, name: true, class: true, scopes: true, expires_at: true }),
    usage: z.object({
      live_twins: z.int(),
      running_trials: z.int(),
      database_bytes: z
        .number()
        .nullable()
        .meta({ description: 'The size of the whole database; null but for operators.' }),
    }),
  })
  .meta({ id: 'Me' })
export type Me = z.infer<typeof Me>

const keyParams = z.object({ keyId: z.string() })
const organizationParams = z.object({ organizationId: z.string() })

export const organizationRoutes = routes({
  readMe: {
    method: 'GET',
    path: '/v1/me',
    tag: 'Account',
    summary: "The key's organization, class and scopes; limits and what is in use.",
    scope: 'any',
    reply: Me,
  },
  listApiKeys: {
    method: 'GET',
    path: '/v1/api-keys',
    tag: 'Account',
    summary: 'List the keys of the organization, newest first.',
    scope: 'keys:write',
    query: PageQuery,
    reply: pageOf(ApiKey),
    errors: ['invalid_cursor'],
  },
  createApiKey: {
    method: 'POST',
    path: '/v1/api-keys',
    tag: 'Account',
    summary: 'Create a key. Its secret is in this reply alone.',
    scope: 'keys:write',
    body: ApiKeyCreate,
    status: 201,
    reply: ApiKeyCreated,
    creates: true,
    secret: true,
  },
  readApiKey: {
    method: 'GET',
    path: '/v1/api-keys/{keyId}',
    tag: 'Account',
    summary: 'Read one key.',
    scope: 'keys:write',
    params: keyParams,
    reply: ApiKey,
    errors: ['not_found'],
  },
  revokeApiKey: {
    method: 'DELETE',
    path: '/v1/api-keys/{keyId}',
    tag: 'Account',
    summary: 'Revoke a key. It stops working at once.',
    scope: 'keys:write',
    params: keyParams,
    status: 204,
    errors: ['not_found', 'conflict'],
  },
  listOrganizations: {
    method: 'GET',
    path: '/v1/organizations',
    tag: 'Operator',
    summary: 'List organizations, newest first.',
    scope: 'operator',
    query: PageQuery,
    reply: pageOf(Organization),
    errors: ['invalid_cursor'],
  },
  createOrganization: {
    method: 'POST',
    path: '/v1/organizations',
    tag: 'Operator',
    summary: 'Create an organization, with its first platform key.',
    scope: 'operator',
    body: z.object({ name, limits: LimitsChange.default({}) }).meta({ id: 'OrganizationCreate' }),
    status: 201,
    reply: z.object({ organization: Organization, key: ApiKeyCreated }).meta({ id: 'OrganizationCreated' }),
    creates: true,
    secret: true,
  },
  readOrganization: {
    method: 'GET',
    path: '/v1/organizations/{organizationId}',
    tag: 'Operator',
    summary: 'Read one organization.',
    scope: 'operator',
    params: organizationParams,
    reply: Organization,
    errors: ['not_found'],
  },
  updateOrganization: {
    method: 'PATCH',
    path: '/v1/organizations/{organizationId}',
    tag: 'Operator',
    summary: 'Change the name or the limits of an organization; fields left out stay as they are.',
    scope: 'operator',
    params: organizationParams,
    body: z
      .object({ name: name.optional(), limits: LimitsChange.optional() })
      .meta({ id: 'OrganizationUpdate' }),
    reply: Organization,
    errors: ['not_found'],
  },
})
