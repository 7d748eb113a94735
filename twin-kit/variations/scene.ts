import { sha256 } from '../kernel/canonical.ts'
import type { Instance } from '../kernel/instance.ts'
import type { Row, Tables, Views } from '../kernel/table.ts'
import { integration } from '../kernel/twin.ts'
import type { Scene } from './variations.ts'

export interface SceneOrder {
  readonly seed: string
  /** The handle of the person whose account the agent acts as. */
  readonly agent: string
  /** The texts of the task: its instruction and its scorers. */
  readonly about: string
}

/** Fields by which people call a record. */
const nameFields = /^(id|name|title|subject|identifier|handle|email|\w*(Name|Number|Order|Partner|Id))$/
const leastNameCharacters = 3
const letters = '0123456789ABCDEFGHJKLMNPQRSTUVWXYZ'

export const createScene = <T extends Tables = Tables>(
  instance: Instance,
  { seed, agent, about }: SceneOrder,
): Scene<T> => {
  const { twin, tables } = instance
  const keys = new Map(instance.seed.seed.keys.map(({ key, collection, id }) => [`${collection} ${id}`, key]))
  const drawn = (name: string) => sha256(`${seed} ${twin.kind} ${name}`)
  const shuffled: Scene<T>['shuffled'] = (name, values) =>
    [...values]
      .map((value, n) => ({ value, place: drawn(`${name} ${n}`) }))
      .sort((a, b) => (a.place < b.place ? -1 : 1))
      .map(({ value }) => value)
  return {
    // The tables of an instance are those of its twin.
    views: tables as unknown as Views<T>,
    people: twin
      .identities(tables)
      .map(({ subject }: { subject: string }) => subject)
      .filter((subject: string) => subject !== '' && subject !== agent && subject !== integration),
    isNamed: (collection, row) => {
      const id = String(row[instance.seed.tables[collection]?.spec.key ?? 'id'] ?? '')
      const names = [id, keys.get(`${collection} ${id}`) ?? '', ...(twin.names?.(collection, row) ?? [])]
      return [...names, ...namesIn(row)].some((name) => mentions(about, name))
    },
    isMentioned: (name) => mentions(about, name),
    isSpokenOf: (words) => words.test(about),
    shuffled,
    pick: (name, values) => shuffled(name, values)[0],
    code: (name, length) =>
      Array.from(
        { length },
        (_, n) => letters[Number.parseInt(drawn(`${name} ${n}`).slice(0, 8), 16) % letters.length],
      ).join(''),
  }
}

const namesIn = (row: Row): string[] =>
  Object.entries(row).flatMap(([field, value]) =>
    typeof value === 'string' && nameFields.test(field) ? [value] : [],
  )

/** Whole words only, so that `drift` is not found in `drifts`. */
const mentions = (about: string, name: string): boolean => {
  if (name.length < leastNameCharacters) return false
  for (let at = about.indexOf(name); at !== -1; at = about.indexOf(name, at + 1))
    if (!isWord(about[at - 1]) && !isWord(about[at + name.length])) return true
  return false
}

const isWord = (character: string | undefined): boolean =>
  character !== undefined && /[\p{L}\p{N}_-]/u.test(character)
