/**
 * What an agent produced, made fit for the database at the one place where outcomes are written. PostgreSQL refuses NUL
 * and lone surrogates in text and jsonb, and a value can be too large; none of that may cost an agent its verdict, nor
 * save it from one.
 */
const maxTextCharacters = 1_000_000
const maxStepTextCharacters = 8_000
const maxStepItems = 200
const maxDepth = 32

/** Text that the database takes: NUL and lone surrogates become U+FFFD. */
export const storableText = (text: string): string =>
  (text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text).toWellFormed()

/** The start of a text, with a note of how much was left out; never cut inside a character. */
export const headOf = (text: string, maxCharacters: number): string => {
  if (text.length <= maxCharacters) return storableText(text)
  return `${wholeHead(text, maxCharacters)} [truncated: ${text.length - maxCharacters} more characters]`
}

/** The end of a text, never cut inside a character. */
export const tailOf = (text: string, maxCharacters: number): string => {
  if (text.length <= maxCharacters) return storableText(text)
  const tail = text.slice(-maxCharacters)
  return storableText(isLowSurrogate(tail.charCodeAt(0)) ? tail.slice(1) : tail)
}

const wholeHead = (text: string, maxCharacters: number): string => {
  const head = text.slice(0, maxCharacters)
  return storableText(isHighSurrogate(head.charCodeAt(head.length - 1)) ? head.slice(0, -1) : head)
}

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code < 0xdc00
const isLowSurrogate = (code: number): boolean => code >= 0xdc00 && code < 0xe000

export interface ValueLimits {
  readonly maxCharacters: number
  readonly maxItems: number
}

/** A JSON value that the database takes: texts cleaned, long texts and lists cut with a note of what is missing. */
export const storableValue = (value: unknown, limits: ValueLimits, depth = 0): unknown => {
  if (typeof value === 'string') return headOf(value, limits.maxCharacters)
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Date) return value
  if (depth >= maxDepth) return '[truncated: nested too deeply]'
  if (Array.isArray(value)) {
    const kept = value.slice(0, limits.maxItems).map((item) => storableValue(item, limits, depth + 1))
    const left = value.length - kept.length
    return left > 0 ? [...kept, `[truncated: ${left} more]`] : kept
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      headOf(name, limits.maxCharacters),
      storableValue(item, limits, depth + 1),
    ]),
  )
}

const whole: ValueLimits = { maxCharacters: maxTextCharacters, maxItems: Number.POSITIVE_INFINITY }
const stepDetail: ValueLimits = { maxCharacters: maxStepTextCharacters, maxItems: maxStepItems }

/** The outcome of an attempt as JSON that the database takes. Steps are many, so what each may hold is less. */
export const storableJson = (outcome: object): string =>
  JSON.stringify(
    Object.fromEntries(
      Object.entries(outcome).map(([field, value]) => [
        field,
        field === 'steps' && Array.isArray(value)
          ? value.map((step) => storableValue(step, stepDetail))
          : storableValue(value, whole),
      ]),
    ),
  )
