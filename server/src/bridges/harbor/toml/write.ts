type Scalar = string | number | boolean
type Value = Scalar | readonly Scalar[] | Table | readonly Table[]
export interface Table {
  readonly [key: string]: Value | undefined
}

/** A table as TOML: plain values first, then the tables in it, lists of tables last. */
export const tomlOf = (table: Table): string => `${linesOf(table, []).join('\n').trim()}\n`

const linesOf = (table: Table, path: readonly string[]): string[] => {
  const entries = Object.entries(table).filter(([, value]) => value !== undefined)
  const plain = entries.flatMap(([key, value]) =>
    isTable(value) || isTableList(value) ? [] : [`${keyOf(key)} = ${shownValue(value as Scalar)}`],
  )
  const nested = entries.flatMap(([key, value]) => {
    const inner = [...path, key]
    const name = inner.map(keyOf).join('.')
    if (isTableList(value)) return value.flatMap((one) => ['', `[[${name}]]`, ...linesOf(one, inner)])
    if (!isTable(value)) return []
    const lines = linesOf(value, inner)
    // A table that holds nothing but tables needs no header.
    return lines.length > 0 && lines[0] === '' ? lines : ['', `[${name}]`, ...lines]
  })
  return [...plain, ...nested]
}

const isTable = (value: Table[string]): value is Table => typeof value === 'object' && !Array.isArray(value)

const isTableList = (value: Table[string]): value is readonly Table[] =>
  Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'object')

const keyOf = (key: string): string => (/^[A-Za-z0-9_-]+$/.test(key) ? key : textOf(key))

const shownValue = (value: Scalar | readonly Scalar[]): string =>
  Array.isArray(value)
    ? `[${value.map(shownValue).join(', ')}]`
    : typeof value === 'string'
      ? textOf(value)
      : String(value)

/** JSON escapes what TOML escapes, but for DEL, which JSON leaves as it is. */
const textOf = (text: string): string => JSON.stringify(text.toWellFormed()).replaceAll('\x7f', '\\u007f')
