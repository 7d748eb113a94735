import { jsonIn } from '@diorama/contract/records'
import { jsonMessagesIn } from '@diorama/contract/server-sent-events'
import { count, event, type Json, list, object, text } from './json.ts'
import { contentText } from './openai-chat.ts'
import {
  type MadeReply,
  pieces,
  type RenderContext,
  type Rendered,
  type WireMessage,
  type WireOperation,
  type WireReply,
  type WireToolCall,
} from './operation.ts'

const toolUse = ({ id, name, input }: Json): WireToolCall => ({
  id: text(id) ?? '',
  name: text(name) ?? '',
  input: input ?? {},
})

/** Tool results come in messages of the user; here each is its own message. */
const messages = (value: unknown): WireMessage[] => {
  const { role, content } = object(value)
  const speaker = role === 'assistant' ? 'assistant' : 'user'
  if (typeof content === 'string') return [{ role: speaker, text: content }]
  const blocks = list(content).map(object)
  const results = blocks
    .filter(({ type }) => type === 'tool_result')
    .map(
      (block): WireMessage => ({
        role: 'tool',
        text: contentText(block.content),
        tool_call_id: text(block.tool_use_id) ?? '',
      }),
    )
  const calls = blocks.filter(({ type }) => type === 'tool_use').map(toolUse)
  const said = blocks.filter(({ type }) => type !== 'tool_result' && type !== 'tool_use')
  if (said.length === 0 && calls.length === 0) return results
  return [
    ...results,
    { role: speaker, text: contentText(said), ...(calls.length > 0 ? { tool_calls: calls } : {}) },
  ]
}

const usage = (value: unknown, before: WireReply['usage'] = null): WireReply['usage'] => {
  if (typeof value !== 'object' || value === null) return before
  const counted = object(value)
  const cached = count(counted.cache_read_input_tokens)
  const input = count(counted.input_tokens) + cached + count(counted.cache_creation_input_tokens)
  return {
    inputTokens: input || (before?.inputTokens ?? 0),
    outputTokens: count(counted.output_tokens) || (before?.outputTokens ?? 0),
    cachedInputTokens: cached || (before?.cachedInputTokens ?? 0),
  }
}

const fromBlocks = (blocks: readonly Json[]): Pick<WireReply, 'text' | 'toolCalls'> => ({
  text: blocks.flatMap(({ type, text: said }) => (type === 'text' ? [text(said) ?? ''] : [])).join('\n'),
  toolCalls: blocks.filter(({ type }) => type === 'tool_use').map(toolUse),
})

const fromEvents = (events: readonly Json[]): WireReply => {
  const blocks = new Map<number, { start: Json; text: string; json: string }>()
  let [model, finish, counted]: [string | null, string | null, WireReply['usage']] = [null, null, null]
  for (const one of events) {
    const started = object(one.message)
    const delta = object(one.delta)
    if (one.type === 'message_start') model = text(started.model)
    if (one.type === 'content_block_start')
      blocks.set(count(one.index), { start: object(one.content_block), text: '', json: '' })
    const block = blocks.get(count(one.index))
    if (one.type === 'content_block_delta' && block) {
      block.text += text(delta.text) ?? ''
      block.json += text(delta.partial_json) ?? ''
    }
    if (one.type === 'message_delta') finish = text(delta.stop_reason) ?? finish
    counted = usage(one.type === 'message_start' ? started.usage : one.usage, counted)
  }
  const whole = [...blocks.values()].map(({ start, text: said, json }) => ({
    ...start,
    text: said,
    ...(json === '' ? {} : { input: jsonIn(json) ?? json }),
  }))
  return { model, finish, usage: counted, ...fromBlocks(whole) }
}

const render = (reply: MadeReply, { model, stream, seed }: RenderContext): Rendered => {
  const { inputTokens, outputTokens } = reply.usage
  const finish = reply.toolCalls.length > 0 ? 'tool_use' : 'end_turn'
  const blocks = [
    ...(reply.text === null ? [] : [{ type: 'text' as const, text: reply.text }]),
    ...reply.toolCalls.map(({ id, name, input }) => ({ type: 'tool_use' as const, id, name, input })),
  ]
  const head = { id: `msg_${seed}`, type: 'message', role: 'assistant', model, stop_sequence: null }
  const counted = (output: number) => ({ input_tokens: inputTokens, output_tokens: output })
  if (!stream) {
    const body = { ...head, content: blocks, stop_reason: finish, usage: counted(outputTokens) }
    return { contentType: 'application/json', chunks: [JSON.stringify(body)] }
  }
  const told = (type: string, rest: object = {}) => event({ type, ...rest }, type)
  return {
    contentType: 'text/event-stream; charset=utf-8',
    chunks: [
      told('message_start', { message: { ...head, content: [], stop_reason: null, usage: counted(1) } }),
      ...blocks.flatMap((block, index) => [
        told('content_block_start', {
          index,
          content_block: block.type === 'text' ? { ...block, text: '' } : { ...block, input: {} },
        }),
        ...(block.type === 'text'
          ? pieces(block.text).map((piece) =>
              told('content_block_delta', { index, delta: { type: 'text_delta', text: piece } }),
            )
          : [
              told('content_block_delta', {
                index,
                delta: { type: 'input_json_delta', partial_json: JSON.stringify(block.input) },
              }),
            ]),
        told('content_block_stop', { index }),
      ]),
      told('message_delta', {
        delta: { stop_reason: finish, stop_sequence: null },
        usage: { output_tokens: outputTokens },
      }),
      told('message_stop'),
    ],
  }
}

/** Messages. */
export const anthropicMessages: WireOperation = {
  wire: 'anthropic',
  name: 'messages',
  readRequest: (body) => {
    const { model, stream, system, messages: given, tools } = object(body)
    const instructions = system == null ? [] : [{ role: 'system' as const, text: contentText(system) }]
    return {
      model: text(model),
      stream: stream === true,
      messages: [...instructions, ...list(given).flatMap(messages)],
      tools: list(tools).map((tool) => text(object(tool).name) ?? ''),
    }
  },
  readReply: (body) => {
    const whole = jsonIn(body)
    if (whole === undefined) return fromEvents(jsonMessagesIn(body).map(object))
    const { model, stop_reason, content, usage: counted } = object(whole)
    return {
      model: text(model),
      finish: text(stop_reason),
      usage: usage(counted),
      ...fromBlocks(list(content).map(object)),
    }
  },
  render,
  error: (status, message) => ({
    type: 'error',
    error: { type: status === 429 ? 'rate_limit_error' : 'api_error', message },
  }),
  lastEvent: /"message_stop"/,
}
