import { jsonIn } from '@diorama/contract/records'
import { jsonMessagesIn } from '@diorama/contract/server-sent-events'
import { count, event, type Json, list, object, text } from './json.ts'
import {
  type MadeReply,
  noReply,
  pieces,
  type RenderContext,
  type Rendered,
  type WireMessage,
  type WireOperation,
  type WireReply,
  type WireToolCall,
} from './operation.ts'

/** Text of a content that is a string, or a list of parts. */
export const contentText = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : list(content)
        .map((part) => text(object(part).text) ?? `[${text(object(part).type) ?? 'part'}]`)
        .join('\n')

const toolCall = (call: unknown): WireToolCall => {
  const { id, function: called } = object(call)
  const { name, arguments: input } = object(called)
  const given = text(input) ?? ''
  return { id: text(id) ?? '', name: text(name) ?? '', input: jsonIn(given) ?? given }
}

const roles = {
  system: 'system',
  developer: 'system',
  user: 'user',
  assistant: 'assistant',
  tool: 'tool',
} as const
export const roleOf = (role: unknown): WireMessage['role'] =>
  Object.hasOwn(roles, text(role) ?? '') ? roles[role as keyof typeof roles] : 'user'

const message = (value: unknown): WireMessage => {
  const { role, content, tool_calls, tool_call_id } = object(value)
  const calls = list(tool_calls).map(toolCall)
  return {
    role: roleOf(role),
    text: contentText(content),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
    ...(typeof tool_call_id === 'string' ? { tool_call_id } : {}),
  }
}

const usage = (value: unknown) => {
  const { prompt_tokens, completion_tokens, prompt_tokens_details } = object(value)
  return typeof value === 'object' && value !== null
    ? {
        inputTokens: count(prompt_tokens),
        outputTokens: count(completion_tokens),
        cachedInputTokens: count(object(prompt_tokens_details).cached_tokens),
      }
    : null
}

const fromEvents = (events: readonly unknown[]): WireReply => {
  const calls = new Map<number, { id: string; name: string; input: string }>()
  let reply: WireReply = noReply
  for (const chunk of events.map(object)) {
    const choice = object(list(chunk.choices)[0])
    const delta = object(choice.delta)
    for (const one of list(delta.tool_calls).map(object)) {
      const called = object(one.function)
      const known = calls.get(count(one.index)) ?? { id: '', name: '', input: '' }
      calls.set(count(one.index), {
        id: text(one.id) ?? known.id,
        name: known.name + (text(called.name) ?? ''),
        input: known.input + (text(called.arguments) ?? ''),
      })
    }
    reply = {
      ...reply,
      model: text(chunk.model) ?? reply.model,
      text: reply.text + (text(delta.content) ?? ''),
      finish: text(choice.finish_reason) ?? reply.finish,
      usage: usage(chunk.usage) ?? reply.usage,
    }
  }
  return {
    ...reply,
    toolCalls: [...calls.values()].map((call) => ({ ...call, input: jsonIn(call.input) ?? call.input })),
  }
}

const fromWhole = (body: Json): WireReply => {
  const choice = object(list(body.choices)[0])
  const { content, tool_calls } = object(choice.message)
  return {
    model: text(body.model),
    text: content == null ? '' : contentText(content),
    toolCalls: list(tool_calls).map(toolCall),
    finish: text(choice.finish_reason),
    usage: usage(body.usage),
  }
}

const calls = ({ toolCalls }: MadeReply) =>
  toolCalls.map(({ id, name, input }, index) => ({
    index,
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }))

const render = (reply: MadeReply, { model, stream, seed }: RenderContext): Rendered => {
  const head = { id: `chatcmpl-${seed}`, created: 0, model }
  const finish = reply.toolCalls.length > 0 ? 'tool_calls' : 'stop'
  const { inputTokens, outputTokens } = reply.usage
  const counted = {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
  }
  const made = calls(reply)
  if (!stream) {
    const said = {
      role: 'assistant',
      content: reply.text,
      refusal: null,
      ...(made.length > 0 ? { tool_calls: made.map(({ index: _, ...call }) => call) } : {}),
    }
    const choices = [{ index: 0, message: said, logprobs: null, finish_reason: finish }]
    const body = { ...head, object: 'chat.completion', choices, usage: counted }
    return { contentType: 'application/json', chunks: [JSON.stringify(body)] }
  }
  const chunk = (delta: object, finish_reason: string | null = null) =>
    event({ ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] })
  return {
    contentType: 'text/event-stream; charset=utf-8',
    chunks: [
      chunk({ role: 'assistant', content: reply.text === null ? null : '' }),
      ...pieces(reply.text ?? '').map((content) => chunk({ content })),
      ...made.map((call) => chunk({ tool_calls: [call] })),
      chunk({}, finish),
      event({ ...head, object: 'chat.completion.chunk', choices: [], usage: counted }),
      event('[DONE]'),
    ],
  }
}

export const openAiError = (status: number, message: string): object => ({
  error: { message, type: status === 429 ? 'requests' : 'server_error', param: null, code: null },
})

/** Chat completions. */
export const openAiChat: WireOperation = {
  wire: 'openai',
  name: 'chat.completions',
  readRequest: (body) => {
    const { model, stream, messages, tools } = object(body)
    return {
      model: text(model),
      stream: stream === true,
      messages: list(messages).map(message),
      tools: list(tools).map((tool) => text(object(object(tool).function).name) ?? ''),
    }
  },
  readReply: (body) => {
    const whole = jsonIn(body)
    return whole === undefined ? fromEvents(jsonMessagesIn(body)) : fromWhole(object(whole))
  },
  render,
  error: openAiError,
  lastEvent: /^data:\s*\[DONE\]/m,
}
