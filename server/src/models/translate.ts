import type { AnthropicProvider } from '@ai-sdk/anthropic'
import { jsonIn } from '@diorama/contract/records'
import type { ModelMessage, ModelReply, ModelRequest, ModelTool, ToolCall } from './model.ts'

/** A model as the provider packages offer it. */
export type NativeModel = ReturnType<AnthropicProvider>
export type NativeOptions = Parameters<NativeModel['doGenerate']>[0]
export type NativeResult = Awaited<ReturnType<NativeModel['doGenerate']>>
type NativeMessage = NativeOptions['prompt'][number]
type NativeTool = NonNullable<NativeOptions['tools']>[number]
type Schema = Extract<NativeTool, { type: 'function' }>['inputSchema']
export type NativeContent = NativeResult['content'][number]
type AssistantPart = Extract<NativeMessage, { role: 'assistant' }>['content'][number]

/** Our request in the form of the provider packages. */
export const toNative = (request: ModelRequest, signal: AbortSignal): NativeOptions => {
  const { instructions, messages, tools, output } = request
  const system: NativeMessage[] = instructions ? [{ role: 'system', content: instructions }] : []
  return {
    prompt: [...system, ...messages.map(toMessage)],
    abortSignal: signal,
    ...(tools && tools.length > 0 ? { tools: tools.map(toTool), toolChoice: { type: 'auto' as const } } : {}),
    ...(output
      ? { responseFormat: { type: 'json' as const, name: output.name, schema: output.schema as Schema } }
      : {}),
    ...(request.maxOutputTokens === undefined ? {} : { maxOutputTokens: request.maxOutputTokens }),
    ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
  }
}

const toTool = ({ name, description, inputSchema }: ModelTool): NativeTool => ({
  type: 'function',
  name,
  description,
  inputSchema: inputSchema as Schema,
})

const toMessage = (message: ModelMessage): NativeMessage => {
  if (message.role === 'user') return { role: 'user', content: [{ type: 'text', text: message.text }] }
  if (message.role === 'tool')
    return {
      role: 'tool',
      content: message.results.map(({ id, name, text, failed }) => ({
        type: 'tool-result' as const,
        toolCallId: id,
        toolName: name,
        output: { type: failed ? ('error-text' as const) : ('text' as const), value: text },
      })),
    }
  return 'text' in message
    ? { role: 'assistant', content: [{ type: 'text', text: message.text }] }
    : { role: 'assistant', content: (message.reply.native as NativeContent[]).flatMap(toPart) }
}

/** Text, thought and tool calls go back as they came, with whatever the provider needs to know them again. */
const toPart = (content: NativeContent): AssistantPart[] => {
  if (content.type === 'text' || content.type === 'reasoning')
    return [{ type: content.type, text: content.text, ...options(content.providerMetadata) }]
  if (content.type !== 'tool-call') return []
  const { toolCallId, toolName, input, providerMetadata } = content
  return [
    { type: 'tool-call', toolCallId, toolName, input: parsed(input) ?? {}, ...options(providerMetadata) },
  ]
}

const options = (metadata: AssistantPart['providerOptions']) =>
  metadata ? { providerOptions: metadata } : {}

const finishes = {
  stop: 'stop',
  length: 'length',
  'tool-calls': 'tool_calls',
  'content-filter': 'filtered',
  error: 'other',
  interrupted: 'other',
  other: 'other',
} as const

/** A provider's reply in our form, without its price. */
export const fromNative = (
  result: Pick<NativeResult, 'content' | 'finishReason' | 'usage' | 'structuredOutputText'>,
  wantsObject: boolean,
): Omit<ModelReply, 'costUsd'> => {
  const text = result.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')
  const toolCalls = result.content.flatMap((part): ToolCall[] =>
    part.type === 'tool-call'
      ? [{ id: part.toolCallId, name: part.toolName, input: parsed(part.input) }]
      : [],
  )
  return {
    text,
    toolCalls,
    object: wantsObject ? parsed(withoutFence(result.structuredOutputText ?? text)) : undefined,
    usage: {
      inputTokens: result.usage.inputTokens.total ?? 0,
      outputTokens: result.usage.outputTokens.total ?? 0,
    },
    finish: finishes[result.finishReason.unified],
    native: result.content,
  }
}

const parsed = (text: string): unknown => jsonIn(text === '' ? '{}' : text)

/** Endpoints that know no schemas often put the object into a code fence. */
const withoutFence = (text: string): string =>
  /^\s*```(?:json)?\s*([\s\S]*?)\s*```\s*$/.exec(text)?.[1] ?? text
