import type { Score } from '@diorama/contract'

/** A flat object of numbers: the verdict as `reward`, and each score by the name of its scorer. */
export const rewardsOf = (passed: boolean, scores: readonly Score[]): Record<string, number> => {
  const rewards: Record<string, number> = { reward: passed ? 1 : 0 }
  for (const { name, score } of scores) {
    if (score === null) continue
    const plain = name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '_')
    let key = plain
    for (let n = 2; key in rewards; n += 1) key = `${plain}_${n}`
    rewards[key] = score
  }
  return rewards
}
