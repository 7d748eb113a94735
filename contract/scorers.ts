import { z } from 'zod'

export const scorerKinds = ['llm-judge', 'code'] as const
export const scorerLanguages = ['python', 'typescript'] as const
export const scorerWeights = ['low', 'med', 'high'] as const

export const ScorerKind = z.enum(scorerKinds)
export const ScorerLanguage = z.enum(scorerLanguages)
export const ScorerWeight = z.enum(scorerWeights)
export type ScorerWeight = z.infer<typeof ScorerWeight>

export const ChoiceScore = z.object({ label: z.string(), score: z.number() })

/** The definition of a scorer, as sent to the library and as written inside a blueprint's task. */
export const ScorerDefinition = z.object({
  name: z.string().meta({ minLength: 1, maxLength: 200 }),
  slug: z.string().nullable().default(null),
  description: z.string().nullable().default(null),
  kind: ScorerKind.default('llm-judge'),
  prompt: z.string().nullable().default(null),
  choiceScores: z.array(ChoiceScore).default([]),
  useCot: z.boolean().default(false),
  allowSkip: z.boolean().default(false),
  model: z.string().nullable().default(null),
  code: z.string().nullable().default(null),
  language: ScorerLanguage.nullable().default(null),
  passThreshold: z.number().nullable().default(null),
})
export type ScorerDefinition = z.infer<typeof ScorerDefinition>
