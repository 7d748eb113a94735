import { z } from 'zod'

/** The error codes of the protocol. */
export type OpenEnvCode =
  | 'INVALID_JSON'
  | 'UNKNOWN_TYPE'
  | 'VALIDATION_ERROR'
  | 'EXECUTION_ERROR'
  | 'CAPACITY_REACHED'
  | 'FACTORY_ERROR'
  | 'SESSION_ERROR'

/** A refusal in the words of the protocol. */
export class OpenEnvError extends Error {
  override readonly name = 'OpenEnvError'
  readonly code: OpenEnvCode
  constructor(code: OpenEnvCode, message: string) {
    super(message)
    this.code = code
  }
}

export const ResetData = z.strictObject({
  task: z.string().min(1).max(200).optional().meta({
    description: 'The id or key of a task of the suite. Without it, the tasks come in turn.',
  }),
  seed: z
    .int()
    .min(0)
    .nullish()
    .meta({ description: 'Chooses the task of that number, modulo their count.' }),
  episode_id: z.string().max(255).nullish().meta({ description: 'A name of the client for the episode.' }),
})
export type ResetData = z.infer<typeof ResetData>

const metadata = z.record(z.string(), z.unknown()).optional()
export const Action = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('list_tools'), metadata }),
  z.strictObject({
    type: z.literal('call_tool'),
    tool_name: z.string(),
    arguments: z.record(z.string(), z.unknown()).default({}),
    metadata,
  }),
])
export type Action = z.infer<typeof Action>

export const Rpc = z.object({
  jsonrpc: z.literal('2.0'),
  method: z.string(),
  params: z.record(z.string(), z.unknown()).default({}),
  id: z.union([z.string(), z.number()]).nullish(),
})
export type Rpc = z.infer<typeof Rpc>

export const Observation = z.object({
  instruction: z.string().optional(),
  tools: z
    .array(z.object({ name: z.string(), description: z.string(), input_schema: z.unknown() }))
    .optional(),
  tool_name: z.string().optional(),
  result: z.unknown().optional(),
  error: z.object({ error_type: z.string(), message: z.string() }).nullish(),
  metadata: z.record(z.string(), z.unknown()),
})

export const State = z.object({
  session_id: z.string(),
  episode_id: z.string().nullable(),
  step_count: z.int(),
  task_id: z.string().nullable(),
  task_key: z.string().nullable(),
  done: z.boolean(),
  reward: z.number().nullable(),
})
export type State = z.infer<typeof State>

/** Parses a part of a message; what does not fit is named by its field. */
export const parsed = <S extends z.ZodType>(schema: S, value: unknown, at: string): z.output<S> => {
  const { data, error } = schema.safeParse(value)
  if (data !== undefined) return data
  const issue = error?.issues[0]
  const path = [at, ...(issue?.path ?? [])].join('/')
  const unknown = issue?.code === 'unrecognized_keys' ? ` (${issue.keys.join(', ')})` : ''
  throw new OpenEnvError('VALIDATION_ERROR', `/${path}: ${issue?.message ?? 'does not fit'}${unknown}`)
}
