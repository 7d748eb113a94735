import { nearestName } from '@diorama/contract/fields'
import { z } from 'zod'

export type Path = readonly PropertyKey[]

/** What is wrong with one field of a file. */
export interface Fault {
  readonly path: Path
  /** Follows the name of the field: `must be at most 20`. */
  readonly message: string
}

/** An issue of the schema in the words of the file's format. */
export const faultsOf = (issue: z.core.$ZodIssue, schema: z.ZodType): Fault[] => {
  if (issue.code !== 'unrecognized_keys') return [{ path: issue.path, message: messageOf(issue) }]
  const known = fieldsAt(schema, issue.path)
  return issue.keys.map((key) => {
    const nearest = nearestName(key, known)
    const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`
    return { path: [...issue.path, key], message: `is not a field of this file${hint}` }
  })
}

interface SchemaNode {
  readonly properties?: Readonly<Record<string, SchemaNode>>
  readonly items?: SchemaNode
}

const fieldsAt = (schema: z.ZodType, path: Path): string[] => {
  let node = z.toJSONSchema(schema, { io: 'input' }) as SchemaNode | undefined
  for (const part of path) node = typeof part === 'number' ? node?.items : node?.properties?.[String(part)]
  return Object.keys(node?.properties ?? {})
}

const nouns: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
  object: 'a mapping of fields',
  record: 'a mapping of names to values',
  string: 'a text',
}

const messageOf = (issue: z.core.$ZodIssue): string => {
  switch (issue.code) {
    case 'invalid_type':
      return issue.message.endsWith('received undefined')
        ? 'is missing'
        : `must be ${nouns[issue.expected] ?? issue.expected}`
    case 'too_big':
      return `must ${limit('at most', issue.origin, issue.maximum)}`
    case 'too_small':
      if (issue.minimum === 1 && issue.origin !== 'number' && issue.origin !== 'int')
        return 'must not be empty'
      return `must ${limit(issue.inclusive === false ? 'more than' : 'at least', issue.origin, issue.minimum)}`
    case 'invalid_value':
      return `must be ${issue.values.map(String).join(' or ')}`
    default:
      return `is wrong: ${issue.message}`
  }
}

const limit = (how: string, origin: string, bound: number | bigint): string => {
  if (origin === 'string') return `have ${how} ${bound} characters`
  return origin === 'array' ? `have ${how} ${bound} items` : `be ${how} ${bound}`
}
