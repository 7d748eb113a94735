import { shortId } from '../../values/ids.ts'
import { isEmoji, unicodeOf } from './emoji.ts'
import { unescapeText } from './text.ts'

type Element = Record<string, unknown>
type Style = Readonly<Record<string, true>>

/** The blocks that the service makes of a message that has only text. */
export const richText = (text: string, place: string, mrkdwn = true): Element[] => [
  {
    type: 'rich_text',
    block_id: shortId(place, 'rich_text'),
    elements: mrkdwn
      ? sections(text)
      : [{ type: 'rich_text_section', elements: [{ type: 'text', text: unescapeText(text) }] }],
  },
]

const sections = (text: string): Element[] => {
  const found: Element[] = []
  for (const [n, stretch] of text.split('```').entries()) {
    const isCode = n % 2 === 1 && text.split('```').length > n + 1
    if (isCode) {
      const content = unescapeText(stretch.replace(/^\n|\n$/g, ''))
      found.push({
        type: 'rich_text_preformatted',
        elements: [{ type: 'text', text: content }],
        border: 0,
      })
    } else if (stretch !== '') found.push(...paragraphs(n % 2 === 1 ? `\`\`\`${stretch}` : stretch))
  }
  return found.length > 0 ? found : [{ type: 'rich_text_section', elements: [] }]
}

/** Lines that begin with a quotation mark gather in quotes, the others in sections. */
const paragraphs = (text: string): Element[] => {
  const found: { quote: boolean; lines: string[] }[] = []
  for (const line of text.split('\n')) {
    const quote = /^&gt; ?/.test(line)
    const last = found.at(-1)
    const content = quote ? line.replace(/^&gt; ?/, '') : line
    if (last?.quote === quote) last.lines.push(content)
    else found.push({ quote, lines: [content] })
  }
  return found
    .filter(({ lines }) => lines.some((line) => line !== ''))
    .map(({ quote, lines }) => ({
      type: quote ? 'rich_text_quote' : 'rich_text_section',
      elements: inline(lines.join('\n'), {}),
    }))
}

const inlineToken =
  /<([@#!][^<>\n]+|(?:https?|mailto|tel|ftp|slack):[^<>\n]+)>|:([a-z0-9_+'-]+(?:::skin-tone-[2-6])?):|`([^`\n]+)`|(?<![\w*])\*(?=\S)([^*\n]+?)(?<=\S)\*(?![\w*])|(?<![\w_])_(?=\S)([^_\n]+?)(?<=\S)_(?![\w_])|(?<![\w~])~(?=\S)([^~\n]+?)(?<=\S)~(?![\w~])/g

const inline = (text: string, style: Style): Element[] => {
  const found: Element[] = []
  const say = (plain: string, more: Style = {}) => {
    if (plain !== '') found.push(styled({ type: 'text', text: unescapeText(plain) }, { ...style, ...more }))
  }
  let from = 0
  for (const match of text.search(inlineToken) === -1 ? [] : text.matchAll(inlineToken)) {
    const [whole, bracket, emoji, code, bold, italic, strike] = match
    if (emoji !== undefined && !isEmoji(emoji)) continue
    say(text.slice(from, match.index))
    from = match.index + whole.length
    if (bracket !== undefined) found.push(styled(reference(bracket), style))
    else if (emoji !== undefined) found.push(styled({ type: 'emoji', ...emojiElement(emoji) }, style))
    else if (code !== undefined) say(code, { code: true })
    else if (bold !== undefined) found.push(...inline(bold, { ...style, bold: true }))
    else if (italic !== undefined) found.push(...inline(italic, { ...style, italic: true }))
    else if (strike !== undefined) found.push(...inline(strike, { ...style, strike: true }))
  }
  say(text.slice(from))
  return found
}

const styled = (element: Element, style: Style): Element =>
  Object.keys(style).length > 0 ? { ...element, style } : element

const emojiElement = (name: string): Element => {
  const unicode = unicodeOf(name)
  return unicode === undefined ? { name } : { name, unicode }
}

/** The content of angle brackets: a person, a channel, a group, everyone, a date or a link. */
const reference = (bracket: string): Element => {
  const bar = bracket.indexOf('|')
  const target = bar === -1 ? bracket : bracket.slice(0, bar)
  const label = bar === -1 ? undefined : unescapeText(bracket.slice(bar + 1))
  if (target.startsWith('@')) return { type: 'user', user_id: target.slice(1) }
  if (target.startsWith('#')) return { type: 'channel', channel_id: target.slice(1) }
  if (target.startsWith('!subteam^')) return { type: 'usergroup', usergroup_id: target.slice(9) }
  if (target.startsWith('!date^')) {
    const [, timestamp, format] = target.slice(1).split('^')
    return {
      type: 'date',
      timestamp: Number(timestamp),
      format: format ?? '{date}',
      ...(label && { fallback: label }),
    }
  }
  if (/^!(here|channel|everyone)$/.test(target)) return { type: 'broadcast', range: target.slice(1) }
  if (target.startsWith('!')) return { type: 'text', text: `<${unescapeText(target)}>` }
  return { type: 'link', url: unescapeText(target), ...(label !== undefined && { text: label }) }
}
