import { Worker } from 'node:worker_threads'
import { z } from 'zod'
import { type Embedder, EmbeddingFailed, normalized } from './embedder.ts'

const Reply = z.object({
  vectors: z.array(z.instanceof(Float32Array)).optional(),
  error: z.string().optional(),
})

/** Texts that go to the model together. A query waits for at most one such batch of the index. */
const maxBatch = 8

interface Batch {
  readonly texts: readonly string[]
  readonly resolve: (vectors: readonly Float32Array[]) => void
  readonly reject: (error: Error) => void
}

/**
 * The model that ships inside a package, in its own thread: no network, and no request waits while it computes. One
 * batch is under way at a time, and queries overtake the batches of the index. The thread starts with the first text.
 */
export const localEmbedder = (): Embedder => {
  const queues = { query: [] as Batch[], index: [] as Batch[] }
  let current: Batch | undefined
  let worker: Worker | undefined

  const fail = (error: Error) => {
    worker = undefined
    const left = [...(current ? [current] : []), ...queues.query.splice(0), ...queues.index.splice(0)]
    current = undefined
    for (const { reject } of left) reject(error)
  }

  const next = () => {
    if (current) return
    current = queues.query.shift() ?? queues.index.shift()
    if (!current) {
      worker?.unref()
      return
    }
    worker ??= start()
    worker.ref()
    worker.postMessage(current.texts)
  }

  const start = (): Worker => {
    const started = new Worker(new URL('./local-embedder-worker.ts', import.meta.url))
    started.unref()
    started.on('message', (message: unknown) => {
      if (worker !== started) return
      const { vectors, error } = Reply.parse(message)
      const done = current
      current = undefined
      if (vectors) done?.resolve(vectors.map(normalized))
      else done?.reject(new EmbeddingFailed(error ?? 'The local model gave no answer.'))
      next()
    })
    started.on('error', (cause) => fail(new EmbeddingFailed('The local model failed.', { cause })))
    started.on('exit', () => {
      if (worker === started) fail(new EmbeddingFailed('The local model ended.'))
    })
    return started
  }

  const embedBatch = (texts: readonly string[], priority: 'query' | 'index') =>
    new Promise<readonly Float32Array[]>((resolve, reject) => {
      queues[priority].push({ texts, resolve, reject })
      next()
    })

  return {
    id: 'local:use-lite-512',
    embed: async (texts, priority = 'index') => {
      const batches: Promise<readonly Float32Array[]>[] = []
      for (let from = 0; from < texts.length; from += maxBatch)
        batches.push(embedBatch(texts.slice(from, from + maxBatch), priority))
      return (await Promise.all(batches)).flat()
    },
    close: async () => {
      const running = worker
      fail(new EmbeddingFailed('The local model was closed.'))
      await running?.terminate()
    },
  }
}
