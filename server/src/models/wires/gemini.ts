import { jsonIn } from '@diorama/contract/records'
import { jsonMessagesIn } from '@diorama/contract/server-sent-events'
import { count, event, type Json, list, object, text } from './json.ts'
import {
  type MadeReply,
  pieces,
  type RenderContext,
  type Rendered,
  type WireMessage,
  type WireOperation,
  type WireReply,
} from './operation.ts'

const textOf = (parts: readonly Json[]): string =>
  parts
    .flatMap((part) => (typeof part.text === 'string' && part.thought !== true ? [part.text] : []))
    .join('')

const callsOf = (parts: readonly Json[]) =>
  parts.flatMap(({ functionCall }) => {
    const { id, name, args } = object(functionCall)
    return functionCall === undefined
      ? []
      : [{ id: text(id) ?? text(name) ?? '', name: text(name) ?? '', input: args ?? {} }]
  })

const messages = (value: unknown): WireMessage[] => {
  const { role, parts } = object(value)
  const all = list(parts).map(object)
  const results = all.flatMap(({ functionResponse }): WireMessage[] => {
    const { id, name, response } = object(functionResponse)
    return functionResponse === undefined
      ? []
      : [
          {
            role: 'tool',
            text: JSON.stringify(response ?? null),
            tool_call_id: text(id) ?? text(name) ?? '',
          },
        ]
  })
  const said = textOf(all)
  const calls = callsOf(all)
  if (said === '' && calls.length === 0 && results.length > 0) return results
  const speaker = role === 'model' ? 'assistant' : 'user'
  return [...results, { role: speaker, text: said, ...(calls.length > 0 ? { tool_calls: calls } : {}) }]
}

const readReply = (body: string): WireReply => {
  const whole = jsonIn(body)
  const pieces = whole === undefined ? jsonMessagesIn(body) : Array.isArray(whole) ? whole : [whole]
  const all = pieces.map(object)
  const parts = all
    .flatMap(({ candidates }) => list(object(object(list(candidates)[0]).content).parts))
    .map(object)
  const counted = object(all.findLast(({ usageMetadata }) => usageMetadata !== undefined)?.usageMetadata)
  const finish = all.flatMap(({ candidates }) => text(object(list(candidates)[0]).finishReason) ?? []).at(-1)
  return {
    model: all.flatMap(({ modelVersion }) => text(modelVersion) ?? []).at(-1) ?? null,
    text: textOf(parts),
    toolCalls: callsOf(parts),
    finish: finish ?? null,
    usage:
      Object.keys(counted).length === 0
        ? null
        : {
            inputTokens: count(counted.promptTokenCount),
            outputTokens: count(counted.candidatesTokenCount) + count(counted.thoughtsTokenCount),
            cachedInputTokens: count(counted.cachedContentTokenCount),
          },
  }
}

const render = (reply: MadeReply, { model, stream }: RenderContext): Rendered => {
  const { inputTokens, outputTokens } = reply.usage
  const usageMetadata = {
    promptTokenCount: inputTokens,
    candidatesTokenCount: outputTokens,
    totalTokenCount: inputTokens + outputTokens,
  }
  const calls = reply.toolCalls.map(({ id, name, input }) => ({ functionCall: { id, name, args: input } }))
  const piece = (parts: readonly object[], last: boolean) => ({
    candidates: [{ index: 0, content: { role: 'model', parts }, ...(last ? { finishReason: 'STOP' } : {}) }],
    modelVersion: model,
    ...(last ? { usageMetadata } : {}),
  })
  const said = reply.text === null ? [] : [{ text: reply.text }]
  if (!stream)
    return { contentType: 'application/json', chunks: [JSON.stringify(piece([...said, ...calls], true))] }
  return {
    contentType: 'text/event-stream',
    chunks: [
      ...pieces(reply.text ?? '').map((word) => event(piece([{ text: word }], false))),
      event(piece(calls, true)),
    ],
  }
}

const operation = (name: 'generateContent' | 'streamGenerateContent'): WireOperation => ({
  wire: 'gemini',
  name,
  readRequest: (body, { model }) => {
    const { contents, systemInstruction, system_instruction, tools } = object(body)
    const instructions = textOf(list(object(systemInstruction ?? system_instruction).parts).map(object))
    return {
      model,
      stream: name === 'streamGenerateContent',
      messages: [
        ...(instructions === '' ? [] : [{ role: 'system' as const, text: instructions }]),
        ...list(contents).flatMap(messages),
      ],
      tools: list(tools).flatMap((tool) =>
        list(object(tool).functionDeclarations ?? object(tool).function_declarations).map(
          (one) => text(object(one).name) ?? '',
        ),
      ),
    }
  },
  readReply,
  render,
  lastEvent: /"finishReason"/,
  error: (status, message) => ({
    error: { code: status, message, status: status === 429 ? 'RESOURCE_EXHAUSTED' : 'UNAVAILABLE' },
  }),
})

export const geminiGenerate = operation('generateContent')
export const geminiStream = operation('streamGenerateContent')
