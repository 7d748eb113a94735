/** XML text, written and read: as much of it as vendors' clients send and expect. */

/** Why a document cannot be read. A wire gives it the vendor's own shape. */
export class XmlError extends Error {
  override readonly name = 'XmlError'
  /** Set when the document is well formed so far but larger than what is read. */
  readonly limit: number | undefined

  constructor(message: string, limit?: number) {
    super(message)
    this.limit = limit
  }
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}

export const escapeXml = (text: string): string =>
  text
    .replace(/[&<>"']/g, (character) => escapes[character] ?? character)
    // Characters that XML cannot hold at all.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is being taken out.
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')

export const attributesXml = (attributes: Iterable<readonly [string, string]>): string => {
  let text = ''
  for (const [name, value] of attributes) text += ` ${name}="${escapeXml(value)}"`
  return text
}

export interface Element {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: Element[]
  text: string
}

const tag = /<(\/?)([A-Za-z_][\w.:-]*)((?:\s+[A-Za-z_][\w.:-]*\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>/y
const attribute = /([A-Za-z_][\w.:-]*)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/g
const maxDepth = 50
const maxPieces = 20_000

/** Reads a document into elements; names are without their prefix. Doctypes are refused, so nothing is ever expanded. */
export const parseXml = (source: string): Element => {
  const root: Element = { name: '', attributes: {}, children: [], text: '' }
  const stack: Element[] = [root]
  let at = 0
  for (let n = 0; at < source.length; n++) {
    if (n > maxPieces) throw new XmlError('it has too many pieces', maxPieces)
    at = piece(source, at, stack)
  }
  const [document] = root.children
  if (stack.length !== 1 || !document || root.children.length !== 1)
    throw unreadable('the elements do not close')
  return document
}

const unreadable = (reason: string): XmlError => new XmlError(reason)

const piece = (source: string, at: number, stack: Element[]): number => {
  const top = stack.at(-1)
  if (!top) throw unreadable('an element closes that never opened')
  if (source[at] !== '<') {
    const next = source.indexOf('<', at)
    const end = next === -1 ? source.length : next
    top.text += unescapeXml(source.slice(at, end))
    return end
  }
  if (source.startsWith('<?', at)) return after(source, at, '?>')
  if (source.startsWith('<!--', at)) return after(source, at, '-->')
  if (source.startsWith('<![CDATA[', at)) {
    const end = after(source, at, ']]>')
    top.text += source.slice(at + 9, end - 3)
    return end
  }
  tag.lastIndex = at
  const match = tag.exec(source)
  if (!match) throw unreadable('a tag is malformed')
  const [whole, closing, qualified = '', rawAttributes = '', empty] = match
  const name = qualified.slice(qualified.indexOf(':') + 1)
  if (closing) {
    if (stack.pop()?.name !== name) throw unreadable('the elements do not close')
    return at + whole.length
  }
  const element: Element = { name, attributes: readAttributes(rawAttributes), children: [], text: '' }
  top.children.push(element)
  if (!empty) stack.push(element)
  if (stack.length > maxDepth) throw unreadable('the elements are nested too deeply')
  return at + whole.length
}

const after = (source: string, at: number, end: string): number => {
  const found = source.indexOf(end, at)
  if (found === -1) throw unreadable('it ends too early')
  return found + end.length
}

const readAttributes = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(attribute)].map(([, name = '', double, single]) => [
      name.slice(name.indexOf(':') + 1),
      unescapeXml(double ?? single ?? ''),
    ]),
  )

const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

const unescapeXml = (text: string): string =>
  text.replace(
    /&(?:#(\d{1,7})|#x([0-9a-fA-F]{1,6})|([a-z]+));/g,
    (_, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return named[name] ?? ''
      const code = decimal === undefined ? Number.parseInt(hex ?? '0', 16) : Number(decimal)
      return code <= 0x10ffff ? String.fromCodePoint(code) : ''
    },
  )
