import { type Element, escapeXml, parseXml, XmlError } from '@diorama/twin-kit/wires/xml'

export { type Element, escapeXml }

/** Undefined when the document is not well formed. */
export const readXml = (text: string): Element | undefined => {
  try {
    return parseXml(text)
  } catch (error) {
    if (error instanceof XmlError) return undefined
    throw error
  }
}

export const find = (element: Element | undefined, ...path: readonly string[]): Element | undefined =>
  path.reduce((at, name) => at?.children.find((child) => child.name === name), element)

export const all = (element: Element | undefined, name: string): readonly Element[] =>
  element?.children.filter((child) => child.name === name) ?? []

/** What an element says; undefined when it is absent or marked as nil. */
export const textIn = (element: Element | undefined, name: string): string | undefined => {
  const found = find(element, name)
  return found === undefined || found.attributes.nil === 'true' ? undefined : found.text.trim()
}

/** Text that is XML already. */
export class RawXml {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** Writes values as elements; lists repeat their element, undefined leaves it out, null marks it as nil. */
export const write = (name: string, value: unknown): string => {
  if (value === undefined) return ''
  if (value instanceof RawXml) return value.text
  if (Array.isArray(value)) return value.map((one) => write(name, one)).join('')
  if (value === null) return `<${name} xsi:nil="true"/>`
  if (typeof value !== 'object') return `<${name}>${escapeXml(String(value))}</${name}>`
  const inside = Object.entries(value).map(([field, one]) => write(field, one))
  return `<${name}>${inside.join('')}</${name}>`
}
