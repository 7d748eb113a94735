import type { TrialStep, Usage } from '@diorama/contract'
import type { OpenModelAccess } from '../../models/access.ts'
import { type CallOrder, type FinishedCall, spentBy } from '../../models/calls/call.ts'
import { headOf, storableText, tailOf } from '../storable.ts'
import type { RequestLog } from './request-log.ts'
import { addUsage } from './usage.ts'

const maxText = 4_000
const maxMessages = 12
/** Of prompts and replies in the steps of one trial; the calls themselves have them whole. */
const maxDetailCharacters = 1_000_000

/** Follows an agent's model calls: each is a step, a provider's failure is noted, and a budget that is spent ends the trial. */
export const followModelCalls = (
  models: OpenModelAccess,
  log: RequestLog,
): { readonly usage: (before: Usage) => Usage } => {
  const agentCalls = () => models.session.calls.filter(isAgents)
  let shown = 0
  models.listen({
    refusal: ({ source }: CallOrder) => {
      if (!isAgents({ source })) return undefined
      if (log.stopped) return log.stopped.reason
      return overBudget(models, agentCalls())
    },
    onMiss: (reason) => log.stop({ by: 'platform', reason, isFinal: true }),
    onCall: (call) => {
      if (!isAgents(call)) return
      if (call.outcome === 'provider_error')
        log.exchanged(call.provider, call.error ?? `${call.provider} failed.`)
      if (call.outcome === 'succeeded') log.exchanged(call.provider, undefined)
      const detail = shown < maxDetailCharacters ? messagesOf(call) : {}
      shown += JSON.stringify(detail).length
      log.add(stepOfCall(call, detail))
      const unpriced = unpricedCall(models, call)
      if (unpriced !== undefined) log.stop({ by: 'platform', reason: unpriced, isFinal: true })
      const over = overBudget(models, agentCalls())
      if (over !== undefined) log.stop({ by: 'budget', reason: over })
    },
  })
  return { usage: (before) => agentCalls().reduce(withCall, before) }
}

/** Calls of a command, and of an agent that the service drives itself. */
const isAgents = ({ source }: Pick<CallOrder, 'source'>): boolean => source === 'agent' || source === 'chat'

/** Why no more calls may be made, if the budget is spent. */
const overBudget = ({ run }: OpenModelAccess, calls: readonly FinishedCall[]): string | undefined => {
  if (run === null || (run.max_tokens === null && run.max_cost_usd === null)) return undefined
  const { tokens, costUsd } = spentBy(calls)
  if (run.max_tokens !== null && tokens >= run.max_tokens)
    return `The agent used ${tokens} tokens of models; the budget of a trial is max_tokens ${run.max_tokens}.`
  if (run.max_cost_usd !== null && (costUsd ?? 0) >= run.max_cost_usd)
    return `The agent's model calls cost $${(costUsd ?? 0).toFixed(4)}; the budget of a trial is max_cost_usd ${run.max_cost_usd}.`
  return undefined
}

/** A budget in dollars means nothing where a call has no price. */
const unpricedCall = ({ run }: OpenModelAccess, call: FinishedCall): string | undefined =>
  run !== null && run.max_cost_usd !== null && call.outcome === 'succeeded' && call.costUsd === null
    ? `max_cost_usd cannot be held: there is no price for ${call.provider}/${call.model}, or it reported no tokens. Set one with the provider.`
    : undefined

const withCall = (sum: Usage, call: FinishedCall): Usage =>
  call.outcome === 'refused' || call.outcome === 'missing'
    ? sum
    : {
        ...addUsage(sum, call, call.costUsd),
        cached_input_tokens: (sum.cached_input_tokens ?? 0) + call.cachedInputTokens,
        replayed_calls: (sum.replayed_calls ?? 0) + (call.served === 'live' ? 0 : 1),
        latency_ms: (sum.latency_ms ?? 0) + call.latencyMs,
      }

const stepOfCall = (call: FinishedCall, messages: object): TrialStep => ({
  kind: 'model_call',
  name: storableText(headOf(`${call.provider}/${call.model ?? ''}`, 300)),
  status: call.outcome === 'succeeded' ? 'succeeded' : call.outcome === 'refused' ? 'refused' : 'failed',
  started_at: new Date(call.startedAt).toISOString(),
  duration_ms: call.latencyMs,
  detail: {
    call_id: call.id,
    provider: call.provider,
    model: call.model === null ? null : storableText(call.model),
    ...{ operation: call.operation, served: call.served, streamed: call.streamed },
    ...{ status: call.status, outcome: call.outcome },
    ...(call.error === null ? {} : { error: storableText(headOf(call.error, 1_000)) }),
    ...{ input_tokens: call.inputTokens, output_tokens: call.outputTokens },
    ...{ cached_input_tokens: call.cachedInputTokens, cost_usd: call.costUsd },
    first_byte_ms: call.firstByteMs,
    ...messages,
  },
})

/** The end of the prompt, and the reply. */
const messagesOf = ({ asked, answered }: FinishedCall): object => {
  const short = (text: string) => storableText(tailOf(text, maxText))
  const called = (calls: readonly { id: string; name: string; input: unknown }[]) =>
    calls.map(({ id, name, input }) => ({ id, name, input: short(JSON.stringify(input) ?? '') }))
  return {
    input_messages: asked.messages.slice(-maxMessages).map(({ role, text, tool_calls, tool_call_id }) => ({
      role,
      text: short(text),
      ...(tool_calls ? { tool_calls: called(tool_calls) } : {}),
      ...(tool_call_id === undefined ? {} : { tool_call_id }),
    })),
    output_message: {
      text: short(answered.text),
      tool_calls: called(answered.toolCalls),
      finish: answered.finish,
    },
  }
}
