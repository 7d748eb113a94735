import type { ModelWire } from '@diorama/contract'

export interface WireToolCall {
  readonly id: string
  readonly name: string
  readonly input: unknown
}

/** A message in one form for all wires, as spans, rules and people read it. */
export interface WireMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly text: string
  readonly tool_calls?: readonly WireToolCall[]
  /** The call that a tool's result belongs to. */
  readonly tool_call_id?: string
}

export interface WireRequest {
  readonly model: string | null
  readonly stream: boolean
  readonly messages: readonly WireMessage[]
  /** The names of the tools that are offered. */
  readonly tools: readonly string[]
}

export interface WireUsage {
  /** Tokens that were read from the provider's cache are among them. */
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cachedInputTokens: number
}

export interface WireReply {
  readonly model: string | null
  readonly text: string
  readonly toolCalls: readonly WireToolCall[]
  readonly finish: string | null
  readonly usage: WireUsage | null
}

/** A reply that is made here, by a script, in no wire's form yet. */
export interface MadeReply {
  readonly text: string | null
  readonly toolCalls: readonly WireToolCall[]
  readonly usage: WireUsage
}

export interface RenderContext {
  readonly model: string
  readonly stream: boolean
  /** Tells replies apart in their ids; the same request has the same one. */
  readonly seed: string
}

export interface Rendered {
  readonly contentType: string
  readonly chunks: readonly string[]
}

/** One operation of a wire: how its requests and replies are read, and how replies and errors are written. */
export interface WireOperation {
  readonly wire: ModelWire
  readonly name: 'chat.completions' | 'responses' | 'messages' | 'generateContent' | 'streamGenerateContent'
  readRequest(body: unknown, place: { readonly model: string | null }): WireRequest
  /** A whole reply, or the events of a stream. */
  readReply(body: string): WireReply
  render(reply: MadeReply, context: RenderContext): Rendered
  error(status: number, message: string): object
  /** What the last event of a stream holds: a caller that hangs up after it has heard everything. */
  readonly lastEvent: RegExp
}

export const noReply: WireReply = { model: null, text: '', toolCalls: [], finish: null, usage: null }

/** Text in pieces of a word each, as models speak. */
export const pieces = (whole: string): string[] => whole.match(/\S+\s*|\s+/g) ?? []
