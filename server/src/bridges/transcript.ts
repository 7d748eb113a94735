import type { ModelCallDetail, TrialDetail, TrialStep } from '@diorama/contract'
import { isRecord } from '@diorama/contract/records'

/** A model call as the exports need it: what was asked and answered, without the bodies on the wire. */
export type TranscriptCall = Omit<ModelCallDetail, 'request' | 'response'>

/** One model call of the agent, with the requests to services that it made before its next one. */
export interface Turn {
  readonly call: TranscriptCall
  readonly requests: readonly TrialStep[]
}

export interface Transcript {
  readonly trial: TrialDetail
  /** Requests that were made before any model was asked: all of them where no model traffic was seen. */
  readonly before: readonly TrialStep[]
  readonly turns: readonly Turn[]
  /** What tools gave back to the model, by the id of the call: read from the prompts that came after it. */
  readonly toolResults: ReadonlyMap<string, string>
}

/** Puts the model calls of a trial's last attempt and its requests in one order. */
export const transcriptOf = (trial: TrialDetail, calls: readonly TranscriptCall[]): Transcript => {
  const requests = trial.steps.filter(({ kind }) => kind === 'tool_call')
  const starts = calls.map(({ started_at }) => Date.parse(started_at))
  const turnOf = (step: TrialStep): number => {
    const at = Date.parse(step.started_at)
    return starts.findLastIndex((start) => start <= at)
  }
  const byTurn = Map.groupBy(requests, turnOf)
  const results = calls.flatMap(({ messages }) =>
    messages.flatMap(({ role, tool_call_id, text }) =>
      role === 'tool' && tool_call_id !== undefined ? [[tool_call_id, text] as const] : [],
    ),
  )
  return {
    trial,
    before: byTurn.get(-1) ?? [],
    turns: calls.map((call, n) => ({ call, requests: byTurn.get(n) ?? [] })),
    toolResults: new Map(results),
  }
}

/** The text that the agent's model was given as instructions, where it was given any. */
export const systemPromptOf = ({ turns }: Transcript): string | undefined =>
  turns[0]?.call.messages.find(({ role }) => role === 'system')?.text

/** Arguments are objects in every format; a model may have written anything. */
export const argumentsOf = (input: unknown): Readonly<Record<string, unknown>> =>
  isRecord(input) ? input : { input }

/** What a service answered, in words. */
export const requestResult = ({ status, detail = {} }: TrialStep): string =>
  [`${status}${detail.status === undefined ? '' : ` (HTTP ${detail.status})`}`, detail.reason]
    .filter((part) => part !== undefined)
    .join(': ')
