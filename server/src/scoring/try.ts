import type { ScorerDefinition, ScorerTest, ScorerTestResult } from '@diorama/contract'
import { ApiError } from '../http/api-error.ts'
import type { Caller } from '../http/handler.ts'
import { checkDefinition } from './library.ts'
import type { Gradable, Scoring } from './score.ts'

export interface TryParts {
  readonly scoring: Scoring
  readonly requireSandbox: RequireSandbox
  /** What the scorers of a finished trial were given. */
  readonly graded: (organizationId: string, trialId: string) => Promise<Gradable | undefined>
  /** The file that describes a world as it is now. */
  readonly currentWorld: (organizationId: string, worldId: string) => Promise<Uint8Array | undefined>
}

/** How code is kept apart here; refuses where no sandbox works. */
export type RequireSandbox = () => Promise<string>

/** Runs a scorer on sample data, on what a trial left or on a world. Nothing is kept. */
export const openTry =
  (parts: TryParts) =>
  async (caller: Caller, test: ScorerTest, signal: AbortSignal): Promise<ScorerTestResult> => {
    const { input, output, expected, metadata, trial_id, world_id, ...definition } = test
    checkDefinition(definition)
    const sample = await sampleFor(parts, caller.organizationId, test)
    if (definition.kind === 'code' && !sample.world) refuseWorldCode(definition)
    const isolation = definition.kind === 'code' ? await allowSandbox(caller, parts.requireSandbox) : null
    const verdict = await parts.scoring.run(definition, sample, {
      organizationId: caller.organizationId,
      signal,
    })
    return {
      score: verdict.score,
      error: verdict.error,
      reason: verdict.reason,
      printed: verdict.printed ?? '',
      duration_ms: verdict.durationMs,
      isolation,
    }
  }

/** What was sent, else what the trial has, else nothing. */
const sampleFor = async (
  { graded, currentWorld }: TryParts,
  organizationId: string,
  { trial_id, world_id, input, output, expected, metadata }: ScorerTest,
): Promise<Gradable> => {
  if (trial_id !== undefined && world_id !== undefined)
    throw refusal('/world_id', 'cannot be combined with /trial_id: a scorer sees one world')
  const trial = trial_id === undefined ? undefined : await graded(organizationId, trial_id)
  if (trial_id !== undefined && !trial) throw refusal('/trial_id', 'names no finished trial')
  const world = world_id === undefined ? trial?.world : await currentWorld(organizationId, world_id)
  if (world_id !== undefined && !world) throw refusal('/world_id', 'names no world')
  return {
    input: input ?? trial?.input ?? '',
    output: output ?? trial?.output ?? '',
    expected: expected ?? trial?.expected ?? null,
    metadata: metadata ?? trial?.metadata ?? {},
    world,
  }
}

const refusal = (pointer: string, message: string): ApiError =>
  new ApiError('invalid_reference', `${pointer} ${message}.`, { details: [{ pointer, message }] })

/** Refuses an organization without sandboxes, then a deployment without one. */
export const allowSandbox = async (caller: Caller, requireSandbox: RequireSandbox): Promise<string> => {
  if (!caller.limits.sandbox)
    throw new ApiError(
      'sandbox_denied',
      'This organization has no access to sandboxes, where the code of scorers runs.',
    )
  return requireSandbox()
}

const worldImports = {
  python: /^[ \t]*(from[ \t]+world_state[ \t]+import\b|import[ \t][^\n#]*\bworld_state\b)/m,
  typescript: /(\bfrom|\bimport|\bimport\s*\(|\brequire\s*\()\s*['"`]world-state['"`]/,
} as const

const refuseWorldCode = ({ code, language }: ScorerDefinition): void => {
  if (language === null || !worldImports[language].test(code ?? '')) return
  throw refusal(
    '/code',
    'reads the world, and there is none here: name a trial_id of a task with an environment, or a world_id',
  )
}
