import { z } from 'zod'
import { PageQuery, pageOf, Timestamp } from './pages.ts'
import { routes } from './route.ts'

export const SecretName = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/,
    'must have 1 to 100 letters, digits, dashes, underscores or dots',
  )

/** A secret of an organization. Its value can be replaced and used, and never read. */
export const AgentSecret = z
  .object({
    name: z.string(),
    description: z.string(),
    created_by: z.string(),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'AgentSecret' })
export type AgentSecret = z.infer<typeof AgentSecret>

const secretParams = z.object({ name: SecretName })

export const agentSecretRoutes = routes({
  listSecrets: {
    method: 'GET',
    path: '/v1/secrets',
    tag: 'Agents',
    summary: 'List the secrets that agents can be given, by name. Values are never shown.',
    scope: 'agents:read',
    query: PageQuery,
    reply: pageOf(AgentSecret),
    errors: ['invalid_cursor'],
  },
  putSecret: {
    method: 'PUT',
    path: '/v1/secrets/{name}',
    tag: 'Agents',
    summary: 'Create a secret or replace its value. An agent version names it in run.secrets.',
    scope: 'agents:write',
    params: secretParams,
    body: z
      .object({ value: z.string().min(1).max(20_000), description: z.string().max(10_000).default('') })
      .meta({ id: 'AgentSecretPut' }),
    reply: AgentSecret,
    errors: ['limit_exceeded'],
  },
  deleteSecret: {
    method: 'DELETE',
    path: '/v1/secrets/{name}',
    tag: 'Agents',
    summary: 'Delete a secret. Agents that name it can no longer be started.',
    scope: 'agents:write',
    params: secretParams,
    status: 204,
    errors: ['not_found'],
  },
})
