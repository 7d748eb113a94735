import type { ScorerDefinition } from '@diorama/contract'
import { ApiError } from '../http/api-error.ts'
import type { SharedVerifier } from './shared-verifier.ts'

export type Coded = Pick<ScorerDefinition, 'kind' | 'code' | 'language'>

/** What is wrong with the syntax of a scorer's code, if anything. */
export type CheckSyntax = (scorer: Coded) => Promise<string | undefined>

/** Reads the code in the sandbox without running it. Where there is no sandbox, the first grading reports instead. */
export const createSyntaxCheck =
  (opened: () => Promise<SharedVerifier>): CheckSyntax =>
  async ({ kind, code, language }) => {
    if (kind !== 'code' || !code || language === null) return undefined
    const shared = await opened().catch((error: unknown) => {
      if (error instanceof ApiError && error.code === 'sandbox_unavailable') return undefined
      throw error
    })
    return shared?.verifier.checkSyntax({ language, code })
  }

/** Refuses a scorer whose code cannot be read. */
export const requireSyntax = async (check: CheckSyntax, scorer: Coded): Promise<void> => {
  const message = await check(scorer)
  if (message !== undefined)
    throw new ApiError('malformed', `/code cannot be read: ${message}`, {
      details: [{ pointer: '/code', message }],
    })
}
