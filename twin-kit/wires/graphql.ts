import {
  type DocumentNode,
  type ExecutionResult,
  executeSync,
  type FieldNode,
  type GraphQLError,
  type GraphQLFieldResolver,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  parse,
  type SelectionSetNode,
  validate,
  visit,
} from 'graphql'
import type { TwinRequest } from '../kernel/twin.ts'
import { isRecord } from '../records.ts'
import { introspect, isMetaField } from './graphql/introspection.ts'
import { documentExcess, textExcess, variablesExcess } from './graphql/limits.ts'

/** What a caller sent, over POST or GET. */
export interface GraphQLCall {
  readonly query: string
  readonly variables: Readonly<Record<string, unknown>>
  readonly operationName: string | undefined
}

/** A request that is no GraphQL call at all; the twin's wire gives it the vendor's shape. */
export interface NotACall {
  readonly refused: 'no query' | 'malformed' | 'batch' | 'too large'
  readonly message: string
}

/** Parsing a body takes time in proportion to its size, whatever is in it. */
export const maxBodyBytes = 2 * 1024 * 1024

/** Reads a call from the query string, a JSON body, or a body that is the document itself. */
export const readCall = (request: TwinRequest): GraphQLCall | NotACall => {
  if (request.body.byteLength > maxBodyBytes)
    return { refused: 'too large', message: `The body has more than ${maxBodyBytes} bytes.` }
  const call = parseCall(request)
  const excess = 'refused' in call ? undefined : variablesExcess(call.variables)
  return excess === undefined ? call : { refused: 'too large', message: excess }
}

const parseCall = (request: TwinRequest): GraphQLCall | NotACall => {
  if (request.method === 'GET' || request.method === 'HEAD') return fromQuery(request.query)
  const text = new TextDecoder().decode(request.body)
  if ((request.headers['content-type'] ?? '').startsWith('application/graphql;') || isBareDocument(request))
    return toCall({ query: text })
  if (text.trim() === '') return fromQuery(request.query)
  try {
    const body: unknown = JSON.parse(text)
    if (Array.isArray(body)) return { refused: 'batch', message: 'Operation batching disabled.' }
    return toCall(body)
  } catch (error) {
    return { refused: 'malformed', message: error instanceof Error ? error.message : 'Malformed body' }
  }
}

const isBareDocument = ({ headers }: TwinRequest): boolean =>
  headers['content-type'] === 'application/graphql'

const fromQuery = (text: string): GraphQLCall | NotACall => {
  const query = new URLSearchParams(text)
  const variables = query.get('variables')
  try {
    return toCall({
      query: query.get('query'),
      operationName: query.get('operationName'),
      ...(variables ? { variables: JSON.parse(variables) } : {}),
    })
  } catch {
    return { refused: 'malformed', message: 'The variables are not valid JSON' }
  }
}

const toCall = (body: unknown): GraphQLCall | NotACall => {
  if (!isRecord(body) || typeof body.query !== 'string' || body.query.trim() === '')
    return {
      refused: 'no query',
      message: 'GraphQL operations must contain a non-empty `query` or a `persistedQuery` extension.',
    }
  return {
    query: body.query,
    variables: isRecord(body.variables) ? body.variables : {},
    operationName:
      typeof body.operationName === 'string' && body.operationName !== '' ? body.operationName : undefined,
  }
}

/** A document that was parsed and, if its syntax holds, validated. */
export interface Prepared {
  readonly document: DocumentNode | undefined
  readonly errors: readonly GraphQLError[]
  /** Whether it asks for `__schema` or `__type`. */
  readonly introspects?: boolean
  /** Why the document was not validated: a sentence that names the limit it exceeds. */
  readonly excess?: string
}

/**
 * A parsed document takes about a hundred times the memory of its text, so this much text is some 40 MB: little beside
 * the heap of the thread that runs the twin, which documents at random once filled.
 */
const maxRememberedCharacters = 400_000

/**
 * Documents by their text, the least used ones dropped first. Clients send the same few documents over and over, and
 * parsing and validating one costs ten times what running it does.
 */
export class Documents {
  readonly schema: GraphQLSchema
  readonly #limit: number
  readonly #prepared = new Map<string, Prepared>()
  #characters = 0

  constructor(schema: GraphQLSchema, { characters = maxRememberedCharacters }: { characters?: number } = {}) {
    this.schema = schema
    this.#limit = characters
  }

  get(text: string): Prepared {
    const known = this.#prepared.get(text)
    if (known) {
      this.#prepared.delete(text)
      this.#prepared.set(text, known)
      return known
    }
    const prepared = this.#prepare(text)
    this.#prepared.set(text, prepared)
    this.#characters += text.length
    for (const oldest of this.#prepared.keys()) {
      if (this.#characters <= this.#limit || oldest === text) break
      this.#prepared.delete(oldest)
      this.#characters -= oldest.length
    }
    return prepared
  }

  #prepare(text: string): Prepared {
    try {
      const excess = textExcess(text)
      if (excess !== undefined) return { document: undefined, errors: [], excess }
      return this.#validate(parse(text))
    } catch (error) {
      if (isSyntaxError(error)) return { document: undefined, errors: [error] }
      throw error
    }
  }

  #validate(document: DocumentNode): Prepared {
    const excess = documentExcess(document)
    if (excess !== undefined) return { document, errors: [], excess }
    const errors = validate(this.schema, document, undefined, { maxErrors: 10 })
    return errors.some(({ message }) => message === validationAborted)
      ? { document, errors: [], excess: 'The document selects too many overlapping fields.' }
      : { document, errors, introspects: asksAboutSchema(document) }
  }
}

/** The engine's words when comparing overlapping fields costs more than its own budget. */
const validationAborted = 'Validation aborted.'

const isSyntaxError = (error: unknown): error is GraphQLError =>
  error instanceof Error && error.name === 'GraphQLError'

/** The operation that the call runs, or a sentence that says why there is none. */
export const operationOf = (
  document: DocumentNode,
  name: string | undefined,
): OperationDefinitionNode | string => {
  const operations = document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION)
  if (name === undefined)
    return operations.length === 1 && operations[0]
      ? operations[0]
      : 'Must provide operation name if query contains multiple operations.'
  return operations.find((node) => node.name?.value === name) ?? `Unknown operation named "${name}".`
}

/** Runs one operation over memory. Mutations of one document run one after the other, each seeing the last. */
export const run = ({
  schema,
  document,
  introspects,
  operation,
  call,
  context,
  fieldResolver,
}: {
  schema: GraphQLSchema
  document: DocumentNode
  introspects: boolean
  operation: OperationDefinitionNode
  call: GraphQLCall
  context: unknown
  fieldResolver?: GraphQLFieldResolver<unknown, unknown>
}): ExecutionResult => {
  const execute = (executed: DocumentNode) =>
    executeSync({
      schema,
      document: executed,
      variableValues: call.variables,
      contextValue: context,
      ...(call.operationName === undefined ? {} : { operationName: call.operationName }),
      ...(fieldResolver ? { fieldResolver } : {}),
    })
  if (!introspects) return execute(document)
  const executed = execute(withoutMetaFields(document))
  if (!executed.data) return executed
  const answers = introspect({ schema, document, operation, variables: call.variables })
  return { ...executed, data: inOrder({ ...executed.data, ...answers }, rootNames(document, operation)) }
}

const asksAboutSchema = (document: DocumentNode): boolean => {
  let asks = false
  visit(document, {
    Field: ({ name }) => {
      asks ||= isMetaField(name.value)
    },
  })
  return asks
}
const withoutMetaFields = (document: DocumentNode): DocumentNode =>
  visit(document, { Field: ({ name }) => (isMetaField(name.value) ? null : undefined) })

const inOrder = (data: Record<string, unknown>, names: Iterable<string>): Record<string, unknown> => {
  const ordered: Record<string, unknown> = {}
  for (const name of names) if (name in data) ordered[name] = data[name]
  return ordered
}

/** Response names that an operation selects at its root, in order; each fragment is visited once. */
const rootNames = (document: DocumentNode, operation: OperationDefinitionNode): Set<string> =>
  new Set(rootFields(document, operation).map(({ alias, name }) => (alias ?? name).value))

/** The root fields of an operation, those of its fragments included; each fragment is visited once. */
export const rootFields = (document: DocumentNode, operation: OperationDefinitionNode): FieldNode[] => {
  const fragments = new Map(
    document.definitions
      .filter((node) => node.kind === Kind.FRAGMENT_DEFINITION)
      .map((node) => [node.name.value, node]),
  )
  const fields: FieldNode[] = []
  const visited = new Set<string>()
  const collect = ({ selections }: SelectionSetNode): void => {
    for (const node of selections) {
      if (node.kind === Kind.FIELD) fields.push(node)
      else if (node.kind === Kind.INLINE_FRAGMENT) collect(node.selectionSet)
      else if (!visited.has(node.name.value)) {
        visited.add(node.name.value)
        const fragment = fragments.get(node.name.value)
        if (fragment) collect(fragment.selectionSet)
      }
    }
  }
  collect(operation.selectionSet)
  return fields
}
