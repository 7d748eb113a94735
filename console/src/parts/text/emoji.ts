import { useEffect, useSyncExternalStore } from 'react'

type Emoji = ReadonlyMap<string, string>

/** The tables that ship with twins whose texts have shortcodes, each loaded when it is first needed. */
const shipped = import.meta.glob<Readonly<Record<string, string>>>(
  '../../../../twins/*/data/emoji.generated.json',
  { import: 'default' },
)
const loaders = new Map(
  Object.entries(shipped).map(([path, load]) => [/twins\/([^/]+)\//.exec(path)?.[1] ?? '', load] as const),
)
const none: Emoji = new Map()
const tables = new Map<string, Emoji>()
const listeners = new Set<() => void>()

const subscribe = (changed: () => void) => {
  listeners.add(changed)
  return () => listeners.delete(changed)
}

/** Loads a table once; a table has the names of each emoji, separated by spaces. */
const load = async (kind: string): Promise<void> => {
  const loader = loaders.get(kind)
  if (!loader || tables.has(kind)) return
  tables.set(kind, none)
  const table = await loader().catch(() => undefined)
  if (!table) return void tables.delete(kind)
  const named = Object.entries(table).flatMap(([emoji, names]) =>
    names.split(' ').map((name) => [name, emoji] as const),
  )
  tables.set(kind, new Map(named))
  for (const changed of listeners) changed()
}

/** Machines without a font for emoji show empty boxes; where an emoji draws no colour its name is shown instead. */
const drawsEmoji = ((): boolean => {
  const canvas = document.createElement('canvas')
  canvas.width = 16
  canvas.height = 16
  const pen = canvas.getContext('2d', { willReadFrequently: true })
  if (!pen) return false
  pen.font = '14px sans-serif'
  pen.fillText('👍', 0, 13)
  const { data } = pen.getImageData(0, 0, 16, 16)
  for (let at = 0; at < data.length; at += 4) if (data[at] !== data[at + 2]) return true
  return false
})()

const shortcode = /:([a-z0-9_+-]+):/g

export interface EmojiNames {
  /** An emoji by its name, or in words where none can be drawn; a name that is not known stays as it was written. */
  readonly emojiOf: (name: string) => string
  /** A text with its shortcodes, such as `:tada:`, as emoji. */
  readonly withEmoji: (text: string) => string
}

/** The emoji of a kind of twin; a kind without shortcodes leaves every text as it is. */
export const useEmoji = (kind: string): EmojiNames => {
  const table = useSyncExternalStore(subscribe, () => tables.get(kind) ?? none)
  useEffect(() => void load(kind), [kind])
  const emojiOf = (name: string) => {
    const emoji = table.get(name)
    if (emoji === undefined) return `:${name}:`
    return drawsEmoji ? emoji : `(${name.replaceAll('_', ' ')})`
  }
  return {
    emojiOf,
    withEmoji: (text) => text.replaceAll(shortcode, (_, name: string) => emojiOf(name)),
  }
}
