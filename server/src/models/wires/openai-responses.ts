import { jsonIn } from '@diorama/contract/records'
import { jsonMessagesIn } from '@diorama/contract/server-sent-events'
import { count, event, type Json, list, object, text } from './json.ts'
import { contentText, openAiError, roleOf } from './openai-chat.ts'
import {
  type MadeReply,
  noReply,
  pieces,
  type RenderContext,
  type Rendered,
  type WireMessage,
  type WireOperation,
  type WireReply,
} from './operation.ts'

const message = (value: unknown): WireMessage => {
  const item = object(value)
  const id = text(item.call_id) ?? ''
  if (item.type === 'function_call') {
    const given = text(item.arguments) ?? ''
    const call = { id, name: text(item.name) ?? '', input: jsonIn(given) ?? given }
    return { role: 'assistant', text: '', tool_calls: [call] }
  }
  if (item.type === 'function_call_output')
    return { role: 'tool', text: contentText(item.output), tool_call_id: id }
  return { role: roleOf(item.role), text: contentText(item.content) }
}

const fromWhole = (body: Json): WireReply => {
  const items = list(body.output).map(object)
  const { input_tokens, output_tokens, input_tokens_details } = object(body.usage)
  return {
    model: text(body.model),
    text: items
      .filter(({ type }) => type === 'message')
      .map(({ content }) => contentText(content))
      .join('\n'),
    toolCalls: items
      .filter(({ type }) => type === 'function_call')
      .map(({ call_id, name, arguments: given }) => ({
        id: text(call_id) ?? '',
        name: text(name) ?? '',
        input: jsonIn(text(given) ?? '') ?? given,
      })),
    finish: text(body.status),
    usage:
      body.usage == null
        ? null
        : {
            inputTokens: count(input_tokens),
            outputTokens: count(output_tokens),
            cachedInputTokens: count(object(input_tokens_details).cached_tokens),
          },
  }
}

const fromEvents = (events: readonly Json[]): WireReply => {
  const last = events.findLast(({ type }) =>
    ['response.completed', 'response.incomplete', 'response.failed'].includes(text(type) ?? ''),
  )
  if (last) return fromWhole(object(last.response))
  const said = events.filter(({ type }) => type === 'response.output_text.delta')
  return { ...noReply, text: said.map(({ delta }) => text(delta) ?? '').join('') }
}

const outputOf = (reply: MadeReply, seed: string) => [
  ...(reply.text === null
    ? []
    : [
        {
          type: 'message',
          id: `msg_${seed}`,
          status: 'completed',
          role: 'assistant',
          content: [{ type: 'output_text', text: reply.text, annotations: [], logprobs: [] }],
        },
      ]),
  ...reply.toolCalls.map(({ id, name, input }) => ({
    type: 'function_call',
    id: `fc_${id}`,
    call_id: id,
    name,
    arguments: JSON.stringify(input),
    status: 'completed',
  })),
]

const render = (reply: MadeReply, { model, stream, seed }: RenderContext): Rendered => {
  const { inputTokens, outputTokens } = reply.usage
  const output = outputOf(reply, seed)
  const head = {
    ...{
      id: `resp_${seed}`,
      object: 'response',
      created_at: 0,
      model,
      error: null,
      incomplete_details: null,
    },
    ...{ instructions: null, metadata: {}, parallel_tool_calls: true, temperature: 1, tool_choice: 'auto' },
    ...{ tools: [], top_p: 1 },
  }
  const whole = {
    ...head,
    status: 'completed',
    output,
    usage: {
      input_tokens: inputTokens,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: outputTokens,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: inputTokens + outputTokens,
    },
  }
  if (!stream) return { contentType: 'application/json', chunks: [JSON.stringify(whole)] }
  let sequence_number = 0
  const told = (type: string, rest: object) =>
    event({ type, sequence_number: sequence_number++, ...rest }, type)
  const started = { ...head, status: 'in_progress', output: [], usage: null }
  return {
    contentType: 'text/event-stream; charset=utf-8',
    chunks: [
      told('response.created', { response: started }),
      told('response.in_progress', { response: started }),
      ...output.flatMap((item, output_index) => itemEvents(item, output_index, told)),
      told('response.completed', { response: whole }),
    ],
  }
}

type OutputItem = ReturnType<typeof outputOf>[number]

const itemEvents = (
  item: OutputItem,
  output_index: number,
  told: (type: string, rest: object) => string,
): string[] => {
  const place = { item_id: item.id, output_index }
  if ('arguments' in item)
    return [
      told('response.output_item.added', {
        output_index,
        item: { ...item, arguments: '', status: 'in_progress' },
      }),
      told('response.function_call_arguments.delta', { ...place, delta: item.arguments }),
      told('response.function_call_arguments.done', { ...place, name: item.name, arguments: item.arguments }),
      told('response.output_item.done', { output_index, item }),
    ]
  const [part] = item.content
  const inside = { ...place, content_index: 0 }
  return [
    told('response.output_item.added', {
      output_index,
      item: { ...item, content: [], status: 'in_progress' },
    }),
    told('response.content_part.added', { ...inside, part: { ...part, text: '' } }),
    ...pieces(part?.text ?? '').map((delta) =>
      told('response.output_text.delta', { ...inside, delta, logprobs: [] }),
    ),
    told('response.output_text.done', { ...inside, text: part?.text ?? '', logprobs: [] }),
    told('response.content_part.done', { ...inside, part }),
    told('response.output_item.done', { output_index, item }),
  ]
}

/** Responses. */
export const openAiResponses: WireOperation = {
  wire: 'openai',
  name: 'responses',
  readRequest: (body) => {
    const { model, stream, input, instructions, tools } = object(body)
    const system = text(instructions)
    return {
      model: text(model),
      stream: stream === true,
      messages: [
        ...(system === null ? [] : [{ role: 'system' as const, text: system }]),
        ...(typeof input === 'string' ? [{ role: 'user' as const, text: input }] : list(input).map(message)),
      ],
      tools: list(tools).map((tool) => text(object(tool).name) ?? text(object(tool).type) ?? ''),
    }
  },
  readReply: (body) => {
    const whole = jsonIn(body)
    return whole === undefined ? fromEvents(jsonMessagesIn(body).map(object)) : fromWhole(object(whole))
  },
  render,
  error: openAiError,
  lastEvent: /"response\.(completed|incomplete)"/,
}
