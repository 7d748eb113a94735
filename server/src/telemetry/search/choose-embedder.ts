import type { Embedder } from './embedder.ts'
import { localEmbedder } from './local-embedder.ts'
import { remoteEmbedder } from './remote-embedder.ts'

export interface EmbedderChoice {
  readonly embeddings: 'local' | 'openai-compatible' | 'off'
  readonly model: string
  readonly baseUrl: string | undefined
  readonly apiKey: string | undefined
}

export const chooseEmbedder = ({
  embeddings,
  model,
  baseUrl,
  apiKey,
}: EmbedderChoice): Embedder | undefined => {
  if (embeddings === 'off') return undefined
  if (embeddings === 'local') return localEmbedder()
  return remoteEmbedder({ baseUrl: baseUrl ?? 'https://api.openai.com/v1', apiKey, model })
}
