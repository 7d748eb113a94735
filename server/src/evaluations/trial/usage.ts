import type { Usage } from '@diorama/contract'
import { z } from 'zod'

const count = z.number().int().min(0).catch(0)
const Counted = z.object({
  prompt_tokens: count,
  completion_tokens: count,
  input_tokens: count,
  output_tokens: count,
})
const Body = z.object({ usage: Counted.partial().optional(), model: z.string().optional() })

export interface ModelCall {
  readonly model: string | null
  readonly inputTokens: number
  readonly outputTokens: number
}

/** What a model's answer says it used: a JSON body, or the last part of a stream that says it. */
export const readUsage = (body: string): ModelCall | undefined => {
  const parts = body.trimStart().startsWith('{')
    ? [body]
    : body.split('\n').flatMap((line) => (line.startsWith('data: {') ? [line.slice(6)] : []))
  let call: ModelCall | undefined
  for (const part of parts) {
    const parsed = Body.safeParse(parse(part))
    if (!parsed.success || !parsed.data.usage) continue
    const { usage, model } = parsed.data
    const inputTokens = usage.input_tokens || usage.prompt_tokens || call?.inputTokens || 0
    const outputTokens = usage.output_tokens || usage.completion_tokens || 0
    call = { model: model ?? call?.model ?? null, inputTokens, outputTokens }
  }
  return call
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export const noUsage: Usage = { input_tokens: 0, output_tokens: 0, cost_usd: null, model_calls: 0 }

export const addUsage = (sum: Usage, call: ModelCall, cost: number | null): Usage => ({
  input_tokens: sum.input_tokens + call.inputTokens,
  output_tokens: sum.output_tokens + call.outputTokens,
  cost_usd: cost === null ? sum.cost_usd : (sum.cost_usd ?? 0) + cost,
  model_calls: sum.model_calls + 1,
})
