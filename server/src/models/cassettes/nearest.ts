import { jsonIn } from '@diorama/contract/records'
import { object } from '../wires/json.ts'

const maxShown = 6
const maxValue = 160

export interface Difference {
  readonly path: string
  readonly recorded: string | undefined
  readonly asked: string | undefined
}

/** Where two canonical requests differ, leaf by leaf. */
export const differencesBetween = (recorded: string, asked: string): Difference[] => {
  const [a, b] = [leavesOf(recorded), leavesOf(asked)]
  return [...new Set([...a.keys(), ...b.keys()])]
    .filter((path) => a.get(path) !== b.get(path))
    .map((path) => ({ path, recorded: a.get(path), asked: b.get(path) }))
}

const leavesOf = (canonical: string): Map<string, string> => {
  const leaves = new Map<string, string>()
  const walk = (value: unknown, path: string): void => {
    if (Array.isArray(value)) for (const [n, item] of value.entries()) walk(item, `${path}/${n}`)
    else if (typeof value === 'object' && value !== null)
      for (const [key, item] of Object.entries(value)) walk(item, `${path}/${key}`)
    else leaves.set(path, JSON.stringify(value) ?? 'null')
  }
  walk(object(jsonIn(canonical)), '')
  return leaves
}

/** The recorded request with the fewest differences, in words; undefined where nothing was recorded. */
export const nearestInWords = (recorded: readonly string[], asked: string): string | undefined => {
  let best: Difference[] | undefined
  let least = Number.POSITIVE_INFINITY
  for (const canonical of recorded) {
    const differences = differencesBetween(canonical, asked)
    const distance = differences.reduce((sum, one) => sum + distanceOf(one), 0)
    if (distance >= least) continue
    best = differences
    least = distance
  }
  if (!best) return undefined
  const shown = best.slice(0, maxShown).map(inWords)
  const rest = best.length - shown.length
  return `The nearest recorded request differs in ${best.length} places: ${shown.join('; ')}${rest > 0 ? `; and ${rest} more` : ''}.`
}

/** From 1 for texts that begin alike to 2 for those that have nothing in common. */
const distanceOf = ({ recorded = '', asked = '' }: Difference): number =>
  2 - firstDifference(recorded, asked) / Math.max(recorded.length, asked.length, 1)

const inWords = ({ path, recorded, asked }: Difference): string => {
  if (recorded === undefined) return `${path} was not recorded and is ${cut(asked ?? '', 0)}`
  if (asked === undefined) return `${path} was recorded as ${cut(recorded, 0)} and is missing now`
  const from = Math.max(0, firstDifference(recorded, asked) - 30)
  return `${path} was recorded as ${cut(recorded, from)} and is ${cut(asked, from)}`
}

const firstDifference = (a: string, b: string): number => {
  for (let n = 0; n < a.length; n++) if (a[n] !== b[n]) return n
  return a.length
}

const cut = (text: string, from: number): string =>
  `${from > 0 ? '…' : ''}${text.slice(from, from + maxValue)}${text.length > from + maxValue ? '…' : ''}`
