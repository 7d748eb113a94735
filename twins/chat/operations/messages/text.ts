import { nameEmoji } from './emoji.ts'

/** What the service reads as a token and leaves alone: mentions, links, dates and broadcasts in angle brackets. */
const token = /<(?:[@#!][^<>\n]+|(?:https?|mailto|tel|ftp|slack):[^<>\n]+)>/g
const code = /```[\s\S]*?```|`[^`\n]+`/g
const bareUrl = /(?<![\w/@|<])https?:\/\/[^\s<>|`]+/g

export const escapeText = (text: string): string =>
  text
    .replace(/&(?!(?:amp|lt|gt);)/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')

export const unescapeText = (text: string): string =>
  text.includes('&') ? text.replace(/&lt;/g, '<').replace(/&gt;/g, '>').replace(/&amp;/g, '&') : text

/** Applies `change` to the stretches of a text that `kept` does not match. */
export const outside = (text: string, kept: RegExp, change: (stretch: string) => string): string => {
  // Most texts have nothing to keep, and asking is much cheaper than walking over the matches.
  if (text.search(kept) === -1) return change(text)
  let result = ''
  let from = 0
  for (const found of text.matchAll(kept)) {
    result += change(text.slice(from, found.index)) + found[0]
    from = found.index + found[0].length
  }
  return result + change(text.slice(from))
}

const linkUrls = (text: string): string =>
  text.replace(bareUrl, (url) => {
    const trailing = /(?:[.,;:!?'"*_~)]|&gt;|&lt;)+$/.exec(url)?.[0] ?? ''
    const keep = trailing.startsWith(')') && url.includes('(') ? '' : trailing
    const link = keep === '' ? url : url.slice(0, -keep.length)
    return `<${link}>${keep}`
  })

export interface TextOptions {
  /** Bare addresses become links unless the caller turned that off. */
  readonly links?: boolean
}

/** A text as the service stores it: escaped outside tokens, addresses as links, emoji by name. */
export const storedText = (text: string, { links = true }: TextOptions = {}): string => {
  const escaped = outside(text, token, escapeText)
  if (!links) return nameEmoji(escaped)
  return outside(escaped, token, (stretch) => outside(stretch, code, (plain) => nameEmoji(linkUrls(plain))))
}

export interface Names {
  /** Native ids by handle and by channel name. */
  readonly users: ReadonlyMap<string, string>
  readonly channels: ReadonlyMap<string, string>
}

const broadcasts = new Set(['here', 'channel', 'everyone'])

/** Writes `@handle` and `#channel` as native mentions, outside code and e-mail addresses. */
export const mentionNames = (text: string, names: Names): string =>
  outside(text, code, (stretch) =>
    outside(stretch, token, (plain) =>
      plain
        .replace(/(?<![\w.@/+-])@([a-z0-9][a-z0-9._-]*)/g, (whole, name: string) => {
          if (broadcasts.has(name)) return `<!${name}>`
          const known = maxKnown(name, names.users)
          return known ? `<@${known.id}>${name.slice(known.name.length)}` : whole
        })
        .replace(/(?<![\w&/#])#([a-z0-9][a-z0-9_-]*)/g, (whole, name: string) => {
          const known = maxKnown(name, names.channels)
          return known ? `<#${known.id}|${known.name}>${name.slice(known.name.length)}` : whole
        }),
    ),
  )

/** The name itself, or what is left of it when punctuation at its end is not part of it. */
const maxKnown = (name: string, known: ReadonlyMap<string, string>) => {
  let rest = name
  while (rest !== '') {
    const id = known.get(rest)
    if (id !== undefined) return { name: rest, id }
    const shorter = rest.replace(/[._-]+$/, '')
    if (shorter === rest) return undefined
    rest = shorter
  }
  return undefined
}

/** Standard Markdown in the service's own notation, for `markdown_text`. */
export const fromMarkdown = (markdown: string): string =>
  outside(markdown, code, (plain) =>
    plain
      .replace(/(?<![*\w])\*(?![*\s])([^*\n]+?)(?<![*\s])\*(?![*\w])/g, '_$1_')
      .replace(/\*\*([^\n]+?)\*\*/g, '*$1*')
      .replace(/__([^\n]+?)__/g, '*$1*')
      .replace(/~~([^\n]+?)~~/g, '~$1~')
      .replace(/!?\[([^\]\n]+)\]\((https?:[^)\s]+|mailto:[^)\s]+)\)/g, '<$2|$1>')
      .replace(/^#{1,6}[ \t]+(.+?)[ \t]*#*$/gm, '*$1*')
      .replace(/^([ \t]*)[-*+][ \t]+/gm, '$1• '),
  )
