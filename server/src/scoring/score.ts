import type { FailureCause, FrozenTask, Score, ScorerDefinition } from '@diorama/contract'
import type { Accounted, Verifier } from '@diorama/sandbox/verifier/scorer'
import type { ModelSession } from '../models/calls/session.ts'

export type BoundDefinition = FrozenTask['scorers'][number]

/** What a scorer is given: the agent's text, and the world as the agent left it. */
export interface Gradable {
  readonly input: string
  readonly output: string
  readonly expected: unknown
  readonly metadata: Readonly<Record<string, unknown>>
  /** The bytes of the world's file (`world-file.ts`). */
  readonly world: Uint8Array | undefined
}

export interface Verdict {
  readonly score: number | null
  readonly reason: string | null
  readonly error: string | null
  /** Whose fault the error is, as far as this one call shows it. */
  readonly cause: FailureCause | null
  readonly durationMs: number
  readonly printed?: string
  /** The choice of a judge that has choices. */
  readonly choice?: string | null
  /** Decided before, on the same content. */
  readonly cached?: boolean
  readonly accounted?: Accounted | undefined
}

/** A score, and the changes of the world that its scorer accounts for. */
export interface GradedScore {
  readonly score: Score
  readonly accounted: Accounted | undefined
}

/** Grades a text by a model; the part of the service that knows models. */
export type Judge = (
  scorer: ScorerDefinition,
  gradable: Gradable,
  context: ScoringContext,
) => Promise<Verdict>

/** For whom a scorer runs. */
export interface ScoringContext {
  readonly organizationId: string
  /** The way of a trial's model calls. */
  readonly session?: ModelSession | undefined
  readonly signal?: AbortSignal | undefined
  /** Whether a judge may answer with what it decided on the same content before. */
  readonly cache?: boolean | undefined
}

export interface ScoringDeps {
  readonly verifier: () => Promise<Verifier>
  readonly judge: Judge
}

export interface GradeOptions extends ScoringContext {
  /** The same task as an agent that does nothing leaves it: tells a broken scorer from one that the agent broke. */
  readonly control?: (() => Promise<Gradable>) | undefined
}

/** Runs scorers apart from the agent. A scorer that fails gives a null score, the reason, and whose fault it is. */
export interface Scoring {
  run(definition: ScorerDefinition, gradable: Gradable, context: ScoringContext): Promise<Verdict>
  /** The score of one bound scorer, held against its threshold: the binding's own, else the scorer's. */
  grade(bound: BoundDefinition, gradable: Gradable, options: GradeOptions): Promise<GradedScore>
}

export const createScoring = ({ verifier, judge }: ScoringDeps): Scoring => {
  const runCode = async (
    { code, language }: ScorerDefinition,
    gradable: Gradable,
    signal?: AbortSignal,
  ): Promise<Verdict> => {
    if (code === null || language === null)
      return { score: null, reason: null, error: 'The scorer has no code.', cause: 'scorer', durationMs: 0 }
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
      cause: verdict.error === null ? null : 'scorer',
      durationMs: verdict.durationMs,
      printed: verdict.printed,
      accounted: verdict.accounted,
    }
  }

  const run: Scoring['run'] = (definition, gradable, context) =>
    definition.kind === 'llm-judge'
      ? judge(definition, gradable, context)
      : runCode(definition, gradable, context.signal)

  /**
   * A scorer that fails is run once more, since a busy machine can make it time out. If it fails again it is run on the
   * control: where it works there, what the agent left broke it, and that is the agent's doing; an agent that could
   * break scorers at no cost would void every trial that it is about to fail.
   */
  const runBlaming = async (
    definition: ScorerDefinition,
    gradable: Gradable,
    options: GradeOptions,
  ): Promise<Verdict> => {
    const { signal, control } = options
    const first = await run(definition, gradable, options)
    if (first.cause !== 'scorer' || definition.kind !== 'code' || signal?.aborted) return first
    const second = await run(definition, gradable, options)
    if (second.error === null || control === undefined || signal?.aborted) return second
    const controlled = await run(definition, await control(), options)
    return controlled.error === null ? { ...second, cause: 'agent' } : second
  }

  return {
    run,
    grade: async (bound, gradable, options) => {
      const verdict = await runBlaming(bound.definition, gradable, options)
      const threshold = bound.pass_threshold ?? bound.definition.passThreshold
      const score = {
        name: bound.definition.name,
        scorer_id: bound.scorer_id,
        score: verdict.score,
        threshold,
        passed: passedBy(verdict, threshold),
        weight: bound.weight,
        reason: verdict.reason,
        error: verdict.error,
        cause: verdict.cause,
        duration_ms: verdict.durationMs,
      }
      return { score, accounted: verdict.accounted }
    },
  }
}

const passedBy = ({ score, cause }: Verdict, threshold: number | null): boolean | null => {
  if (threshold === null) return null
  if (cause === 'scorer' || cause === 'model_provider' || cause === 'platform') return null
  return score !== null && score >= threshold
}

/** What the scores say of a trial: passed, failed, or nothing, with the scorer that is to blame for that. */
export type TrialVerdict =
  | { readonly passed: boolean }
  | { readonly passed: null; readonly cause: FailureCause; readonly error: string }

/**
 * A trial passes when every scorer that has a threshold met it. Where one gave no score and none failed the agent, there
 * is no verdict: a missing score neither passes an agent nor fails it.
 */
export const verdictOf = (scores: readonly Score[]): TrialVerdict => {
  const deciding = scores.filter(({ threshold }) => threshold !== null)
  if (deciding.some(({ passed }) => passed === false)) return { passed: false }
  const missing = deciding.find(({ passed }) => passed === null)
  if (!missing) return { passed: true }
  const error = `${missing.name} gave no score: ${missing.error ?? 'no reason was given'}`
  return { passed: null, cause: missing.cause ?? 'scorer', error }
}

/** What scorers hold an answer against: the expected outcome, or the events held back. */
export const expectedOf = (task: FrozenTask): unknown => {
  const cutoff = task.events.findIndex(({ id }) => id === task.cutoff_event_id)
  return cutoff === -1 ? task.expected_outcome : task.events.slice(cutoff + 1)
}
