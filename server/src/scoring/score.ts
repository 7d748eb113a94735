import type { FrozenTask, Score, ScorerDefinition } from '@diorama/contract'
import type { Verifier } from '@diorama/sandbox/verifier/scorer'

export type BoundDefinition = FrozenTask['scorers'][number]

/** What a scorer is given: the agent's text, and the world as the agent left it. */
export interface Gradable {
  readonly input: string
  readonly output: string
  readonly expected: unknown
  readonly metadata: Readonly<Record<string, unknown>>
  /** The bytes of the file that tells it (`world-file.ts`). */
  readonly world: Uint8Array | undefined
}

export interface Verdict {
  readonly score: number | null
  readonly reason: string | null
  readonly error: string | null
  readonly durationMs: number
  readonly printed?: string
}

/** Grades a text by a model; the part of the service that knows models. */
export type Judge = (scorer: ScorerDefinition, gradable: Gradable, signal?: AbortSignal) => Promise<Verdict>

export interface ScoringParts {
  readonly verifier: () => Promise<Verifier>
  readonly judge: Judge
}

/** Runs scorers apart from the agent. A scorer that fails gives a null score and says why. */
export const openScoring = ({ verifier, judge }: ScoringParts) => {
  const run = async (
    definition: ScorerDefinition,
    gradable: Gradable,
    signal?: AbortSignal,
  ): Promise<Verdict> => {
    if (definition.kind === 'llm-judge') return judge(definition, gradable, signal)
    const { code, language } = definition
    if (code === null || language === null)
      return { score: null, reason: null, error: 'The scorer has no code.', durationMs: 0 }
    const { input, output, expected, metadata, world } = gradable
    const { runScorer } = await verifier()
    const verdict = await runScorer(
      { language, code, input, output, expected, metadata, ...(world ? { world } : {}) },
      signal,
    )
    return {
      score: verdict.score,
      reason: verdict.reason ?? null,
      error: verdict.error,
      durationMs: verdict.durationMs,
      printed: verdict.printed,
    }
  }

  return {
    run,
    /** The score of one bound scorer, held against its threshold: the binding's own, else the scorer's. */
    grade: async (bound: BoundDefinition, gradable: Gradable, signal?: AbortSignal): Promise<Score> => {
      const { score, reason, error, durationMs } = await run(bound.definition, gradable, signal)
      const threshold = bound.pass_threshold ?? bound.definition.passThreshold
      return {
        name: bound.definition.name,
        scorer_id: bound.scorer_id,
        score,
        threshold,
        passed: threshold === null ? null : score !== null && score >= threshold,
        weight: bound.weight,
        reason,
        error,
        duration_ms: durationMs,
      }
    },
  }
}
export type Scoring = ReturnType<typeof openScoring>

/** A trial passes when every scorer that has a threshold met it; one without any such scorer decides nothing. */
export const passes = (scores: readonly Score[]): boolean | null => {
  const deciding = scores.filter(({ passed }) => passed !== null)
  return deciding.length === 0 ? null : deciding.every(({ passed }) => passed)
}

/** What scorers hold an answer against: the expected outcome, or the events held back. */
export const expectedOf = (task: FrozenTask): unknown => {
  const cutoff = task.events.findIndex(({ id }) => id === task.cutoff_event_id)
  return cutoff === -1 ? task.expected_outcome : task.events.slice(cutoff + 1)
}
