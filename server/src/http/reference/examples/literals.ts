const width = 72

interface Notation {
  readonly text: (value: string) => string
  readonly name: (key: string) => string
  readonly constants: readonly [yes: string, no: string, none: string]
  /** Between a brace and what it holds on one line. */
  readonly inner: string
}

const isPlain = (key: string) => /^[A-Za-z_$][\w$]*$/.test(key)
const quote = (value: string) => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

const typescript: Notation = {
  text: (value) => (value.includes('\n') ? JSON.stringify(value) : quote(value)),
  name: (key) => (isPlain(key) ? key : quote(key)),
  constants: ['true', 'false', 'null'],
  inner: ' ',
}

const python: Notation = {
  text: (value) => JSON.stringify(value),
  name: (key) => JSON.stringify(key),
  constants: ['True', 'False', 'None'],
  inner: '',
}

/** A value as its language writes it: on one line where that fits, and else one entry a line. */
const literal = (value: unknown, notation: Notation, step: string, indent: string): string => {
  if (typeof value === 'string') return notation.text(value)
  if (typeof value === 'boolean') return notation.constants[value ? 0 : 1]
  if (typeof value !== 'object' || value === null)
    return value === null ? notation.constants[2] : String(value)
  const isList = Array.isArray(value)
  const within = (deeper: string) =>
    isList
      ? value.map((item) => literal(item, notation, step, deeper))
      : Object.entries(value).map(
          ([key, item]) => `${notation.name(key)}: ${literal(item, notation, step, deeper)}`,
        )
  const [open, close] = isList ? ['[', ']'] : ['{', '}']
  const gap = isList || Object.keys(value).length === 0 ? '' : notation.inner
  const short = `${open}${gap}${within(indent).join(', ')}${gap}${close}`
  if (short.length + indent.length <= width && !short.includes('\n')) return short
  const deeper = indent + step
  return `${open}\n${within(deeper)
    .map((line) => `${deeper}${line},`)
    .join('\n')}\n${indent}${close}`
}

export const typescriptLiteral = (value: unknown): string => literal(value, typescript, '  ', '')
export const pythonLiteral = (value: unknown, indent = ''): string => literal(value, python, '    ', indent)
