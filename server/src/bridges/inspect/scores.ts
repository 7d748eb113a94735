import type { TrialDetail } from '@diorama/contract'

/** The verdict of the trial as a whole, beside the scorers' own. */
const verdict = 'passed'
export const scorersOf = (trials: readonly TrialDetail[]): string[] => [
  verdict,
  ...new Set(trials.flatMap(({ scores }) => scores.map(({ name }) => name))),
]

export const scoreValue = (trial: TrialDetail, name: string): number | null => {
  if (name === verdict) return trial.passed === null ? null : Number(trial.passed)
  return trial.scores.find((score) => score.name === name)?.score ?? null
}

export const errorOf = (message: string) => ({ message, traceback: message, traceback_ansi: message })

/** Scorers that gave no score are left out, as the counts of unscored samples say. */
export const scoresOf = (trial: TrialDetail) =>
  Object.fromEntries(
    scorersOf([trial]).flatMap((name) => {
      const value = scoreValue(trial, name)
      const own = trial.scores.find((score) => score.name === name)
      return value === null
        ? []
        : [
            [
              name,
              {
                value,
                ...(trial.output === null ? {} : { answer: trial.output }),
                ...(own?.reason ? { explanation: own.reason } : {}),
                metadata: { passed: own ? own.passed : trial.passed },
              },
            ],
          ]
    }),
  )
