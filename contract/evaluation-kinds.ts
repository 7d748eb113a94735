import { z } from 'zod'

export const evaluationModes = ['suite', 'compare', 'regression', 'replay'] as const
export const EvaluationMode = z.enum(evaluationModes)
export type EvaluationMode = z.infer<typeof EvaluationMode>
export const JobStatus = z.enum(['queued', 'running', 'succeeded', 'failed', 'cancelled'])
export type JobStatus = z.infer<typeof JobStatus>

/** Ways to run a suite beside the plain one. */
export const variants = ['faults', 'noise', 'attacks', 'permissions', 'claims', 'drift'] as const
export const Variant = z.enum(variants).meta({
  description:
    'faults: some calls fail as in production (rate limits, errors, slow, dropped or lost replies, stale reads), in the shape of each vendor. noise: other people do unrelated things. attacks: a text with a forbidden order is planted where the agent reads. permissions: permissions and access to records are withheld. claims: the agent is asked to report its changes, which are held against the ledger. drift: options are renamed and records moved. The same for every agent.',
})
export type Variant = z.infer<typeof Variant>

/** How a trial ended. */
export const TrialOutcome = z
  .enum(['passed', 'failed', 'crashed', 'timed_out', 'over_budget', 'errored'])
  .meta({
    description:
      'failed: scorers judged it so. crashed: the command failed. timed_out, over_budget: it was stopped. errored: no verdict, for no fault of the agent.',
  })
export type TrialOutcome = z.infer<typeof TrialOutcome>

/** Whose fault a failure is. Only the agent's own failures lower a pass rate; the others leave a result incomplete. */
export const failureCauses = ['agent', 'budget', 'scorer', 'model_provider', 'platform'] as const
export const FailureCause = z.enum(failureCauses).meta({
  description:
    'agent: what it did or left undone. budget: it spent what its model calls may cost, which fails the trial. scorer: the scorer fails on an untouched world too. model_provider: a judge, or the model that the agent calls, did not answer. platform: the service itself.',
})
export type FailureCause = z.infer<typeof FailureCause>

export const Usage = z
  .object({
    input_tokens: z.int(),
    output_tokens: z.int(),
    cost_usd: z.number().nullable(),
    model_calls: z.int(),
    cached_input_tokens: z
      .int()
      .default(0)
      .meta({ description: 'Of the input tokens, those that a provider read from its cache.' }),
    replayed_calls: z.int().default(0).meta({
      description: 'Calls that a cassette or a script answered. Their cost is by price list, and not paid.',
    }),
    latency_ms: z.number().default(0).meta({ description: 'Time that the calls took, together.' }),
  })
  .meta({ id: 'TrialUsage' })
export type Usage = z.infer<typeof Usage>

export const NotEmulated = z
  .object({
    service: z.string(),
    operation: z.string(),
    count: z.int().meta({ description: 'How often the agent asked for it.' }),
  })
  .meta({ id: 'NotEmulated' })
export type NotEmulated = z.infer<typeof NotEmulated>
