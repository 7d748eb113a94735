import { Worker } from 'node:worker_threads'
import { z } from 'zod'
import { type Embedder, EmbeddingFailed, normalized } from './embedder.ts'

const Reply = z.object({
  id: z.number(),
  vectors: z.array(z.instanceof(Float32Array)).optional(),
  error: z.string().optional(),
})

interface Pending {
  readonly resolve: (vectors: readonly Float32Array[]) => void
  readonly reject: (error: Error) => void
}

/**
 * The model that ships inside a package, in a thread of its own: no network, and no request waits while it computes.
 * The thread starts with the first text.
 */
export const localEmbedder = (): Embedder => {
  const pending = new Map<number, Pending>()
  let worker: Worker | undefined
  let count = 0

  const fail = (error: Error) => {
    worker = undefined
    for (const { reject } of pending.values()) reject(error)
    pending.clear()
  }

  const start = (): Worker => {
    const started = new Worker(new URL('./local-embedder-worker.ts', import.meta.url))
    started.unref()
    started.on('message', (message: unknown) => {
      const { id, vectors, error } = Reply.parse(message)
      const waiting = pending.get(id)
      pending.delete(id)
      if (vectors) waiting?.resolve(vectors.map(normalized))
      else waiting?.reject(new EmbeddingFailed(error ?? 'The local model gave no answer.'))
      if (pending.size === 0) started.unref()
    })
    started.on('error', (cause) => fail(new EmbeddingFailed('The local model failed.', { cause })))
    started.on('exit', () => {
      if (worker === started) fail(new EmbeddingFailed('The local model ended.'))
    })
    return started
  }

  return {
    id: 'local:use-lite-512',
    embed: (texts) => {
      if (texts.length === 0) return Promise.resolve([])
      worker ??= start()
      const thread = worker
      return new Promise((resolve, reject) => {
        const id = ++count
        pending.set(id, { resolve, reject })
        thread.ref()
        thread.postMessage({ id, texts })
      })
    },
    close: async () => {
      const running = worker
      fail(new EmbeddingFailed('The local model was closed.'))
      await running?.terminate()
    },
  }
}
