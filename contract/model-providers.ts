import { z } from 'zod'
import { Timestamp } from './pages.ts'
import { routes } from './route.ts'

/** The protocols of model endpoints. One that speaks several operations of a wire needs one provider. */
export const modelWires = ['openai', 'anthropic', 'gemini'] as const
export const ModelWire = z.enum(modelWires).meta({
  description:
    'openai: chat completions and responses. anthropic: messages. gemini: generateContent and streamGenerateContent.',
})
export type ModelWire = z.infer<typeof ModelWire>

export const ModelPrice = z
  .object({
    input: z.number().min(0),
    output: z.number().min(0),
    cached_input: z.number().min(0).optional().meta({
      description: "Of input tokens that the provider read from its cache; `input` if it isn't set.",
    }),
  })
  .meta({ id: 'ModelPrice', description: 'US dollars for a million tokens.' })
export type ModelPrice = z.infer<typeof ModelPrice>

export const ProviderName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,59}$/, 'must have 1 to 60 lower-case letters, digits, dashes or dots')

const hostName = z
  .string()
  .max(253)
  .regex(
    /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/,
    'must be a lower-case host name',
  )

const providerFields = {
  wire: ModelWire,
  base_url: z.string().max(2_000).nullable().meta({
    description: "Where requests are sent, such as https://models.example/v1. Null for the wire's own host.",
  }),
  hosts: z.array(hostName).max(10).meta({
    description: 'Host names, beside that of the base URL, at which agents in a trial find this provider.',
  }),
  agents: z.boolean().meta({ description: 'Whether agents in trials may call it with its key.' }),
  models: z
    .array(z.string().min(1).max(200))
    .max(200)
    .nullable()
    .meta({ description: 'The model ids that may be called, with * as a wildcard. Null for all.' }),
  prices: z
    .record(z.string().min(1).max(200), ModelPrice)
    .meta({ description: 'By model id. Prices of the deployment count where one is missing here.' }),
}

export const ModelProvider = z
  .object({
    name: z.string(),
    ...providerFields,
    has_key: z.boolean().meta({ description: 'Whether a key is stored. Keys are never shown.' }),
    source: z.enum(['organization', 'environment']).meta({
      description: 'environment: a default of the deployment, replaced by a provider of the same name.',
    }),
    usable: z.boolean().meta({ description: 'Whether it has a key, or an endpoint that needs none.' }),
    created_at: Timestamp.nullable(),
    updated_at: Timestamp.nullable(),
  })
  .meta({ id: 'ModelProvider' })
export type ModelProvider = z.infer<typeof ModelProvider>

export const ModelProviderPut = z
  .object({
    wire: providerFields.wire.default('openai'),
    base_url: providerFields.base_url.default(null),
    hosts: providerFields.hosts.default([]),
    agents: providerFields.agents.default(true),
    models: providerFields.models.default(null),
    prices: providerFields.prices.default({}),
    api_key: z
      .string()
      .min(1)
      .max(20_000)
      .regex(/^[\x21-\x7e]+$/, 'must have printable ASCII characters and no spaces')
      .nullable()
      .optional()
      .meta({
        description:
          'Left out, the stored key stays; null removes it. It must be sent again when the wire or the base URL changes.',
      }),
  })
  .meta({ id: 'ModelProviderPut' })
export type ModelProviderPut = z.infer<typeof ModelProviderPut>

export const ModelProviderTestResult = z
  .object({
    ok: z.boolean(),
    status: z
      .int()
      .nullable()
      .meta({ description: 'The HTTP status. Null where the provider was not asked.' }),
    reply: z.string().nullable(),
    error: z.string().nullable().meta({ description: 'Why there is no reply.' }),
    latency_ms: z.number(),
  })
  .meta({ id: 'ModelProviderTestResult' })
export type ModelProviderTestResult = z.infer<typeof ModelProviderTestResult>

const providerParams = z.object({ name: ProviderName })

export const modelProviderRoutes = routes({
  listModelProviders: {
    method: 'GET',
    path: '/v1/model-providers',
    tag: 'Models',
    summary: 'List the providers of models that this organization can use, by name. Keys are never shown.',
    scope: 'models:read',
    reply: z.object({ items: z.array(ModelProvider) }).meta({ id: 'ModelProviderList' }),
  },
  readModelProvider: {
    method: 'GET',
    path: '/v1/model-providers/{name}',
    tag: 'Models',
    summary: 'Read one provider.',
    scope: 'models:read',
    params: providerParams,
    reply: ModelProvider,
    errors: ['not_found'],
  },
  putModelProvider: {
    method: 'PUT',
    path: '/v1/model-providers/{name}',
    tag: 'Models',
    summary: 'Create a provider, or replace its settings.',
    scope: 'models:write',
    params: providerParams,
    body: ModelProviderPut,
    reply: ModelProvider,
    errors: ['invalid_reference', 'limit_exceeded'],
  },
  testModelProvider: {
    method: 'POST',
    path: '/v1/model-providers/{name}/test',
    tag: 'Models',
    summary: 'Ask a model of the provider one short question, with the stored key.',
    scope: 'models:write',
    params: providerParams,
    body: z.object({ model: z.string().min(1).max(200) }).meta({ id: 'ModelProviderTest' }),
    reply: ModelProviderTestResult,
    errors: ['not_found'],
  },
  deleteModelProvider: {
    method: 'DELETE',
    path: '/v1/model-providers/{name}',
    tag: 'Models',
    summary: 'Delete a provider and its key. A default of the deployment with the same name counts again.',
    scope: 'models:write',
    params: providerParams,
    status: 204,
    errors: ['not_found'],
  },
})
