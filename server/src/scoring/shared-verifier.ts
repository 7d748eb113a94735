import type { OpenedSandbox } from '@diorama/sandbox/sandbox'
import { openVerifier, type Verifier } from '@diorama/sandbox/verifier/scorer'
import { ApiError } from '../http/api-error.ts'
import { openGate } from './gate.ts'

const gateLimits = { atOnce: 16, maxWaiting: 256 }

export interface SharedVerifier {
  readonly isolation: string
  readonly verifier: Verifier
}

/** One verifier for the process, since it caches prepared scorers; a semaphore bounds how many run at once. */
export const createSharedVerifier = (open: () => Promise<OpenedSandbox>): (() => Promise<SharedVerifier>) => {
  const gate = openGate(gateLimits)
  let made: SharedVerifier | undefined
  return async () => {
    if (made) return made
    const opened = await open()
    if (!('sandbox' in opened))
      throw new ApiError('sandbox_unavailable', opened.unavailable, { retryAfterSeconds: 60 })
    const { runScorer, checkSyntax } = openVerifier(opened.sandbox)
    const verifier: Verifier = {
      runScorer: (run, signal) => gate(() => runScorer(run, signal)),
      checkSyntax: (code) => gate(() => checkSyntax(code)),
    }
    made ??= { isolation: opened.sandbox.isolation, verifier }
    return made
  }
}
