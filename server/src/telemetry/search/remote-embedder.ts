import { z } from 'zod'
import { type Embedder, EmbeddingFailed, normalized } from './embedder.ts'

const Reply = z.object({
  data: z.array(z.object({ index: z.number().optional(), embedding: z.array(z.number()) })),
})

const timeoutMs = 30_000

/** Any endpoint that answers `POST {baseUrl}/embeddings` as OpenAI's does. */
export const remoteEmbedder = (options: {
  readonly baseUrl: string
  readonly apiKey: string | undefined
  readonly model: string
}): Embedder => ({
  id: `remote:${options.model}`,
  embed: async (texts) => {
    if (texts.length === 0) return []
    const reply = await ask(options, texts)
    const parsed = Reply.safeParse(reply)
    if (!parsed.success || parsed.data.data.length !== texts.length)
      throw new EmbeddingFailed('The embeddings endpoint did not answer with one vector for each text.')
    const ordered = parsed.data.data.map((item, place) => ({ ...item, index: item.index ?? place }))
    return ordered.sort((a, b) => a.index - b.index).map(({ embedding }) => normalized(embedding))
  },
  close: async () => {},
})

const ask = async (
  { baseUrl, apiKey, model }: { baseUrl: string; apiKey: string | undefined; model: string },
  input: readonly string[],
): Promise<unknown> => {
  try {
    const reply = await fetch(`${baseUrl.replace(/\/+$/, '')}/embeddings`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
      },
      body: JSON.stringify({ model, input }),
      signal: AbortSignal.timeout(timeoutMs),
    })
    if (!reply.ok) throw new EmbeddingFailed(`The embeddings endpoint answered ${reply.status}.`)
    return await reply.json()
  } catch (cause) {
    if (cause instanceof EmbeddingFailed) throw cause
    throw new EmbeddingFailed('The embeddings endpoint could not be reached.', { cause })
  }
}
