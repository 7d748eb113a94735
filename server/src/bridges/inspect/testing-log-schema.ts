import { z } from 'zod'

/** The Inspect log, version 2, as its published types have it: a field that is not in them is a mistake of ours. */
const free = z.record(z.string(), z.unknown())
const moment = z.iso.datetime({ offset: true })

const ToolCall = z.strictObject({
  id: z.string(),
  function: z.string(),
  arguments: free,
  type: z.literal('function'),
})
const base = { id: z.string().optional(), content: z.string(), metadata: free.optional() }
const Message = z.discriminatedUnion('role', [
  z.strictObject({ ...base, role: z.literal('system') }),
  z.strictObject({ ...base, role: z.literal('user'), source: z.enum(['input', 'generate']).optional() }),
  z.strictObject({
    ...base,
    role: z.literal('assistant'),
    source: z.enum(['input', 'generate']).optional(),
    tool_calls: z.array(ToolCall).min(1).optional(),
    model: z.string().optional(),
  }),
  z.strictObject({
    ...base,
    role: z.literal('tool'),
    tool_call_id: z.string().optional(),
    function: z.string().optional(),
    error: z.strictObject({ type: z.string(), message: z.string() }).optional(),
  }),
])

const Usage = z.strictObject({
  input_tokens: z.int(),
  output_tokens: z.int(),
  total_tokens: z.int(),
  input_tokens_cache_read: z.int().optional(),
  input_tokens_cache_write: z.int().optional(),
  reasoning_tokens: z.int().optional(),
  total_cost: z.number().optional(),
})
const stopReasons = ['stop', 'max_tokens', 'model_length', 'tool_calls', 'content_filter', 'unknown'] as const
const Output = z.strictObject({
  model: z.string(),
  choices: z.array(z.strictObject({ message: Message, stop_reason: z.enum(stopReasons) })),
  completion: z.string(),
  usage: Usage.optional(),
  time: z.number().optional(),
  error: z.string().optional(),
})
const Score = z.strictObject({
  value: z.union([z.string(), z.number(), z.boolean(), z.array(z.unknown()), free]),
  answer: z.string().optional(),
  explanation: z.string().optional(),
  metadata: free.optional(),
})
const LogError = z.strictObject({ message: z.string(), traceback: z.string(), traceback_ansi: z.string() })

const timed = { timestamp: moment, working_start: z.number().min(0), metadata: free.optional() }
const Event = z.discriminatedUnion('event', [
  z.strictObject({
    ...timed,
    event: z.literal('model'),
    model: z.string(),
    input: z.array(Message),
    tools: z.array(z.unknown()),
    tool_choice: z.enum(['auto', 'any', 'none']),
    config: free,
    output: Output,
    error: z.string().optional(),
    working_time: z.number(),
  }),
  z.strictObject({
    ...timed,
    ...ToolCall.shape,
    event: z.literal('tool'),
    result: z.string(),
    events: z.array(z.unknown()),
    working_time: z.number(),
  }),
  z.strictObject({ ...timed, event: z.literal('info'), source: z.string(), data: z.unknown() }),
  z.strictObject({
    ...timed,
    event: z.literal('score'),
    scorer: z.string(),
    score: Score,
    target: z.string(),
    intermediate: z.boolean(),
  }),
])

export const EvalSample = z
  .strictObject({
    id: z.union([z.string(), z.int()]),
    epoch: z.int().min(1),
    uuid: z.string(),
    input: z.string(),
    target: z.string(),
    messages: z.array(Message),
    output: Output,
    scores: z.record(z.string(), Score),
    metadata: free,
    store: free,
    events: z.array(Event),
    model_usage: z.record(z.string(), Usage),
    started_at: moment.optional(),
    completed_at: moment.optional(),
    total_time: z.number().optional(),
    error: LogError.optional(),
    attachments: z.record(z.string(), z.string()),
  })
  .refine(({ attachments, ...sample }) => {
    const named = [...JSON.stringify(sample).matchAll(/attachment:\/\/([0-9a-f]+)/g)].map(([, id = '']) => id)
    return named.every((id) => id in attachments)
  }, 'refers to attachments that it does not have')

const Metric = z.strictObject({ name: z.string(), value: z.number(), params: free })

const header = {
  version: z.literal(2),
  status: z.enum(['started', 'success', 'cancelled', 'error']),
  eval: z.strictObject({
    created: moment,
    eval_id: z.string(),
    run_id: z.string(),
    task: z.string(),
    task_id: z.string(),
    task_version: z.union([z.string(), z.int()]),
    dataset: z.strictObject({
      name: z.string(),
      samples: z.int(),
      sample_ids: z.array(z.union([z.string(), z.int()])),
      shuffled: z.boolean(),
    }),
    model: z.string(),
    config: z.strictObject({ epochs: z.int() }),
    metadata: free,
  }),
  plan: z.strictObject({
    name: z.string(),
    steps: z.array(z.strictObject({ solver: z.string(), params: free })),
    config: free,
  }),
  results: z.strictObject({
    total_samples: z.int(),
    completed_samples: z.int(),
    scores: z.array(
      z.strictObject({
        name: z.string(),
        scorer: z.string(),
        params: free,
        scored_samples: z.int(),
        unscored_samples: z.int(),
        metrics: z.record(z.string(), Metric),
      }),
    ),
  }),
  stats: z.strictObject({ started_at: moment, completed_at: moment.or(z.literal('')), model_usage: free }),
  error: LogError.optional(),
}

/** `header.json` of the packed form. */
export const EvalHeader = z.strictObject(header)
export const EvalLog = z.strictObject({ ...header, samples: z.array(EvalSample) })
