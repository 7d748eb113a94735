import type { Happening } from '@diorama/contract'

/** The model reads about this much; more would only slow it down. */
const embeddedLength = 1_000
const indexedLength = 8_000
const maxParts = 500

/** What a happening says, as a text for the model and as one for the index of words. */
export const contentOf = (item: Happening): { meaning: string; words: string } => {
  const parts: string[] = [item.event_type, item.topic, item.source]
  for (const [type, id] of Object.entries(item.entities)) parts.push(`${type} ${id}`)
  gather(item.kind === 'span' ? spanContent(item.payload) : item.payload, parts)
  const text = parts.join('. ').toWellFormed()
  return {
    meaning: readable(text).slice(0, embeddedLength).toWellFormed(),
    words: wordsOf(text.slice(0, indexedLength)),
  }
}

/** The part of a span that speaks of its content; ids and times are no words. */
const spanContent = ({ attributes, status_message, gen_ai }: Readonly<Record<string, unknown>>) => ({
  gen_ai,
  status_message,
  attributes,
})

/** The values inside a payload with the names of their fields, without recursion. */
const gather = (payload: unknown, parts: string[]): void => {
  const stack: { name: string; value: unknown }[] = [{ name: '', value: payload }]
  for (let next = stack.pop(); next && parts.length < maxParts; next = stack.pop()) {
    const { name, value } = next
    if (typeof value === 'object' && value !== null)
      for (const [field, item] of Object.entries(value).reverse())
        stack.push({ name: Array.isArray(value) ? name : field, value: item })
    else if (value !== null && value !== undefined && value !== '')
      parts.push(name === '' ? String(value) : `${name} ${String(value)}`)
  }
}

/** `order_shipped` reads as two words. */
const readable = (text: string) => text.replaceAll(/[_./:]+/g, ' ')

/** Every text as it stands and taken apart, so that both `ORD-7001` and `7001` find it. */
export const wordsOf = (text: string): string =>
  `${text} ${text.replaceAll(/[^\p{L}\p{N}]+/gu, ' ')}`.toWellFormed()

const common = new Set(
  'a an and any are as at be been but by can did do does for from had has have how i if in is it its me my no not of on or our so that the their them there they this to was we were what when where which who why will with you your'.split(
    ' ',
  ),
)

/** The words of a question that tell anything; all of them where none does. */
export const tellingWords = (query: string): string => {
  const words = query.split(/\s+/).filter((word) => !common.has(word.toLowerCase().replaceAll(/\W/g, '')))
  return words.length > 0 ? words.join(' ') : query
}
