/** Turns texts into vectors of length one: near in meaning is near in angle. */
export interface Embedder {
  /** Vectors of one id are comparable; those of another are made anew. */
  readonly id: string
  /** Somebody waits for a query; what is read into the search lets it go first. */
  embed(texts: readonly string[], priority?: 'query' | 'index'): Promise<readonly Float32Array[]>
  close(): Promise<void>
}

/** The service that embeds did not answer as it should. */
export class EmbeddingFailed extends Error {
  override readonly name = 'EmbeddingFailed'
}

export const normalized = (values: ArrayLike<number>): Float32Array => {
  const vector = Float32Array.from(values)
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0)) || 1
  return vector.map((value) => value / length)
}

/** One bit for each dimension, its sign: close vectors share most of their bits, and bits are quick to compare. */
export const signBits = (vector: Float32Array): string => {
  let bits = ''
  for (const value of vector) bits += value > 0 ? '1' : '0'
  return bits
}

export const toBytes = (vector: Float32Array): Buffer =>
  Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength)

export const fromBytes = (bytes: Buffer): Float32Array => {
  const copy = new Uint8Array(bytes)
  return new Float32Array(copy.buffer, 0, Math.floor(copy.byteLength / 4))
}

export const nearness = (a: Float32Array, b: Float32Array): number => {
  let sum = 0
  for (let at = 0; at < a.length; at++) sum += (a[at] ?? 0) * (b[at] ?? 0)
  return sum
}
