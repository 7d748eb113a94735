import { z } from 'zod'

export const modelModes = ['live', 'record', 'replay', 'auto', 'scripted'] as const
export const ModelMode = z.enum(modelModes).meta({
  description:
    'live: providers answer. record: providers answer, and a new version of the cassette keeps it. replay: the cassette answers, and a request that it does not hold fails the trial. auto: the cassette answers where it can, providers answer the rest, and a new version keeps both. scripted: the rules of `script` answer.',
})
export type ModelMode = z.infer<typeof ModelMode>

const pattern = z.string().min(1).max(2_000)

/** A reply that a rule gives. */
const ScriptReply = z.object({
  text: z.string().max(100_000).optional().meta({
    description: '{{1}}, {{2}} … are replaced by what the wildcards of `last_message` matched.',
  }),
  tool_calls: z
    .array(
      z.object({ name: z.string().min(1).max(200), input: z.record(z.string(), z.unknown()).default({}) }),
    )
    .max(50)
    .optional(),
  usage: z
    .object({ input_tokens: z.int().min(0), output_tokens: z.int().min(0) })
    .optional()
    .meta({ description: 'Left out, a quarter of the characters.' }),
  status: z.int().min(400).max(599).optional().meta({ description: "An error of the provider's instead." }),
})

export const ScriptRule = z.object({
  when: z
    .object({
      last_message: pattern.optional().meta({
        description: 'In the last message, whatever its role; * matches any text, case does not count.',
      }),
      any_message: pattern.optional().meta({ description: 'In any message.' }),
      role: z
        .enum(['system', 'user', 'assistant', 'tool'])
        .optional()
        .meta({ description: 'Of the last message.' }),
      model: pattern.optional(),
      tool: z.string().max(200).optional().meta({ description: 'A tool of this name is offered.' }),
      turn: z.int().min(0).optional().meta({ description: 'How often the model has spoken before.' }),
    })
    .default({}),
  reply: ScriptReply,
})
export type ScriptRule = z.infer<typeof ScriptRule>

export const ModelScript = z
  .object({ rules: z.array(ScriptRule).min(1).max(500) })
  .meta({ id: 'ModelScript', description: 'The first rule that fits a request answers it.' })
export type ModelScript = z.infer<typeof ModelScript>

/** `name`, or `name@version`. */
export const CassetteReference = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9._-]{0,99}(@\d{1,9})?$/,
    'must be a name of lower-case letters, digits, dashes and dots, or name@version',
  )

/** How the model calls of an evaluation are answered, and how much each trial may spend on them. */
export const RunModels = z
  .object({
    mode: ModelMode.default('live'),
    cassette: CassetteReference.nullable().default(null).meta({
      description:
        'For record, replay and auto. Replay and auto take the newest version unless one is named.',
    }),
    script: ModelScript.nullable().default(null).meta({ description: 'For scripted.' }),
    max_cost_usd: z.number().positive().max(1_000_000).nullable().default(null).meta({
      description: "What the agent's calls of one trial may cost, by the prices of the providers.",
    }),
    max_tokens: z.int().min(1).max(1_000_000_000).nullable().default(null).meta({
      description: "Input and output tokens of the agent's calls of one trial.",
    }),
  })
  .meta({
    id: 'RunModels',
    description:
      'How model calls are answered, and the budget of each trial. Null for live without a budget.',
  })
export type RunModels = z.infer<typeof RunModels>

/** The same as an evaluation shows it. */
export const JobModels = z
  .object({
    mode: ModelMode,
    cassette: z.string().nullable().meta({ description: 'With the version that answers, where one does.' }),
    max_cost_usd: z.number().nullable(),
    max_tokens: z.int().nullable(),
  })
  .nullable()
  .default(null)
  .meta({ description: 'How its model calls are answered; null for live without a budget.' })
