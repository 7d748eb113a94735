import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

type Shape = ReadonlyMap<string, string>
interface Declared {
  readonly root: Shape
  readonly shapes: ReadonlyMap<string, Shape>
  readonly values: ReadonlyMap<string, readonly string[]>
}

const folder = join(dirname(fileURLToPath(import.meta.resolve('@slack/web-api'))), 'types', 'response')

/** What the SDK declares a method to answer, read from its own type declarations. */
const declared = (method: string): Declared => {
  const name = method.split('.').map(capital).join('')
  const text = readFileSync(join(folder, `${name}Response.d.ts`), 'utf8')
  const shapes = new Map<string, Shape>()
  for (const [, own = '', body = ''] of text.matchAll(/export interface (\w+) \{\n([\s\S]*?)\n\}/g))
    shapes.set(own, fields(body))
  const values = new Map<string, readonly string[]>()
  for (const [, own = '', body = ''] of text.matchAll(/export declare enum (\w+) \{\n([\s\S]*?)\n\}/g))
    values.set(
      own,
      [...body.matchAll(/= "([^"]*)"/g)].map((found) => found[1] ?? ''),
    )
  const root = /WebAPICallResult & \{\n([\s\S]*?)\n\};/.exec(text)?.[1] ?? ''
  return { root: fields(root), shapes, values }
}

const capital = (word: string): string => `${word.charAt(0).toUpperCase()}${word.slice(1)}`

/** Fields of one declaration; those of a nested one are kept with their braces. */
const fields = (body: string): Shape => {
  const found = new Map<string, string>()
  const flat = body.replace(/\{\s*\n\s*\[key: string\]: ([^;]+);\s*\n\s*\}/g, '{ [key: string]: $1 }')
  for (const [, name = '', type = ''] of flat.matchAll(/^\s+'?"?([\w-]+|\[key: string\])'?"?\??: (.+);$/gm))
    found.set(name, type)
  return found
}

/**
 * The declarations were drawn from samples, so that a set of allowed values lists only those that occurred; any text
 * passes for it. One line for each place where an answer says what the types do not allow.
 */
export const misfits = (method: string, answer: unknown): string[] => {
  const types = declared(method)
  return checkShape(types, types.root, answer, method)
}

const checkShape = (types: Declared, shape: Shape, value: unknown, at: string): string[] => {
  if (typeof value !== 'object' || value === null) return [`${at} is no object`]
  return Object.entries(value).flatMap(([name, item]) => {
    const type = shape.get(name) ?? shape.get('[key: string]')
    if (type === undefined) return item === null ? [] : [`${at}.${name} is not declared`]
    return check(types, type, item, `${at}.${name}`)
  })
}

const check = (types: Declared, type: string, value: unknown, at: string): string[] => {
  if (value === null || type === 'any' || type === 'unknown' || type === '{}') return []
  const options = type.split(' | ')
  if (options.length > 1) {
    const faults = options.map((option) => check(types, option, value, at))
    return faults.some((one) => one.length === 0) ? [] : (faults[0] ?? [])
  }
  if (type.endsWith('[]')) {
    if (!Array.isArray(value)) return [`${at} is no list`]
    return value.flatMap((item, n) => check(types, type.slice(0, -2), item, `${at}[${n}]`))
  }
  const map = /^\{ \[key: string\]: (.+) \}$/.exec(type)
  if (map)
    return Object.values(Object(value)).flatMap((item: unknown) =>
      check(types, map[1] ?? 'any', item, `${at}[]`),
    )
  if (['string', 'number', 'boolean'].includes(type))
    return typeof value === type ? [] : [`${at} is ${typeof value}, declared ${type}`]
  const allowed = types.values.get(type)
  if (allowed) return typeof value === 'string' ? [] : [`${at} is ${typeof value}, declared string`]
  const shape = types.shapes.get(type)
  return shape ? checkShape(types, shape, value, at) : []
}
