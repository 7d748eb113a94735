import { anthropicMessages } from './anthropic-messages.ts'
import { geminiGenerate, geminiStream } from './gemini.ts'
import { openAiChat } from './openai-chat.ts'
import { openAiResponses } from './openai-responses.ts'
import type { WireOperation } from './operation.ts'

/** An operation as a request names it. */
export interface FoundOperation {
  readonly operation: WireOperation
  /** The model, where the path names it. */
  readonly model: string | null
  /** The path below the base URL of a provider, without its query. */
  readonly suffix: string
  readonly query: string
}

const suffixes: readonly (readonly [suffix: string, operation: WireOperation])[] = [
  ['/chat/completions', openAiChat],
  ['/responses', openAiResponses],
  ['/messages', anthropicMessages],
]
const gemini = /\/models\/([\w.-]+):(generateContent|streamGenerateContent)$/

/** Which operation of a wire a request is, whatever base its path has; undefined for what is not emulated. */
export const operationAt = (method: string, path: string): FoundOperation | undefined => {
  if (method !== 'POST') return undefined
  const [place = '', query = ''] = path.split('?', 2)
  const plain = suffixes.find(([suffix]) => place.endsWith(suffix))
  if (plain) return { operation: plain[1], model: null, suffix: plain[0], query }
  const [suffix, model, name] = gemini.exec(place) ?? []
  if (suffix === undefined || model === undefined) return undefined
  const operation = name === 'streamGenerateContent' ? geminiStream : geminiGenerate
  return { operation, model, suffix, query }
}
