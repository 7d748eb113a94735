import type { Readable } from 'node:stream'
import type { CapturedText } from '../sandbox.ts'

/** A job may print past its limit and lose the rest; past this many times the limit it is ended. */
const excessFactor = 16

/** Keeps the beginning of what a job prints, within one budget for all its streams. */
export class OutputCapture {
  readonly #limitBytes: number
  readonly #onExcess: () => void
  #keptBytes = 0
  #seenBytes = 0

  constructor(limitBytes: number, onExcess: () => void) {
    this.#limitBytes = limitBytes
    this.#onExcess = onExcess
  }

  attach(stream: Readable): () => CapturedText {
    const kept: Buffer[] = []
    let truncated = false
    stream.on('data', (chunk: Buffer) => {
      const room = this.#limitBytes - this.#keptBytes
      if (chunk.length > room) truncated = true
      if (room > 0) {
        kept.push(chunk.length > room ? chunk.subarray(0, room) : chunk)
        this.#keptBytes += Math.min(room, chunk.length)
      }
      this.#seenBytes += chunk.length
      if (this.#seenBytes > this.#limitBytes * excessFactor) this.#onExcess()
    })
    stream.on('error', () => undefined)
    return () => ({ text: Buffer.concat(kept).toString('utf8'), truncated })
  }
}

/** Keeps a private channel's bytes up to a limit and drops the rest. */
export const captureChannel = (stream: Readable, limitBytes: number): (() => Uint8Array) => {
  const kept: Buffer[] = []
  let size = 0
  stream.on('data', (chunk: Buffer) => {
    const room = limitBytes - size
    if (room <= 0) return
    kept.push(chunk.subarray(0, room))
    size += Math.min(room, chunk.length)
  })
  stream.on('error', () => undefined)
  return () => Buffer.concat(kept)
}
