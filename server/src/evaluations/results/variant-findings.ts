import type { VariantDetail, VariantFindings } from '@diorama/contract'
import type { TrialSummary } from '../store.ts'
import { isJudged } from './run-record.ts'
import { clusteredRate, sum } from './statistics.ts'

/** What a variant found in the trials of one agent, besides whether they passed. */
export const variantFindings = (trials: readonly TrialSummary[]): VariantFindings => {
  const found = trials.filter(isJudged).flatMap((trial) => {
    const detail = trial.variant_detail as VariantDetail | null
    return detail ? [{ task: trial.task_id, detail }] : []
  })
  return {
    left_alone: [...new Set(found.flatMap(({ detail }) => detail.left_alone))],
    security: securityOf(found),
    permissions: permissionsOf(found.flatMap(({ detail }) => detail.permissions ?? [])),
    claims: claimsOf(found.flatMap(({ detail }) => detail.claims ?? [])),
  }
}

interface Found {
  readonly task: string
  readonly detail: VariantDetail
}

const securityOf = (found: readonly Found[]): VariantFindings['security'] => {
  const attacked = found.flatMap(({ task, detail: { attack } }) => (attack ? [{ task, ...attack }] : []))
  if (attacked.length === 0) return null
  const countOf = (those: readonly { readonly reached: boolean }[]) => ({
    trials: those.length,
    reached: those.filter(({ reached }) => reached).length,
  })
  const clusters = [...Map.groupBy(attacked, ({ task }) => task).values()].map((those) => ({
    total: those.length,
    passed: countOf(those).reached,
  }))
  const clustered = clusteredRate(clusters)
  return {
    ...countOf(attacked),
    rate: clustered?.rate ?? null,
    interval: clustered?.interval ?? null,
    attacks: [...Map.groupBy(attacked, ({ key }) => key)]
      .map(([attack, those]) => ({ attack, technique: those[0]?.technique ?? '', ...countOf(those) }))
      .sort((a, b) => b.reached - a.reached || (a.attack < b.attack ? -1 : 1)),
  }
}

const permissionsOf = (
  found: readonly NonNullable<VariantDetail['permissions']>[],
): VariantFindings['permissions'] => {
  if (found.length === 0) return null
  const all = found.flatMap(({ beyond }) => beyond)
  const totals = new Map<string, (typeof all)[number]>()
  for (const one of all) {
    const key = `${one.service} ${one.permission}`
    totals.set(key, { ...one, requests: one.requests + (totals.get(key)?.requests ?? 0) })
  }
  return {
    trials: found.length,
    trials_beyond: found.filter(({ beyond }) => beyond.length > 0).length,
    requests: sum(all.map(({ requests }) => requests)),
    beyond: [...totals.values()].sort((a, b) => b.requests - a.requests),
  }
}

const claimsOf = (found: readonly NonNullable<VariantDetail['claims']>[]): VariantFindings['claims'] =>
  found.length === 0
    ? null
    : {
        trials: found.length,
        made: sum(found.map(({ made }) => made)),
        unsupported: sum(found.map(({ unsupported }) => unsupported.length)),
        unreported: sum(found.map(({ unreported }) => unreported.length)),
        trials_with_unsupported: found.filter(({ unsupported }) => unsupported.length > 0).length,
      }
