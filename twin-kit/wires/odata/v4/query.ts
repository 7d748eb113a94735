import { fault } from '../faults.ts'
import type { Parameters } from '../query/options.ts'

/** Writes the query options of version 4 in the terms of version 2, which the engine reads. */

const known = new Set(['$filter', '$orderby', '$top', '$skip', '$count', '$select', '$expand', '$format'])

export const translateOptions = (parameters: Parameters): Parameters => {
  for (const name of parameters.keys())
    if (name.startsWith('$') && !known.has(name)) throw fault('unknown_option', { name })
  const translated = new Map<string, string>()
  for (const name of ['$orderby', '$top', '$skip']) {
    const value = parameters.get(name)
    if (value !== undefined) translated.set(name, value)
  }
  const filter = parameters.get('$filter')
  if (filter !== undefined) translated.set('$filter', translateFilter(filter))
  const count = parameters.get('$count')
  if (count !== undefined && count !== 'true' && count !== 'false')
    throw fault('invalid_option', { name: '$count' })
  if (count === 'true') translated.set('$inlinecount', 'allpages')
  const shape = readExpand(parameters.get('$expand') ?? '', 0)
  const own = list(parameters.get('$select') ?? '')
  const expanded = shape.map(({ path }) => path)
  if (expanded.length > 0) translated.set('$expand', expanded.join(','))
  const select = [...own, ...shape.flatMap(({ select: below }) => below)]
  if (own.length > 0) translated.set('$select', [...select, ...shape.map(({ path }) => path)].join(','))
  else if (select.length > 0)
    translated.set('$select', ['*', ...select, ...shape.map(({ path }) => path)].join(','))
  return translated
}

const list = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')

const contains = /\bcontains\(\s*([\w/]{1,200})\s*,\s*('(?:[^']|''){0,500}')\s*\)/g
const instant = /(?<![\w'.:-])(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,7})?)?(?:Z|[+-]\d{2}:\d{2}))/g
const day = /(?<![\w'.:-])(\d{4}-\d{2}-\d{2})(?![\w'.:-])/g
const fraction = /(?<![\w'.:-])(-?\d+\.\d+)(?![\w'.:-])/g

/** Literals have no marks of their type, and `contains` takes its arguments the other way round. */
const translateFilter = (text: string): string =>
  text
    .replace(contains, 'substringof($2,$1)')
    .split(/('(?:[^']|'')*')/)
    .map((part, n) =>
      n % 2 === 1
        ? part
        : part
            .replace(instant, "datetimeoffset'$1'")
            .replace(day, "datetime'$1T00:00:00'")
            .replace(fraction, '$1M'),
    )
    .join('')

interface Expanded {
  readonly path: string
  readonly select: readonly string[]
}

const maxDepth = 5

/** `_Item($expand=_PricingElement;$select=Material)` as paths. */
const readExpand = (text: string, depth: number): Expanded[] => {
  if (depth > maxDepth) throw fault('too_large', { limit: maxDepth, what: 'levels of $expand' })
  return splitOutside(text, ',').flatMap((term): Expanded[] => {
    const open = term.indexOf('(')
    const name = (open === -1 ? term : term.slice(0, open)).trim()
    if (!/^\w+$/.test(name)) throw fault('invalid_option', { name: '$expand' })
    if (open === -1) return [{ path: name, select: [] }]
    if (!term.trimEnd().endsWith(')')) throw fault('invalid_option', { name: '$expand' })
    const inside = term.trimEnd().slice(open + 1, -1)
    let select: readonly string[] = []
    let below: readonly Expanded[] = []
    for (const option of splitOutside(inside, ';')) {
      const [key = '', ...value] = option.split('=')
      if (key.trim() === '$select') select = list(value.join('='))
      else if (key.trim() === '$expand') below = readExpand(value.join('='), depth + 1)
      else throw fault('unknown_option', { name: key.trim() })
    }
    return [
      { path: name, select: select.map((property) => `${name}/${property}`) },
      ...below.map((each) => ({
        path: `${name}/${each.path}`,
        select: each.select.map((path) => `${name}/${path}`),
      })),
    ]
  })
}

const splitOutside = (text: string, separator: string): string[] => {
  const parts: string[] = []
  let part = ''
  let depth = 0
  for (const character of text) {
    if (character === '(') depth += 1
    if (character === ')') depth -= 1
    if (depth < 0) throw fault('invalid_option', { name: '$expand' })
    if (character === separator && depth === 0) {
      parts.push(part)
      part = ''
    } else part += character
  }
  return [...parts, part].map((each) => each.trim()).filter((each) => each !== '')
}
