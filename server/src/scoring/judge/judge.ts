import type { ScorerDefinition } from '@diorama/contract'
import { z } from 'zod'
import { CassetteMiss } from '../../models/calls/answers.ts'
import { ModelFailure } from '../../models/model.ts'
import { type ModelCatalog, parseModelName } from '../../models/models.ts'
import type { Gradable, Judge, ScoringContext, Verdict } from '../score.ts'
import { contentKey, type VerdictCache } from './cache.ts'
import { openFence } from './fence.ts'
import { fillPrompt } from './prompt.ts'

export interface JudgeParts {
  readonly models: ModelCatalog
  /** `provider/id` of the model for scorers that name none; undefined when the deployment has none. */
  readonly judgeModel: string | undefined
  readonly random: (bytes: number) => Uint8Array
  readonly now: () => number
  /** What judges decided before; left out, every question is asked. */
  readonly verdicts?: VerdictCache
}

const never = new AbortController().signal
const maxReasonCharacters = 10_000

/** Grades by a language model. Whatever keeps it from a score is an error of the verdict, never of the service. */
export const openJudge = ({ models, judgeModel, random, now, verdicts }: JudgeParts): Judge => {
  const ask = async (
    scorer: ScorerDefinition,
    gradable: Parameters<Judge>[1],
    { organizationId, session, signal = never, cache = false }: ScoringContext,
  ): Promise<Outcome> => {
    const name = scorer.model ?? judgeModel
    if (name === undefined)
      return unanswered(
        'No model is configured to judge with: set DIORAMA_JUDGE_MODEL to provider/id and start the service again, or name a model in the scorer.',
      )
    const fence = openFence(random)
    const filled = fillPrompt(scorer.prompt ?? defaultPrompt, gradable, fence)
    if ('unknown' in filled)
      return unusable(
        `The prompt holds ${filled.unknown}, which nothing fills in; known are {{input}}, {{output}}, {{expected}}, {{metadata.…}}, {{diff}} and {{activity}}.`,
      )
    const model = (await models.of(organizationId, { source: 'judge', session })).open(parseModelName(name))
    // The answers of a cassette or a script are no verdicts of the model, and a recording must hold every call.
    const isCached = cache && (session === undefined || session.mode === 'live')
    const key = contentKey({
      ...{ scorer, model: name, endpoint: model.endpoint, instructions: instructionsFor(scorer) },
      prompt: plainPrompt(scorer, gradable),
    })
    const known = isCached ? await verdicts?.find(organizationId, key) : undefined
    if (known) return { ...known, error: null, cause: null, cached: true }
    let outcome = unanswered('The judge was not asked.')
    // A model that answers in a wrong form often answers in the right one when asked again.
    for (let tries = 0; tries < maxTries && outcome.cause === 'model_provider'; tries++) {
      const reply = await model.generate(
        {
          instructions: `${instructionsFor(scorer)}\n\n${fence.rule}`,
          messages: [{ role: 'user', text: filled.prompt }],
          output: { name: 'verdict', schema: schemaFor(scorer) },
          temperature: 0,
        },
        signal,
      )
      outcome = outcomeOf(scorer, reply.object)
    }
    if (isCached && outcome.error === null) {
      const { score, reason, choice = null } = outcome
      await verdicts?.keep(organizationId, key, { score, choice, reason })
    }
    return outcome
  }

  return async (scorer, gradable, context): Promise<Verdict> => {
    const began = now()
    try {
      const outcome = await ask(scorer, gradable, context)
      return { ...outcome, durationMs: now() - began }
    } catch (error) {
      // What a replayed run asks and its cassette does not hold gives no verdict.
      if (!(error instanceof ModelFailure) || error instanceof CassetteMiss) throw error
      return { ...unanswered(error.message), durationMs: now() - began }
    }
  }
}

/** The prompt with marks that are always the same: what is asked, apart from the call that asks it. */
const plainPrompt = (scorer: ScorerDefinition, gradable: Gradable): string => {
  const filled = fillPrompt(
    scorer.prompt ?? defaultPrompt,
    gradable,
    openFence((bytes) => new Uint8Array(bytes)),
  )
  return 'prompt' in filled ? filled.prompt : ''
}

type Outcome = Omit<Verdict, 'durationMs'>
/** The scorer itself cannot be used. */
const unusable = (error: string): Outcome => ({ score: null, reason: null, error, cause: 'scorer' })
/** The model gave no usable answer. */
const unanswered = (error: string): Outcome => ({
  score: null,
  reason: null,
  error,
  cause: 'model_provider',
})

/** What a judge is asked where the scorer has no prompt. */
const defaultPrompt = [
  'The task that the agent was given:',
  '{{input}}',
  'The outcome that is expected:',
  '{{expected}}',
  'The answer of the agent:',
  '{{output}}',
  'Decide how far the answer achieves the expected outcome.',
].join('\n\n')
const maxTries = 3

const instructionsFor = ({ choiceScores, useCot, allowSkip }: ScorerDefinition): string =>
  [
    'You grade the answer of an AI agent by the criteria in the next message, and by nothing else.',
    useCot
      ? 'First think step by step in "rationale"; only then decide.'
      : 'Decide, and say why in one sentence in "rationale".',
    choiceScores.length > 0
      ? `Your decision is "choice": exactly one of ${choiceScores.map(({ label }) => JSON.stringify(label)).join(', ')}.`
      : 'Your decision is "score": a number from 0 (worst) to 1 (best).',
    ...(allowSkip
      ? [
          `If the criteria do not apply to this answer at all, decide null for "${choiceScores.length > 0 ? 'choice' : 'score'}".`,
        ]
      : []),
  ].join('\n')

/** Models write the fields in this order, so the rationale stands first where thinking was asked for. */
const schemaFor = ({ choiceScores, useCot, allowSkip }: ScorerDefinition): Record<string, unknown> => {
  const decision =
    choiceScores.length > 0
      ? { type: 'string', enum: choiceScores.map(({ label }) => label) }
      : { type: 'number', description: 'From 0 to 1.' }
  const field = choiceScores.length > 0 ? 'choice' : 'score'
  const fields: [string, unknown][] = [
    ['rationale', { type: 'string' }],
    [field, allowSkip ? { anyOf: [decision, { type: 'null' }] } : decision],
  ]
  const ordered = useCot ? fields : fields.toReversed()
  return {
    type: 'object',
    properties: Object.fromEntries(ordered),
    required: ordered.map(([name]) => name),
    additionalProperties: false,
  }
}

const Decision = z.object({
  rationale: z.string().default(''),
  choice: z.string().nullish(),
  score: z.number().nullish(),
})

const outcomeOf = (scorer: ScorerDefinition, object: unknown): Outcome => {
  const parsed = Decision.safeParse(object)
  if (!parsed.success) return unanswered(`The judge's answer has a wrong form: ${excerpt(object)}`)
  const { rationale, choice, score } = parsed.data
  const decided = scorer.choiceScores.length > 0 ? choice : score
  if (decided === undefined) return unanswered(`The judge decided nothing: ${excerpt(object)}`)
  if (decided === null)
    return scorer.allowSkip
      ? { score: null, reason: 'skipped', error: null, cause: null }
      : unanswered('The judge skipped, which this scorer does not allow.')
  const mapped = scorer.choiceScores.length > 0 ? scoreOf(scorer, choice) : score
  if (typeof mapped !== 'number')
    return unanswered(`The judge chose ${JSON.stringify(decided)}, which is not one of the choices.`)
  if (mapped < 0 || mapped > 1)
    return unanswered(`The judge gave the score ${mapped}, which is outside 0 to 1.`)
  const reason = rationale.slice(0, maxReasonCharacters) || null
  return { score: mapped, choice: choice ?? null, reason, error: null, cause: null }
}

const scoreOf = ({ choiceScores }: ScorerDefinition, choice: string | null | undefined) =>
  choiceScores.find(({ label }) => label === choice)?.score

const excerpt = (value: unknown): string => (JSON.stringify(value) ?? 'nothing').slice(0, 200)
