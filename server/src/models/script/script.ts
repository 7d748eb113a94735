import { createHash } from 'node:crypto'
import type { ModelScript, ScriptRule } from '@diorama/contract'
import type { MadeReply, WireMessage, WireRequest } from '../wires/operation.ts'

export type ScriptAnswer = { readonly status: number } | { readonly reply: MadeReply; readonly seed: string }

const charactersPerToken = 4

/** What the first rule that fits says; undefined when none fits. The same request gets the same answer. */
export const answerByScript = (script: ModelScript, request: WireRequest): ScriptAnswer | undefined => {
  for (const rule of script.rules) {
    const captured = fits(rule, request)
    if (captured) return answerOf(rule, request, captured)
  }
  return undefined
}

/** What the wildcards of `last_message` matched, where the rule fits. */
const fits = ({ when }: ScriptRule, request: WireRequest): readonly string[] | undefined => {
  const last = request.messages.at(-1)
  if (when.role !== undefined && last?.role !== when.role) return undefined
  if (when.turn !== undefined && spoken(request) !== when.turn) return undefined
  if (when.tool !== undefined && !request.tools.includes(when.tool)) return undefined
  if (when.model !== undefined && !match(when.model, request.model ?? '')) return undefined
  const any = when.any_message
  if (any !== undefined && !request.messages.some(({ text }) => match(any, text))) return undefined
  return when.last_message === undefined ? [] : match(when.last_message, last?.text ?? '')
}

/** Turns of the model: a run of its messages counts once, since some wires split text and tool calls. */
const spoken = ({ messages }: WireRequest): number =>
  messages.filter((one, n) => one.role === 'assistant' && messages[n - 1]?.role !== 'assistant').length

/**
 * Finds a pattern anywhere in a text: its literal parts in their order, each at its first place after the one before.
 * There is no backtracking, so no pattern can hold the process up.
 */
export const match = (pattern: string, text: string): readonly string[] | undefined => {
  const folded = text.toLowerCase()
  const parts = pattern.toLowerCase().split('*')
  const captured: string[] = []
  let at = 0
  for (const [n, part] of parts.entries()) {
    const isLast = n === parts.length - 1
    const found = part === '' && isLast && n > 0 ? text.length : folded.indexOf(part, at)
    if (found === -1) return undefined
    if (n > 0) captured.push(text.slice(at, found).trim())
    at = found + part.length
  }
  return captured
}

const answerOf = ({ reply }: ScriptRule, request: WireRequest, captured: readonly string[]): ScriptAnswer => {
  if (reply.status !== undefined) return { status: reply.status }
  const seed = createHash('sha256').update(JSON.stringify(request)).digest('hex').slice(0, 16)
  const said = reply.text === undefined ? null : filled(reply.text, captured)
  const toolCalls = (reply.tool_calls ?? []).map(({ name, input }, n) => ({
    id: `call_${seed}_${n}`,
    name,
    input: filledDeep(input, captured),
  }))
  const asked = request.messages.reduce((sum, message) => sum + lengthOf(message), 0)
  const answered = (said?.length ?? 0) + JSON.stringify(toolCalls).length - 2
  return {
    seed,
    reply: {
      text: said ?? (toolCalls.length > 0 ? null : ''),
      toolCalls,
      usage: {
        inputTokens: reply.usage?.input_tokens ?? Math.ceil(asked / charactersPerToken),
        outputTokens: reply.usage?.output_tokens ?? Math.ceil(answered / charactersPerToken),
        cachedInputTokens: 0,
      },
    },
  }
}

const lengthOf = ({ text, tool_calls }: WireMessage): number =>
  text.length + (tool_calls ? JSON.stringify(tool_calls).length : 0)

const filled = (text: string, captured: readonly string[]): string =>
  text.replaceAll(/\{\{(\d{1,2})\}\}/g, (whole, n: string) => captured[Number(n) - 1] ?? whole)

const filledDeep = (value: unknown, captured: readonly string[]): unknown => {
  if (typeof value === 'string') return filled(value, captured)
  if (Array.isArray(value)) return value.map((item) => filledDeep(item, captured))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, filledDeep(item, captured)]))
}
