import { LongPiece, textOf } from './lines.ts'

export type JsonPath = readonly (string | number)[]

export interface JsonValue {
  readonly path: JsonPath
  readonly text: string
}

interface Container {
  readonly isArray: boolean
  key: string | number
}

const maxDepth = 64
const quote = 0x22
const backslash = 0x5c

/**
 * Cuts a JSON document of any size into the values that are wanted, by their paths; only one of them is held at a time.
 * What lies outside of them is read for its structure alone.
 */
export async function* jsonValues(
  chunks: AsyncIterable<Uint8Array>,
  isWanted: (path: JsonPath) => boolean,
  maxChars = 32 << 20,
): AsyncGenerator<JsonValue> {
  const cutter = createCutter(isWanted, maxChars)
  for await (const text of textOf(chunks)) yield* cutter.feed(text)
  cutter.end()
}

const createCutter = (isWanted: (path: JsonPath) => boolean, maxChars: number) => {
  const stack: Container[] = []
  /** The value that is being collected: how deep it began, and what of it came in earlier chunks. */
  let wanted: { path: JsonPath; depth: number; held: string } | undefined
  let start = 0
  let inString = false
  let isEscaped = false
  let isKey = false
  let key = ''
  let scalar = false
  let text = ''

  const path = (): JsonPath => stack.map((container) => container.key)
  const take = (to: number): JsonValue => {
    const found = wanted
    wanted = undefined
    return { path: found?.path ?? [], text: (found?.held ?? '') + text.slice(start, to) }
  }
  const begin = (at: number): void => {
    if (wanted || stack.length === 0) return
    const here = path()
    if (!isWanted(here)) return
    wanted = { path: here, depth: stack.length, held: '' }
    start = at
  }

  function* feed(chunk: string): Generator<JsonValue> {
    text = chunk
    start = 0
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (inString) {
        const isEnd = readString(code, at)
        if (isEnd && wanted && wanted.depth === stack.length && !isKey) yield take(at + 1)
        if (isEnd) isKey = false
        continue
      }
      const found = step(code, at)
      if (found) yield found
    }
    if (!wanted) return
    wanted.held += text.slice(start)
    if (wanted.held.length > maxChars) throw new LongPiece(maxChars)
  }

  const readString = (code: number, at: number): boolean => {
    if (isKey) key += text.charAt(at)
    if (isEscaped) isEscaped = false
    else if (code === backslash) isEscaped = true
    else if (code === quote) {
      inString = false
      return true
    }
    return false
  }

  const open = (isArray: boolean, at: number): void => {
    begin(at)
    if (stack.length >= maxDepth) throw new SyntaxError(`is nested more than ${maxDepth} deep`)
    stack.push({ isArray, key: isArray ? 0 : '' })
    isKey = !isArray
  }

  /** One character outside of strings; gives a value that it ends. */
  const step = (code: number, at: number): JsonValue | undefined => {
    const top = stack.at(-1)
    switch (code) {
      case quote:
        if (isKey) key = '"'
        else begin(at)
        inString = true
        return undefined
      case 0x7b:
      case 0x5b:
        open(code === 0x5b, at)
        return undefined
      case 0x7d:
      case 0x5d: {
        const ended = endScalar(at)
        isKey = false
        if (!top || top.isArray !== (code === 0x5d)) throw new SyntaxError('has a bracket that does not fit')
        stack.pop()
        return ended ?? (wanted && wanted.depth === stack.length ? take(at + 1) : undefined)
      }
      case 0x3a:
        if (top && !top.isArray) top.key = JSON.parse(key)
        return undefined
      case 0x2c: {
        const ended = endScalar(at)
        if (top?.isArray) top.key = Number(top.key) + 1
        else isKey = true
        return ended
      }
      case 0x20:
      case 0x0a:
      case 0x0d:
      case 0x09:
        return endScalar(at)
      default:
        if (!scalar) begin(at)
        scalar = true
        return undefined
    }
  }

  const endScalar = (at: number): JsonValue | undefined => {
    if (!scalar) return undefined
    scalar = false
    return wanted && wanted.depth === stack.length ? take(at) : undefined
  }

  return {
    feed,
    end: (): void => {
      if (inString || stack.length > 0) throw new SyntaxError('ends before the document does')
    },
  }
}
