import type { ScorerDefinition, ScorerTest, ScorerTestResult } from '@diorama/contract'
import type { Caller } from '../http/handler.ts'
import { Refused } from '../http/refused.ts'
import { checkDefinition } from './library.ts'
import type { Scoring } from './score.ts'

export interface TryParts {
  readonly scoring: Scoring
  readonly requireSandbox: RequireSandbox
}

/** How code is kept apart here; refuses where no sandbox works. */
export type RequireSandbox = () => Promise<string>

/** Runs a scorer on sample data. Nothing is kept. */
export const openTry =
  ({ scoring, requireSandbox }: TryParts) =>
  async (caller: Caller, test: ScorerTest, signal: AbortSignal): Promise<ScorerTestResult> => {
    const { input, output, expected, metadata, ...definition } = test
    checkDefinition(definition)
    if (definition.kind === 'code') refuseWorldCode(definition)
    const isolation = definition.kind === 'code' ? await allowSandbox(caller, requireSandbox) : null
    const verdict = await scoring.run(
      definition,
      { input, output, expected: expected ?? null, metadata, world: undefined },
      signal,
    )
    return {
      score: verdict.score,
      error: verdict.error,
      reason: verdict.reason,
      printed: verdict.printed ?? '',
      duration_ms: verdict.durationMs,
      isolation,
    }
  }

/** Refuses an organization without sandboxes, then a deployment without one. */
export const allowSandbox = async (caller: Caller, requireSandbox: RequireSandbox): Promise<string> => {
  if (!caller.limits.sandbox)
    throw new Refused(
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
  const message =
    'reads the world, and a test has none: such a scorer runs in evaluations, and in the check of a suite (POST /v1/task-suites/{suiteId}/check)'
  throw new Refused('invalid_reference', `/code ${message}.`, { details: [{ pointer: '/code', message }] })
}
