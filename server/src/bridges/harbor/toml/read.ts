import {
  keyAt,
  type Reading,
  skipBlank,
  skipSpace,
  TomlFault,
  type TomlTable,
  type TomlValue,
  valueAt,
} from './values.ts'

const maxCharacters = 1_000_000

/** Reads a TOML 1.0 document; a mistake is thrown as a TomlFault with its line. */
export const readToml = (text: string): TomlTable => {
  if (text.length > maxCharacters) throw new TomlFault('is too long', 1)
  const reading: Reading = { text: text.replace(/^\ufeff/, '').replaceAll('\r\n', '\n'), at: 0 }
  const root: TomlTable = newTable()
  /** Tables that a header or an inline value has closed. */
  const closed = new Set<TomlValue>()
  const headed = new Set<TomlTable>()
  let current = root
  for (skipBlank(reading); reading.at < reading.text.length; skipBlank(reading)) {
    if (reading.text[reading.at] === '[') {
      const isList = reading.text.startsWith('[[', reading.at)
      reading.at += isList ? 2 : 1
      skipSpace(reading)
      const path = keyAt(reading)
      skipSpace(reading)
      const end = isList ? ']]' : ']'
      if (!reading.text.startsWith(end, reading.at)) throw fault(reading, `needs ${end}`)
      reading.at += end.length
      current = isList ? appended(reading, root, path, closed) : opened(reading, root, path, closed)
      if (!isList) {
        if (headed.has(current)) throw fault(reading, `has the table ${path.join('.')} twice`)
        headed.add(current)
      }
    } else {
      const path = keyAt(reading)
      skipSpace(reading)
      if (reading.text[reading.at] !== '=') throw fault(reading, 'needs = after a key')
      reading.at += 1
      skipSpace(reading)
      const value = valueAt(reading)
      if (typeof value === 'object') closed.add(value)
      put(reading, current, path, value, closed)
    }
    endLine(reading)
  }
  return root
}

const newTable = (): TomlTable => Object.create(null)

const fault = (reading: Reading, message: string): TomlFault =>
  new TomlFault(message, reading.text.slice(0, reading.at).split('\n').length)

const endLine = (reading: Reading): void => {
  skipSpace(reading)
  const rest = reading.text[reading.at]
  if (rest !== undefined && rest !== '\n' && rest !== '#')
    throw fault(reading, 'has more than one value on a line')
}

/** The table at a path, made where it is missing; of a list of tables, its last one. */
const opened = (
  reading: Reading,
  root: TomlTable,
  path: readonly string[],
  closed: ReadonlySet<TomlValue>,
): TomlTable => {
  let table = root
  for (const key of path) {
    table[key] ??= newTable()
    const found: TomlValue = table[key]
    const inner = Array.isArray(found) && !closed.has(found) ? found.at(-1) : found
    if (typeof inner !== 'object' || Array.isArray(inner) || closed.has(inner))
      throw fault(reading, `has ${key} as something other than a table`)
    table = inner
  }
  return table
}

const appended = (
  reading: Reading,
  root: TomlTable,
  path: readonly string[],
  closed: ReadonlySet<TomlValue>,
): TomlTable => {
  const key = path.at(-1) ?? ''
  const parent = opened(reading, root, path.slice(0, -1), closed)
  parent[key] ??= []
  const list = parent[key]
  if (!Array.isArray(list) || closed.has(list))
    throw fault(reading, `has ${key} as something other than a list`)
  const table = newTable()
  list.push(table)
  return table
}

const put = (
  reading: Reading,
  table: TomlTable,
  path: readonly string[],
  value: TomlValue,
  closed: ReadonlySet<TomlValue>,
): void => {
  const parent = opened(reading, table, path.slice(0, -1), closed)
  const key = path.at(-1) ?? ''
  if (key in parent) throw fault(reading, `has ${path.join('.')} twice`)
  parent[key] = value
}
