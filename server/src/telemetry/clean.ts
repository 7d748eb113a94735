const deepest = 100

/** Text as the database can hold it; exporters send what the processes they watch made. */
export const cleanText = (text: string): string =>
  (text.includes('\0') ? text.replaceAll('\0', '\uFFFD') : text).toWellFormed()

export class TooDeep extends Error {
  override readonly name = 'TooDeep'
}

/** The same for every text and field name inside a JSON value. */
export const cleanJson = (value: unknown, depth = 0): unknown => {
  if (typeof value === 'string') return cleanText(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth >= deepest) throw new TooDeep(`It is nested deeper than ${deepest}.`)
  if (Array.isArray(value)) return value.map((item) => cleanJson(item, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([field, item]) => [cleanText(field), cleanJson(item, depth + 1)]),
  )
}
