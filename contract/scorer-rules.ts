import type { ErrorDetail } from './errors.ts'
import type { ScorerDefinition } from './scorers.ts'

/** What the shape of a scorer cannot say: the fields that its kind needs, and scores from 0 to 1. */
export const checkScorer = (scorer: ScorerDefinition): ErrorDetail[] => {
  const faults: ErrorDetail[] = []
  const fault = (pointer: string, message: string) => faults.push({ pointer, message })
  if (scorer.kind === 'code' && !scorer.code) fault('/code', 'is needed for a scorer of kind code')
  if (scorer.kind === 'code' && scorer.language === null)
    fault('/language', 'is needed for a scorer of kind code')
  const threshold = scorer.passThreshold
  if (threshold !== null && (threshold < 0 || threshold > 1)) fault('/passThreshold', 'must be from 0 to 1')
  const labels = new Set<string>()
  scorer.choiceScores.forEach(({ label, score }, n) => {
    if (score < 0 || score > 1) fault(`/choiceScores/${n}/score`, 'must be from 0 to 1')
    if (labels.has(label)) fault(`/choiceScores/${n}/label`, 'repeats a label')
    labels.add(label)
  })
  return faults
}
