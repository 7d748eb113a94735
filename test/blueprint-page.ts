import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { WorldBlueprint } from '@diorama/contract'
import { z } from 'zod'
import { root } from './sources.ts'

const page = join(root, 'docs', 'blueprint-reference.md')
const begin = '<!-- fields: begin -->'
const end = '<!-- fields: end -->'

interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema | boolean
  readonly required?: readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly default?: unknown
  readonly description?: string
  readonly format?: string
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly minimum?: number
  readonly maximum?: number
}

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')
const code = (value: unknown) => {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``
}
const nameOf = (reference: string) => reference.slice(reference.lastIndexOf('/') + 1)

const typeOf = (schema: Schema): string => {
  if (schema.$ref) return `[${nameOf(schema.$ref)}](#${nameOf(schema.$ref).toLowerCase()})`
  if (schema.enum)
    return schema.enum
      .filter((one) => one !== null)
      .map(code)
      .join(', ')
  if (schema.const !== undefined) return code(schema.const)
  if (schema.anyOf)
    return schema.anyOf
      .filter(({ type }) => type !== 'null')
      .map(typeOf)
      .join(' or ')
  if (schema.items) return `list of ${typeOf(schema.items)}`
  if (schema.properties)
    return `object with ${Object.entries(schema.properties)
      .map(([name, one]) => `\`${name}\` (${typeOf(one)})`)
      .join(', ')}`
  if (typeof schema.additionalProperties === 'object' && Object.keys(schema.additionalProperties).length > 0)
    return `object of ${typeOf(schema.additionalProperties)} by name`
  const types = [schema.type ?? 'any'].flat().filter((one) => one !== 'null')
  return types.join(' or ')
}

const between = (low: number | undefined, high: number | undefined, unit: string): string[] => {
  if (low !== undefined && high !== undefined) return [`${low} to ${high}${unit}`]
  if (low !== undefined) return low === 1 && unit !== '' ? ['not empty'] : [`at least ${low}${unit}`]
  return high === undefined ? [] : [`at most ${high}${unit}`]
}

/** zod gives integers these bounds, which say nothing. */
const bound = (value: number | undefined) =>
  value === undefined || Math.abs(value) === Number.MAX_SAFE_INTEGER ? undefined : value

const limitsOf = (schema: Schema): string[] => [
  ...between(schema.minItems, schema.maxItems, ' items'),
  ...between(schema.minLength, schema.maxLength, ' characters'),
  ...between(bound(schema.minimum), bound(schema.maximum), ''),
  ...(schema.format ? [schema.format] : []),
  ...(schema.pattern && schema.format === undefined ? [code(schema.pattern)] : []),
]

/** The limits of a field that may be null are on one of its alternatives. */
const allLimits = (schema: Schema): string[] => [
  ...limitsOf(schema),
  ...(schema.anyOf ?? []).flatMap(limitsOf),
  ...(schema.items && !schema.items.$ref ? limitsOf(schema.items).map((limit) => `each: ${limit}`) : []),
]

const row = (name: string, schema: Schema, isRequired: boolean): string => {
  const fallback = schema.default === undefined || schema.default === null ? 'optional' : code(schema.default)
  const about = [allLimits(schema).join('; '), schema.description ?? ''].filter((text) => text !== '')
  const cells = [`\`${name}\``, typeOf(schema), isRequired ? 'required' : fallback, about.join('. ')]
  return `| ${cells.map(cell).join(' | ')} |`
}

/** Every field of a blueprint, as the schema has it. */
export const fieldsText = (): string => {
  const { $defs = {} } = z.toJSONSchema(WorldBlueprint, { io: 'input', unrepresentable: 'any' }) as {
    $defs?: Record<string, Schema>
  }
  return Object.entries($defs)
    .filter(([, { properties }]) => properties !== undefined)
    .map(([name, { properties = {}, required = [], description }]) => {
      const rows = Object.entries(properties).map(([field, one]) => row(field, one, required.includes(field)))
      const head = '| Field | Type | Default | Limits and meaning |\n|---|---|---|---|'
      return [`### ${name}\n`, ...(description ? [`${description}\n`] : []), head, ...rows, ''].join('\n')
    })
    .join('\n')
}

/** The page as it should be, and as it is. */
export const blueprintPage = (): { wanted: string; found: string } => {
  const found = readFileSync(page, 'utf8')
  const before = found.slice(0, found.indexOf(begin) + begin.length)
  return { wanted: `${before}\n\n${fieldsText()}\n${found.slice(found.indexOf(end))}`, found }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(page, blueprintPage().wanted)
