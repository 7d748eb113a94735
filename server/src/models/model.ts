/** What the rest of the service knows of language models. Providers and their wires stay behind it. */
export interface Model {
  readonly provider: string
  readonly id: string
  /** The base URL that answers for it. */
  readonly endpoint: string
  /** One answer: text, calls of the tools offered, or an object of the asked schema. */
  generate(request: ModelRequest, signal: AbortSignal): Promise<ModelReply>
  /** The same while it is made: pieces of text, and at the end the whole reply. */
  stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelPiece>
}

export interface ModelRequest {
  readonly instructions?: string
  readonly messages: readonly ModelMessage[]
  readonly tools?: readonly ModelTool[]
  /** Asks for an object: its JSON Schema, and a name for it. */
  readonly output?: { readonly name: string; readonly schema: Readonly<Record<string, unknown>> }
  readonly maxOutputTokens?: number
  readonly temperature?: number
}

export type ModelMessage =
  | { readonly role: 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly text: string }
  /** A reply that called tools, handed back as it came. */
  | { readonly role: 'assistant'; readonly reply: ModelReply }
  | { readonly role: 'tool'; readonly results: readonly ToolResult[] }

export interface ModelTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: Readonly<Record<string, unknown>>
}

export interface ToolCall {
  readonly id: string
  readonly name: string
  /** Parsed; undefined when the model did not write valid JSON. */
  readonly input: unknown
}

export interface ToolResult {
  readonly id: string
  readonly name: string
  readonly text: string
  readonly failed: boolean
}

export interface ModelUsage {
  readonly inputTokens: number
  readonly outputTokens: number
}

export interface ModelReply {
  readonly text: string
  readonly toolCalls: readonly ToolCall[]
  /** The object that was asked for. Its shape is for the caller to check. */
  readonly object: unknown
  readonly usage: ModelUsage
  /** Null where the deployment has no price for the model. */
  readonly costUsd: number | null
  readonly finish: 'stop' | 'length' | 'tool_calls' | 'filtered' | 'other'
  /** The provider's own form of the reply, for handing it back in a later request. */
  readonly native: unknown
}

export type ModelPiece =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reply'; readonly reply: ModelReply }

/**
 * Why a model gave no answer. `not_configured`: the deployment lacks a setting, and the message names it. `refused`:
 * the endpoint will not take this request however often it is sent. The others may pass.
 */
export type ModelFailureReason =
  | 'not_configured'
  | 'refused'
  | 'rate_limited'
  | 'unavailable'
  | 'timeout'
  | 'bad_output'

export class ModelFailure extends Error {
  override readonly name = 'ModelFailure'
  readonly reason: ModelFailureReason
  readonly retryAfterMs: number | undefined

  constructor(
    reason: ModelFailureReason,
    message: string,
    extra: { cause?: unknown; retryAfterMs?: number | undefined } = {},
  ) {
    super(message, { cause: extra.cause })
    this.reason = reason
    this.retryAfterMs = extra.retryAfterMs
  }
}
