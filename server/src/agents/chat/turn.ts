import type { AgentStep } from '@diorama/contract'
import type { StoredVersion } from '../store.ts'

/** What has to be answered, and by whom. */
export interface TurnRequest {
  readonly organizationId: string
  readonly sessionId: string
  readonly turnId: string
  readonly version: StoredVersion
  readonly worldId: string | null
  /** The conversation before, oldest first. */
  readonly history: readonly { readonly asked: string; readonly answered: string | null }[]
  readonly text: string
}

export interface TurnOutcome {
  readonly status: 'succeeded' | 'failed'
  readonly answer: string | null
  readonly error: string | null
  readonly usage: { readonly input_tokens: number; readonly output_tokens: number }
  readonly costUsd: number | null
}

/** Answers a turn. Steps are handed over as they happen, so that a turn that is cut short still shows them. */
export type AnswerTurn = (
  request: TurnRequest,
  onStep: (step: AgentStep) => void,
  signal: AbortSignal,
) => Promise<TurnOutcome>

/** The most recent part of a conversation that fits. */
export const recent = <T extends { asked: string; answered: string | null }>(
  history: readonly T[],
  maxCharacters: number,
): readonly T[] => {
  let left = maxCharacters
  const from = history.findLastIndex(({ asked, answered }) => {
    left -= asked.length + (answered?.length ?? 0)
    return left < 0
  })
  return history.slice(from + 1)
}

/** At most so many characters, none of them cut in half. */
export const clip = (text: string, most: number): string =>
  text.length <= most
    ? text
    : `${text.slice(0, most).toWellFormed()}… (${text.length - most} more characters)`

/** Text that the database can hold, whatever a model, a command or a twin wrote. */
export const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd')

export const storableStep = (step: AgentStep): AgentStep => ({
  ...step,
  name: storable(step.name),
  detail: Object.fromEntries(
    Object.entries(step.detail).map(([field, value]) => [
      field,
      typeof value === 'string' ? storable(value) : value,
    ]),
  ),
})
