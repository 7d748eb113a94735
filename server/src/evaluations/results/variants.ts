import type { Variant, VariantResult } from '@diorama/contract'
import { clustersOf, compared, type TaskPair } from './compare.ts'
import { costPerPass } from './cost.ts'
import type { RunRecord } from './run-record.ts'
import { clusteredRate } from './statistics.ts'
import { variantFindings } from './variant-findings.ts'

/** Each agent in each variant beside its own plain trials, paired by task. */
export const variantResults = (run: RunRecord): VariantResult[] =>
  (run.job.variants as Variant[]).flatMap((variant) =>
    run.job.agents.map((agent) => variantResult(run, agent, variant)),
  )

const variantResult = (run: RunRecord, agent: string, variant: Variant): VariantResult => {
  const of = (wanted: string | null) =>
    clustersOf({ ...run, trials: run.trials.filter((trial) => trial.variant === wanted) }, agent)
  const costOf = (wanted: string | null) =>
    costPerPass(run.trials.filter((trial) => trial.agent === agent && trial.variant === wanted))
  const [plain, varied] = [of(null), of(variant)]
  const pairs = run.tasks.flatMap((task): TaskPair[] => {
    const [baseline, its] = [plain.get(task.id), varied.get(task.id)]
    return baseline && its ? [{ task, baseline, agent: its }] : []
  })
  const names = { baseline: 'the plain run', agent: `${agent} with ${variant}` }
  const rate = (clusters: TaskPair['agent'][]) => clusteredRate(clusters)?.rate ?? null
  return {
    variant,
    agent,
    plain_pass_rate: rate(pairs.map(({ baseline }) => baseline)),
    pass_rate: rate(pairs.map((pair) => pair.agent)),
    comparison: {
      baseline: agent,
      agent,
      ...compared(pairs, names),
      cost_per_pass_usd: { baseline: costOf(null), agent: costOf(variant) },
    },
    ...variantFindings(run.trials.filter((trial) => trial.agent === agent && trial.variant === variant)),
  }
}
