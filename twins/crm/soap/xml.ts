/** An element by its local name; prefixes differ from client to client and mean nothing here. */
export interface Element {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: readonly Element[]
  readonly text: string
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

const plainOf = (text: string): string =>
  text.replace(/&(#x?[0-9a-fA-F]+|\w+);/g, (all, name: string) => {
    if (!name.startsWith('#')) return entities[name] ?? all
    const code = name.startsWith('#x') ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
    return Number.isInteger(code) && code >= 0 && code <= 0x10ffff ? String.fromCodePoint(code) : all
  })

export const escapeXml = (text: string): string =>
  text
    .replace(/[<>&"]/g, (char) => ({ '<': '&lt;', '>': '&gt;', '&': '&amp;', '"': '&quot;' })[char] ?? char)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: XML has no way to write these.
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, ' ')

interface Open {
  name: string
  attributes: Record<string, string>
  children: Element[]
  text: string
}

const local = (name: string): string => name.slice(name.indexOf(':') + 1)
const maxDepth = 100

/** Parses a document without custom entities; undefined when it is not well formed. */
export const readXml = (text: string): Element | undefined => {
  if (/<!(DOCTYPE|ENTITY)/i.test(text)) return undefined
  const root: Open = { name: '', attributes: {}, children: [], text: '' }
  const stack: Open[] = [root]
  const pattern =
    /<!\[CDATA\[([\s\S]*?)\]\]>|<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<(\/?)([\w.:-]+)((?:[^"'<>]|"[^"]*"|'[^']*')*?)(\/?)>|([^<]+)/gy
  let end = 0
  for (const match of text.matchAll(pattern)) {
    end = match.index + match[0].length
    const [, data, closing, name, attributes = '', empty, plain] = match
    const top = stack.at(-1)
    if (!top) return undefined
    if (data !== undefined) top.text += data
    else if (plain !== undefined) top.text += plainOf(plain)
    else if (name === undefined) continue
    else if (closing === '/') {
      if (stack.length < 2 || top.name !== local(name)) return undefined
      stack.pop()
      stack.at(-1)?.children.push(top)
    } else {
      const made: Open = { name: local(name), attributes: readAttributes(attributes), children: [], text: '' }
      if (empty === '/') top.children.push(made)
      else stack.push(made)
      if (stack.length > maxDepth) return undefined
    }
  }
  return end === text.length && stack.length === 1 ? root.children[0] : undefined
}

const readAttributes = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/(?<![\w.:-])([\w.:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)].map(
      ([, name = '', double, single]) => [local(name), plainOf(double ?? single ?? '')],
    ),
  )

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
