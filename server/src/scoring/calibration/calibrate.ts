import type { Calibration, CalibrationExample, CalibrationRequest, Scorer } from '@diorama/contract'
import { ApiError } from '../../http/api-error.ts'
import type { Caller } from '../../http/handler.ts'
import type { Library } from '../library.ts'
import type { Gradable, Judge, Verdict } from '../score.ts'
import { agreementOf } from './agreement.ts'
import type { CalibrationStore } from './store.ts'

export interface CalibrationDeps {
  readonly library: Pick<Library, 'require'>
  readonly store: CalibrationStore
  readonly judge: Judge
  /** `provider/id` of the model for judges that name none. */
  readonly judgeModel: string | undefined
  /** What the scorers of a finished trial were given. */
  readonly graded: (organizationId: string, trialId: string) => Promise<Gradable | undefined>
  readonly now: () => number
  readonly makeId: (prefix: string) => string
}

export type Calibrate = (
  caller: Caller,
  scorerId: string,
  request: CalibrationRequest,
  signal: AbortSignal,
) => Promise<Calibration>

/** Judges asked at the same time. */
const atOnce = 8
const defaultThreshold = 0.5
const maxReason = 1_000
const passOrFail = ['pass', 'fail'] as const

/** Holds a judge against answers that people have graded, and keeps the report. */
export const openCalibrate =
  (deps: CalibrationDeps): Calibrate =>
  async (caller, scorerId, request, signal) => {
    const { organizationId } = caller
    const scorer = await deps.library.require(organizationId, scorerId)
    if (scorer.kind !== 'llm-judge')
      throw bad('/scorerId', 'names a scorer of code; only judges are calibrated')
    const labels = labelsOf(scorer)
    const samples: Gradable[] = []
    for (const [n, example] of request.examples.entries()) {
      if (!labels.includes(example.label))
        throw bad(`/examples/${n}/label`, `must be one of ${labels.join(', ')}`)
      samples.push(await sampleOf(deps, organizationId, example, n))
    }
    const judged = await inOrder(samples, atOnce, (sample) =>
      deps.judge(scorer, sample, { organizationId, signal, cache: true }),
    )
    signal.throwIfAborted()
    const report = reportOf(scorer, labels, request.examples, judged)
    const made: Calibration = {
      id: deps.makeId('cal'),
      ...{ scorer_id: scorer.id, scorer_version: scorer.version },
      model: scorer.model ?? deps.judgeModel ?? null,
      ...report,
      created_by: caller.keyId,
      created_at: new Date(deps.now()).toISOString(),
    }
    await deps.store.insert(organizationId, made)
    return made
  }

/** What people and the judge choose from: its choices, or whether its threshold is met. */
const labelsOf = ({ choiceScores }: Scorer): readonly string[] =>
  choiceScores.length > 0 ? choiceScores.map(({ label }) => label) : passOrFail

const labelOf = ({ choiceScores, passThreshold }: Scorer, { score, choice }: Verdict): string | null => {
  if (score === null) return null
  if (choiceScores.length > 0) return choice ?? null
  return score >= (passThreshold ?? defaultThreshold) ? 'pass' : 'fail'
}

const reportOf = (
  scorer: Scorer,
  labels: readonly string[],
  examples: readonly CalibrationExample[],
  verdicts: readonly Verdict[],
) => {
  const rows = verdicts.map((verdict, n) => ({
    ...{ verdict, example: n, label: examples[n]?.label ?? '', judged: labelOf(scorer, verdict) },
  }))
  const decided = rows.flatMap(({ label, judged }) =>
    judged === null ? [] : [{ person: label, judge: judged }],
  )
  const { confusion, agreement, agreementInterval, kappa, kappaInterval } = agreementOf(labels, decided)
  return {
    examples: examples.length,
    answered: decided.length,
    cached: verdicts.filter(({ cached }) => cached).length,
    labels: [...labels],
    confusion: confusion.map((row) => [...row]),
    agreement,
    agreement_interval: agreementInterval,
    kappa,
    kappa_interval: kappaInterval,
    disagreements: rows
      .filter(({ label, judged }) => label !== judged)
      .map(({ example, label, judged, verdict: { score, reason, error } }) => ({
        ...{ example, label, judged, score },
        reason: reason?.slice(0, maxReason) ?? null,
        error: error?.slice(0, maxReason) ?? null,
      })),
  }
}

const sampleOf = async (
  { graded }: Pick<CalibrationDeps, 'graded'>,
  organizationId: string,
  { trial_id, input, output, expected, metadata }: CalibrationExample,
  n: number,
): Promise<Gradable> => {
  const trial = trial_id === undefined ? undefined : await graded(organizationId, trial_id)
  if (trial_id !== undefined && !trial) throw bad(`/examples/${n}/trial_id`, 'names no finished trial')
  return {
    input: input ?? trial?.input ?? '',
    output: output ?? trial?.output ?? '',
    expected: expected ?? trial?.expected ?? null,
    metadata: metadata ?? trial?.metadata ?? {},
    world: trial?.world,
  }
}

const inOrder = async <Item, Result>(
  items: readonly Item[],
  lanes: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> => {
  const results: Result[] = []
  for (let at = 0; at < items.length; at += lanes)
    results.push(...(await Promise.all(items.slice(at, at + lanes).map(work))))
  return results
}

const bad = (pointer: string, message: string): ApiError =>
  new ApiError('invalid_reference', `${pointer} ${message}.`, { details: [{ pointer, message }] })
