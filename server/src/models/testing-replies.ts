/** What the stand-in says to one request. */
export interface Scripted {
  readonly text?: string
  readonly toolCalls?: readonly { id: string; name: string; input: unknown }[]
  readonly usage?: { input: number; output: number }
  /** An error instead of an answer. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Never answers: for time-outs and cancelling. */
  readonly silent?: true
  /** Breaks off in the middle of its answer. */
  readonly broken?: true
}

interface StandInEvent {
  readonly event?: string
  readonly data: unknown
}

interface Replies {
  readonly whole: (reply: Scripted) => object
  readonly events: (reply: Scripted) => readonly StandInEvent[]
}

const words = (text: string) => text.split(/(?<= )/)

const usageOf = ({ usage }: Scripted) => usage ?? { input: 10, output: 5 }
const openAiUsage = (reply: Scripted) => {
  const { input, output } = usageOf(reply)
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output }
}
const openAiCalls = ({ toolCalls = [] }: Scripted) =>
  toolCalls.map(({ id, name, input }, index) => ({
    index,
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }))
const envelope = { id: 'cmpl-1', created: 1_700_000_000, model: 'stand-in' }

const openAiReply = (reply: Scripted) => ({
  ...envelope,
  object: 'chat.completion',
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: reply.text ?? null,
        ...(reply.toolCalls ? { tool_calls: openAiCalls(reply) } : {}),
      },
      finish_reason: reply.toolCalls ? 'tool_calls' : 'stop',
    },
  ],
  usage: openAiUsage(reply),
})

const openAiEvents = (reply: Scripted) => {
  const chunk = (delta: unknown, finish: string | null = null) => ({
    data: {
      ...envelope,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, finish_reason: finish }],
    },
  })
  return [
    chunk({ role: 'assistant', content: '' }),
    ...words(reply.text ?? '').map((content) => chunk({ content })),
    ...openAiCalls(reply).map((call) => chunk({ tool_calls: [call] })),
    chunk({}, reply.toolCalls ? 'tool_calls' : 'stop'),
    { data: { ...envelope, object: 'chat.completion.chunk', choices: [], usage: openAiUsage(reply) } },
    { data: '[DONE]' },
  ]
}

const anthropicEnvelope = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'stand-in',
  stop_sequence: null,
}
const stopReason = ({ toolCalls }: Scripted) => (toolCalls ? 'tool_use' : 'end_turn')

const anthropicReply = (reply: Scripted) => {
  const { input, output } = usageOf(reply)
  return {
    ...anthropicEnvelope,
    content: [
      ...(reply.text === undefined ? [] : [{ type: 'text', text: reply.text }]),
      ...(reply.toolCalls ?? []).map((call) => ({ type: 'tool_use', ...call })),
    ],
    stop_reason: stopReason(reply),
    usage: { input_tokens: input, output_tokens: output },
  }
}

const anthropicEvents = (reply: Scripted) => {
  const { input, output } = usageOf(reply)
  const event = (type: string, rest: object) => ({ event: type, data: { type, ...rest } })
  const textBlock =
    reply.text === undefined
      ? []
      : [
          {
            start: { type: 'text', text: '' },
            deltas: words(reply.text).map((piece) => ({ type: 'text_delta', text: piece })),
          },
        ]
  const calls = (reply.toolCalls ?? []).map(({ id, name, input: given }) => ({
    start: { type: 'tool_use', id, name, input: {} },
    deltas: [{ type: 'input_json_delta', partial_json: JSON.stringify(given) }],
  }))
  return [
    event('message_start', {
      message: {
        ...anthropicEnvelope,
        content: [],
        stop_reason: null,
        usage: { input_tokens: input, output_tokens: 1 },
      },
    }),
    ...[...textBlock, ...calls].flatMap(({ start, deltas }, index) => [
      event('content_block_start', { index, content_block: start }),
      ...deltas.map((delta) => event('content_block_delta', { index, delta })),
      event('content_block_stop', { index }),
    ]),
    event('message_delta', {
      delta: { stop_reason: stopReason(reply), stop_sequence: null },
      usage: { output_tokens: output },
    }),
    event('message_stop', {}),
  ]
}

const responseEnvelope = {
  ...{ id: 'resp_1', object: 'response', created_at: 1_700_000_000, model: 'stand-in', error: null },
  ...{ incomplete_details: null, instructions: null, metadata: {}, parallel_tool_calls: true, tools: [] },
  ...{ temperature: 1, top_p: 1, tool_choice: 'auto' },
}

const responseItems = ({ text = '', toolCalls }: Scripted) =>
  toolCalls
    ? toolCalls.map(({ id, name, input }) => ({
        ...{ type: 'function_call', id: `fc_${id}`, call_id: id, name, status: 'completed' },
        arguments: JSON.stringify(input),
      }))
    : [
        {
          ...{ type: 'message', id: 'msg_1', role: 'assistant', status: 'completed' },
          content: [{ type: 'output_text', text, annotations: [] }],
        },
      ]

const responseReply = (reply: Scripted) => {
  const { input, output } = usageOf(reply)
  return {
    ...responseEnvelope,
    status: 'completed',
    output: responseItems(reply),
    usage: {
      input_tokens: input,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: output,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: input + output,
    },
  }
}

const responseEvents = (reply: Scripted): StandInEvent[] => {
  let sequence_number = 0
  const event = (type: string, rest: object) => ({
    event: type,
    data: { type, sequence_number: sequence_number++, ...rest },
  })
  const item = (whole: ReturnType<typeof responseItems>[number], output_index: number) => {
    const place = { item_id: whole.id, output_index }
    const isCall = 'arguments' in whole
    const begun = { ...whole, status: 'in_progress', ...(isCall ? { arguments: '' } : { content: [] }) }
    const inside = isCall
      ? [
          event('response.function_call_arguments.delta', { ...place, delta: whole.arguments }),
          event('response.function_call_arguments.done', { ...place, arguments: whole.arguments }),
        ]
      : [
          event('response.content_part.added', {
            ...{ ...place, content_index: 0, part: { type: 'output_text', text: '', annotations: [] } },
          }),
          ...words(reply.text ?? '').map((delta) =>
            event('response.output_text.delta', { ...place, content_index: 0, delta }),
          ),
          event('response.output_text.done', { ...place, content_index: 0, text: reply.text ?? '' }),
          event('response.content_part.done', { ...place, content_index: 0, part: whole.content[0] }),
        ]
    return [
      event('response.output_item.added', { output_index, item: begun }),
      ...inside,
      event('response.output_item.done', { output_index, item: whole }),
    ]
  }
  const started = { ...responseEnvelope, status: 'in_progress', output: [], usage: null }
  return [
    event('response.created', { response: started }),
    ...responseItems(reply).flatMap(item),
    event('response.completed', { response: responseReply(reply) }),
  ]
}

const geminiPiece = (reply: Scripted, parts: readonly object[], last: boolean) => {
  const { input, output } = usageOf(reply)
  return {
    candidates: [{ index: 0, content: { role: 'model', parts }, ...(last ? { finishReason: 'STOP' } : {}) }],
    modelVersion: 'stand-in',
    ...(last
      ? {
          usageMetadata: {
            promptTokenCount: input,
            candidatesTokenCount: output,
            totalTokenCount: input + output,
          },
        }
      : {}),
  }
}

const geminiCalls = ({ toolCalls = [] }: Scripted) =>
  toolCalls.map(({ id, name, input }) => ({ functionCall: { id, name, args: input } }))

const geminiReply = (reply: Scripted) =>
  geminiPiece(
    reply,
    [...(reply.text === undefined ? [] : [{ text: reply.text }]), ...geminiCalls(reply)],
    true,
  )

const geminiEvents = (reply: Scripted): StandInEvent[] => [
  ...words(reply.text ?? '').map((piece) => ({ data: geminiPiece(reply, [{ text: piece }], false) })),
  { data: geminiPiece(reply, geminiCalls(reply), true) },
]

/** How the stand-in writes a reply, on each wire. */
export const repliesOf: Readonly<Record<'openai' | 'responses' | 'anthropic' | 'gemini', Replies>> = {
  openai: { whole: openAiReply, events: openAiEvents },
  responses: { whole: responseReply, events: responseEvents },
  anthropic: { whole: anthropicReply, events: anthropicEvents },
  gemini: { whole: geminiReply, events: geminiEvents },
}
