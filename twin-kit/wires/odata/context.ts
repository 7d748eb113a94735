import type { Session, VendorError } from '../../kernel/twin.ts'
import type { Budget } from './budget.ts'
import type { ServiceModel } from './model.ts'
import type { Notice } from './write/operations.ts'

/** A request below a service's root. */
export interface ODataRequest {
  readonly method: string
  /** As it came, without the query. */
  readonly path: string
  readonly query: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export type Format = 'json' | 'atom'

/** What the engine is given to answer with. */
export interface Context {
  readonly service: ServiceModel
  readonly session: Session
  readonly budget: Budget
  /** The service's root as the caller reaches it, without a trailing slash. */
  readonly root: string
  /** The part of the root that is a path, for the requests inside a batch. */
  readonly rootPath: string
  readonly origin: string
  /** How the vendor shapes a refusal. */
  readonly refuse: (refusal: VendorError, format: Format) => Answer
  /** How the vendor sends a word beside a success. */
  readonly noticeHeaders: (notices: readonly Notice[]) => Readonly<Record<string, string>>
  /** Whether there is an operation of this name. */
  readonly implemented: (operation: string) => boolean
  /** Refuses a batch that changes something, where the vendor wants more of it. */
  readonly beforeChanges: () => void
}

/** What the caller wants to read; feeds where it does not say. */
export const formatOf = (format: string | undefined, accept: string | undefined): Format => {
  if (format !== undefined) return /^(json|application\/json)\b/i.test(format) ? 'json' : 'atom'
  return /application\/json|text\/json/i.test(accept ?? '') ? 'json' : 'atom'
}
