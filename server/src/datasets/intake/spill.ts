import { createReadStream } from 'node:fs'
import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { linesOf } from '@diorama/twin-kit/datasets/lines'

/**
 * Lines by key, on disk: what an import has read and not yet stored. Writes are gathered, so that thousands of keys
 * need neither open files nor much memory.
 */
export interface Spill {
  readonly put: (key: string, line: string) => Promise<void> | void
  readonly keys: () => readonly string[]
  readonly count: (key: string) => number
  /** Everything that was put under a key, in its order. */
  readonly lines: (key: string) => AsyncIterable<string>
}

const maxHeldChars = 1 << 20
const readBytes = 262_144

export const createSpill = (folder: string, prefix: string): Spill => {
  const files = new Map<string, { path: string; held: string[]; count: number }>()
  let heldChars = 0

  const flush = async (): Promise<void> => {
    heldChars = 0
    for (const file of files.values()) {
      if (file.held.length === 0) continue
      const text = `${file.held.join('\n')}\n`
      file.held = []
      await appendFile(file.path, text)
    }
  }
  const fileOf = (key: string) => {
    const known = files.get(key)
    if (known) return known
    const made = { path: join(folder, `${prefix}-${files.size}`), held: [], count: 0 }
    files.set(key, made)
    return made
  }
  return {
    put: (key, line) => {
      const file = fileOf(key) as { held: string[]; count: number }
      file.held.push(line)
      file.count++
      heldChars += line.length
      return heldChars > maxHeldChars ? flush() : undefined
    },
    keys: () => [...files.keys()],
    count: (key) => files.get(key)?.count ?? 0,
    async *lines(key) {
      await flush()
      const file = files.get(key)
      if (file) yield* linesOf(createReadStream(file.path, { highWaterMark: readBytes }), 64 << 20)
    },
  }
}
