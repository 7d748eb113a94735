import type {
  Completion,
  CompletionContext,
  CompletionResult,
  CompletionSource,
} from '@codemirror/autocomplete'
import { syntaxTree } from '@codemirror/language'
import { isRecord } from '@diorama/contract/records'
import { pathAt } from './json-places.ts'

type Schema = Readonly<Record<string, unknown>>
const at = (schema: Schema | undefined, field: string): Schema | undefined => {
  const value = schema?.[field]
  return isRecord(value) ? value : undefined
}

/** Follows references, and picks the telling one of alternatives such as "object or null". */
const resolve = (root: Schema, schema: Schema | undefined, depth = 0): Schema | undefined => {
  if (!schema || depth > 10) return schema
  const reference = schema['$ref']
  if (typeof reference === 'string') {
    let found: Schema | undefined = root
    for (const part of reference.split('/').slice(1)) found = at(found, part)
    return resolve(root, found, depth + 1)
  }
  const either = schema['anyOf'] ?? schema['oneOf']
  if (!Array.isArray(either)) return schema
  const telling = either.filter(isRecord).map((one) => resolve(root, one, depth + 1))
  return telling.find((one) => one?.['properties'] || one?.['items'] || one?.['enum']) ?? telling[0]
}

const schemaAt = (root: Schema, path: readonly string[]): Schema | undefined => {
  let schema = resolve(root, root)
  for (const part of path) {
    const items = at(schema, 'items')
    schema = resolve(root, items && /^\d+$/.test(part) ? items : at(at(schema, 'properties'), part))
  }
  return schema
}

const names = (root: Schema, schema: Schema | undefined): Completion[] => {
  const required = Array.isArray(schema?.['required']) ? schema['required'] : []
  return Object.entries(at(schema, 'properties') ?? {}).map(([label, value]) => {
    const one = resolve(root, isRecord(value) ? value : undefined)
    const info = isRecord(value) ? (value['description'] ?? one?.['description']) : undefined
    return {
      label: `"${label}"`,
      type: 'property',
      detail: required.includes(label) ? 'required' : '',
      ...(typeof info === 'string' ? { info } : {}),
    }
  })
}

/** Completes the names and the fixed values of a JSON document from its schema. */
export const completeFrom =
  (root: Schema): CompletionSource =>
  (context: CompletionContext): CompletionResult | null => {
    const node = syntaxTree(context.state).resolveInner(context.pos, -1)
    const word = context.matchBefore(/"?[\w-]*/)
    const from = word?.from ?? context.pos
    if (!context.explicit && (word === null || word.from === word.to)) return null
    const inName =
      node.name === 'PropertyName' ||
      node.name === 'Object' ||
      (node.name === '⚠' && node.parent?.name === 'Object')
    const schema = schemaAt(root, pathAt(context.state, node))
    if (inName) return { from, options: names(root, schema), validFor: /^"?[\w-]*$/ }
    const fixed = Array.isArray(schema?.['enum']) ? schema['enum'] : []
    if (fixed.length === 0) return null
    return {
      from,
      options: fixed.map((value) => ({ label: JSON.stringify(value), type: 'enum' })),
      validFor: /^"?[\w-]*$/,
    }
  }
