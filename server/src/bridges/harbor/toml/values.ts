/** What TOML can say: dates and times stay texts. */
export type TomlValue = string | number | boolean | TomlValue[] | TomlTable
export interface TomlTable {
  [key: string]: TomlValue
}

/** A mistake in a document, with the line it is on. */
export class TomlFault extends Error {
  override readonly name = 'TomlFault'
  constructor(message: string, line: number) {
    super(`line ${line} ${message}`)
  }
}

export interface Reading {
  readonly text: string
  at: number
}

const maxDepth = 64

const fault = ({ text, at }: Reading, message: string): TomlFault =>
  new TomlFault(message, text.slice(0, at).split('\n').length)

export const skipSpace = (reading: Reading): void => {
  while (reading.text[reading.at] === ' ' || reading.text[reading.at] === '\t') reading.at += 1
}

/** White space, line ends and comments. */
export const skipBlank = (reading: Reading): void => {
  for (;;) {
    skipSpace(reading)
    if (reading.text[reading.at] === '\n') reading.at += 1
    else if (reading.text[reading.at] === '#') {
      const end = reading.text.indexOf('\n', reading.at)
      reading.at = end < 0 ? reading.text.length : end
    } else return
  }
}

/** A key with its dots. */
export const keyAt = (reading: Reading): string[] => {
  const parts: string[] = []
  for (;;) {
    const quote = reading.text[reading.at]
    if (quote === '"' || quote === "'") parts.push(lineText(reading, quote))
    else {
      const bare = match(reading, /[A-Za-z0-9_-]+/y)
      if (bare === undefined) throw fault(reading, 'needs a key')
      parts.push(bare)
    }
    skipSpace(reading)
    if (reading.text[reading.at] !== '.') return parts
    reading.at += 1
    skipSpace(reading)
  }
}

const match = (reading: Reading, pattern: RegExp): string | undefined => {
  pattern.lastIndex = reading.at
  const found = pattern.exec(reading.text)?.[0]
  if (found !== undefined) reading.at += found.length
  return found
}

const integer = /[+-]?(?:0x[0-9a-fA-F_]+|0o[0-7_]+|0b[01_]+|(?:0|[1-9][0-9_]*))(?![0-9_.eE:-])/y
const float = /[+-]?(?:inf|nan|(?:0|[1-9][0-9_]*)(?:\.[0-9_]+)?(?:[eE][+-]?[0-9_]+)?)(?![0-9_:-])/y
const moment =
  /\d{4}-\d\d-\d\d(?:[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)?)?|\d\d:\d\d:\d\d(?:\.\d+)?/y

export const valueAt = (reading: Reading, depth = 0): TomlValue => {
  if (depth > maxDepth) throw fault(reading, 'is nested too deeply')
  const { text } = reading
  for (const quote of ['"', "'"])
    if (text[reading.at] === quote)
      return text.startsWith(quote.repeat(3), reading.at)
        ? blockText(reading, quote)
        : lineText(reading, quote)
  if (text[reading.at] === '[') return listAt(reading, depth)
  if (text[reading.at] === '{') return inlineTable(reading, depth)
  const word = match(reading, /(?:true|false)\b/y)
  if (word !== undefined) return word === 'true'
  const whole = match(reading, integer)
  if (whole !== undefined) return numberOf(whole)
  const time = match(reading, moment)
  if (time !== undefined) return time
  const number = match(reading, float)
  if (number !== undefined) return numberOf(number)
  throw fault(reading, 'has a value that cannot be read')
}

const numberOf = (text: string): number => {
  const plain = text.replaceAll('_', '').replace(/^\+/, '')
  if (plain.endsWith('inf')) return plain.startsWith('-') ? -Infinity : Infinity
  return plain.endsWith('nan') ? Number.NaN : Number(plain)
}

const listAt = (reading: Reading, depth: number): TomlValue[] => {
  const items: TomlValue[] = []
  reading.at += 1
  for (;;) {
    skipBlank(reading)
    if (reading.text[reading.at] === ']') break
    items.push(valueAt(reading, depth + 1))
    skipBlank(reading)
    if (reading.text[reading.at] === ',') reading.at += 1
    else if (reading.text[reading.at] !== ']') throw fault(reading, 'has a list that does not end')
  }
  reading.at += 1
  return items
}

const inlineTable = (reading: Reading, depth: number): TomlTable => {
  const table: TomlTable = Object.create(null)
  reading.at += 1
  skipSpace(reading)
  while (reading.text[reading.at] !== '}') {
    const path = keyAt(reading)
    skipSpace(reading)
    if (reading.text[reading.at] !== '=') throw fault(reading, 'needs = after a key')
    reading.at += 1
    skipSpace(reading)
    let parent = table
    for (const key of path.slice(0, -1)) {
      parent[key] ??= Object.create(null) as TomlTable
      const inner: TomlValue = parent[key]
      if (typeof inner !== 'object' || Array.isArray(inner)) throw fault(reading, `has ${key} twice`)
      parent = inner
    }
    const last = path.at(-1) ?? ''
    if (last in parent) throw fault(reading, `has ${last} twice`)
    parent[last] = valueAt(reading, depth + 1)
    skipSpace(reading)
    if (reading.text[reading.at] === ',') reading.at += 1
    else if (reading.text[reading.at] !== '}') throw fault(reading, 'has an inline table that does not end')
    skipSpace(reading)
  }
  reading.at += 1
  return table
}

const lineText = (reading: Reading, quote: string): string => {
  const pattern = quote === '"' ? /"((?:[^"\\\n]|\\.)*)"/y : /'([^'\n]*)'/y
  const whole = match(reading, pattern)
  if (whole === undefined) throw fault(reading, 'has a text that does not end')
  const inner = whole.slice(1, -1)
  return quote === '"' ? unescaped(reading, inner) : inner
}

const blockText = (reading: Reading, quote: string): string => {
  const pattern =
    quote === '"'
      ? /"""((?:[^"\\]|\\[\s\S]|"(?!""))*"{0,2})"""(?!")/y
      : /'''((?:[^']|'(?!''))*'{0,2})'''(?!')/y
  const whole = match(reading, pattern)
  if (whole === undefined) throw fault(reading, 'has a text that does not end')
  const inner = whole.slice(3, -3).replace(/^\n/, '')
  return quote === '"' ? unescaped(reading, inner.replaceAll(/\\[ \t]*\n\s*/g, '')) : inner
}

const escapes: Readonly<Record<string, string>> = {
  ...{ b: '\b', t: '\t', n: '\n', f: '\f', r: '\r', e: '\x1b' },
  ...{ '"': '"', '\\': '\\' },
}

const unescaped = (reading: Reading, text: string): string =>
  text.replaceAll(/\\(u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[\s\S])/g, (_, code: string) => {
    if (code.length > 1) {
      const point = Number.parseInt(code.slice(1), 16)
      if (point > 0x10ffff) throw fault(reading, 'has an escape that is no character')
      return String.fromCodePoint(point)
    }
    const plain = escapes[code]
    if (plain === undefined) throw fault(reading, `has the escape \\${code}, which there is none of`)
    return plain
  })
