import data from '../../data/emoji.generated.json' with { type: 'json' }
import { isAscii } from '../search/words.ts'

/** Characters with their short names, the first being the one that the service writes. */
const characters: Readonly<Record<string, string>> = data

const byName = new Map<string, string>()
const byCharacter = new Map<string, string>()
for (const [character, names] of Object.entries(characters)) {
  const all = names.split(' ')
  for (const name of all) if (!byName.has(name)) byName.set(name, character)
  const first = all[0] ?? ''
  byCharacter.set(character, first)
  byCharacter.set(character.replace(/\ufe0f/g, ''), first)
}

const skinTones = ['\u{1f3fb}', '\u{1f3fc}', '\u{1f3fd}', '\u{1f3fe}', '\u{1f3ff}']
/** Names that the service knows beside the standard ones. */
const customary = new Map([
  ['squirrel', '\u{1f43f}\ufe0f'],
  ['simple_smile', '\u{1f642}'],
  ['shipit', '\u{1f43f}\ufe0f'],
])

/** The name without its skin tone, where there is one and it is allowed. */
export const baseName = (name: string): string => name.replace(/::skin-tone-[2-6]$/, '')

export const isEmoji = (name: string): boolean => {
  const base = baseName(name)
  return byName.has(base) || customary.has(base)
}

/** The name under which the service counts a reaction: aliases are one emoji. */
export const canonicalName = (name: string): string => {
  const base = baseName(name)
  const character = byName.get(base)
  const first = character === undefined ? base : (byCharacter.get(character) ?? base)
  return `${first}${name.slice(base.length)}`
}

/** Code points joined by dashes, as rich text names them. */
export const unicodeOf = (name: string): string | undefined => {
  const character = byName.get(baseName(name)) ?? customary.get(baseName(name))
  if (character === undefined) return undefined
  const tone = /::skin-tone-([2-6])$/.exec(name)?.[1]
  const whole = tone === undefined ? character : `${character}${skinTones[Number(tone) - 2] ?? ''}`
  return [...whole].map((point) => (point.codePointAt(0) ?? 0).toString(16).padStart(4, '0')).join('-')
}

const sequence =
  /(?:\p{RI}\p{RI}|[0-9#*]\ufe0f?\u20e3|\p{Emoji}(?:\p{EMod}|\ufe0f)?(?:[\u{e0020}-\u{e007f}]+)?(?:\u200d\p{Emoji}(?:\p{EMod}|\ufe0f)?)*)/gu

/** Writes emoji characters by their short names, as the service stores them. */
export const nameEmoji = (text: string): string => (isAscii(text) ? text : text.replace(sequence, nameOf))

const nameOf = (found: string): string => {
  const tone = skinTones.findIndex((mark) => found.includes(mark))
  const plain = tone === -1 ? found : found.replace(skinTones[tone] ?? '', '')
  const name = byCharacter.get(plain) ?? byCharacter.get(plain.replace(/\ufe0f/g, ''))
  if (name === undefined || /^[0-9#*]$/.test(found)) return found
  return tone === -1 ? `:${name}:` : `:${name}::skin-tone-${tone + 2}:`
}
