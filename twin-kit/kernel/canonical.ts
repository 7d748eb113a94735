import { hash } from 'node:crypto'

/** What JSON writes as it stands, between quotes. */
const plain = /^[ !#-[\]-\ud7ff\ue000-\uffff]*$/

/** Field names as an object holds them, and in their order with what JSON writes before their values. */
interface Shape {
  readonly names: readonly string[]
  readonly sorted: readonly { readonly name: string; readonly label: string }[]
}
/** Shapes met so far, by their number of fields. Rows of a table have few; beyond so many of a size none is kept. */
type Shapes = Map<number, Shape[]>
const maxOfASize = 8

/** JSON with sorted field names and no white space: the same value gives the same bytes on any machine. */
export const canonicalJson = (value: unknown): string => write(value, new Map())

const write = (value: unknown, shapes: Shapes): string => {
  if (typeof value === 'string') return text(value)
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null'
  let held = ''
  if (Array.isArray(value)) {
    for (const item of value) held += `${held === '' ? '' : ','}${write(item, shapes)}`
    return `[${held}]`
  }
  for (const { name, label } of shapeOf(value, shapes).sorted) {
    const item = (value as Record<string, unknown>)[name]
    if (item !== undefined) held += `${held === '' ? '' : ','}${label}${write(item, shapes)}`
  }
  return `{${held}}`
}

const text = (value: string): string => (plain.test(value) ? `"${value}"` : JSON.stringify(value))

const shapeOf = (value: object, shapes: Shapes): Shape => {
  const names = Object.keys(value)
  const known = shapes.get(names.length) ?? []
  for (const shape of known) if (shape.names.every((name, n) => name === names[n])) return shape
  const sorted = names.toSorted().map((name) => ({ name, label: `${text(name)}:` }))
  const shape = { names, sorted }
  if (known.length < maxOfASize) shapes.set(names.length, [...known, shape])
  return shape
}

export const sha256 = (value: string): string => hash('sha256', value)
