import { z } from 'zod'
import { PageQuery, pageOf, Timestamp } from './pages.ts'
import { routes } from './route.ts'

const ToolCall = z.object({ id: z.string(), name: z.string(), input: z.unknown() })

export const ModelCallMessage = z
  .object({
    role: z.enum(['system', 'user', 'assistant', 'tool']),
    text: z.string(),
    tool_calls: z.array(ToolCall).optional(),
    tool_call_id: z.string().optional(),
  })
  .meta({ id: 'ModelCallMessage' })
export type ModelCallMessage = z.infer<typeof ModelCallMessage>

const callFields = {
  id: z.string(),
  trial_id: z.string().nullable(),
  job_id: z.string().nullable(),
  attempt: z.int(),
  source: z.enum(['agent', 'judge', 'draft', 'chat', 'coworker']).meta({ description: 'Who asked.' }),
  provider: z.string(),
  model: z.string().nullable(),
  operation: z
    .string()
    .meta({ description: 'Such as chat.completions, responses, messages, generateContent.' }),
  served: z
    .enum(['live', 'cassette', 'script', 'none'])
    .meta({ description: 'What answered. none: a refusal.' }),
  streamed: z.boolean(),
  status: z.int().meta({ description: 'The HTTP status of the reply.' }),
  outcome: z.enum(['succeeded', 'provider_error', 'refused', 'missing', 'aborted']).meta({
    description:
      'provider_error: not reached, slow, broken off, 429 or 5xx. refused: not allowed, over budget, or another 4xx. missing: not on the cassette. aborted: the caller went away.',
  }),
  error: z.string().nullable(),
  input_tokens: z.int(),
  output_tokens: z.int(),
  cached_input_tokens: z.int().meta({ description: "Of the input tokens, those from the provider's cache." }),
  cost_usd: z
    .number()
    .nullable()
    .meta({ description: 'By price list; also of calls that a cassette answered.' }),
  latency_ms: z.number(),
  first_byte_ms: z.number().nullable(),
  request_sha256: z.string().meta({ description: 'Of the canonical request, by which cassettes know it.' }),
  started_at: Timestamp,
}

export const ModelCall = z.object(callFields).meta({ id: 'ModelCall' })
export type ModelCall = z.infer<typeof ModelCall>

export const ModelCallDetail = z
  .object({
    ...callFields,
    messages: z.array(ModelCallMessage),
    reply: z.object({
      text: z.string(),
      tool_calls: z.array(ToolCall),
      finish: z.string().nullable(),
    }),
    request: z.string().meta({ description: 'The body as it was sent, cut at 1 MiB.' }),
    response: z.string().meta({ description: 'The body as it came, cut at 1 MiB.' }),
  })
  .meta({ id: 'ModelCallDetail' })
export type ModelCallDetail = z.infer<typeof ModelCallDetail>

const Sum = z.object({
  calls: z.int(),
  served_live: z.int().meta({ description: 'Calls that a provider answered, and that were paid.' }),
  missing: z.int().meta({
    description:
      'Requests that the cassette did not hold, or no rule of the script answered. Each ended its trial.',
  }),
  input_tokens: z.int(),
  output_tokens: z.int(),
  cached_input_tokens: z.int(),
  cost_usd: z.number().nullable(),
  latency_ms: z.number(),
})

export const ModelUsage = z
  .object({
    total: Sum,
    groups: z.array(
      Sum.extend({
        agent: z.string().nullable(),
        source: callFields.source,
        provider: z.string(),
        model: z.string().nullable(),
      }),
    ),
  })
  .meta({ id: 'ModelUsage' })
export type ModelUsage = z.infer<typeof ModelUsage>

const jobParams = z.object({ jobId: z.string() })

export const modelCallRoutes = routes({
  listModelCalls: {
    method: 'GET',
    path: '/v1/backtests/jobs/{jobId}/trials/{trialId}/model-calls',
    tag: 'Models',
    summary: "A trial's calls of models in their order, those of voided attempts and of judges included.",
    scope: 'evals:read',
    params: jobParams.extend({ trialId: z.string() }),
    query: PageQuery,
    reply: pageOf(ModelCall),
    errors: ['not_found', 'invalid_cursor'],
  },
  readModelCall: {
    method: 'GET',
    path: '/v1/model-calls/{callId}',
    tag: 'Models',
    summary: 'One call with its prompt and its reply.',
    scope: 'evals:read',
    params: z.object({ callId: z.string() }),
    reply: ModelCallDetail,
    errors: ['not_found'],
  },
  readModelUsage: {
    method: 'GET',
    path: '/v1/backtests/jobs/{jobId}/model-usage',
    tag: 'Models',
    summary: 'Tokens, cost and latency of an evaluation by agent, by who asked and by model.',
    scope: 'evals:read',
    params: jobParams,
    reply: ModelUsage,
    errors: ['not_found'],
  },
})
