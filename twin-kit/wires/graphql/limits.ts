import { type DocumentNode, Kind, Lexer, type SelectionSetNode, Source, TokenKind, visit } from 'graphql'

/**
 * What one document may hold. Parsing and validating cost time in proportion to these, so they are checked first:
 * characters, tokens and nesting before the (recursive) parser sees the text, the rest before the validation rules,
 * some of which are quadratic, see the document.
 */
export interface DocumentLimits {
  readonly maxCharacters: number
  readonly maxTokens: number
  readonly maxNesting: number
  readonly maxOperations: number
  readonly maxFragments: number
  /** How often one selection set may select the same response name. */
  readonly maxRepeats: number
}

export const documentLimits: DocumentLimits = {
  maxCharacters: 1_000_000,
  maxTokens: 10_000,
  maxNesting: 100,
  maxOperations: 20,
  maxFragments: 100,
  maxRepeats: 20,
}

const opening = new Set<string>([TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L])
const closing = new Set<string>([TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R])

/** A sentence that names the limit the text exceeds. Throws the syntax error of a text that cannot be tokenized. */
export const textExcess = (text: string, limits: DocumentLimits = documentLimits): string | undefined => {
  if (text.length > limits.maxCharacters)
    return `The document has more than ${limits.maxCharacters} characters.`
  const lexer = new Lexer(new Source(text))
  let nesting = 0
  for (let tokens = 0; ; tokens++) {
    const { kind } = lexer.advance()
    if (kind === TokenKind.EOF) return undefined
    if (tokens >= limits.maxTokens) return `The document has more than ${limits.maxTokens} tokens.`
    if (opening.has(kind)) nesting++
    else if (closing.has(kind)) nesting--
    if (nesting > limits.maxNesting) return `The document is nested more than ${limits.maxNesting} deep.`
  }
}

/** A sentence that names the limit the parsed document exceeds. */
export const documentExcess = (
  { definitions, ...document }: DocumentNode,
  limits: DocumentLimits = documentLimits,
): string | undefined => {
  const count = (kind: Kind) => definitions.filter((node) => node.kind === kind).length
  if (count(Kind.OPERATION_DEFINITION) > limits.maxOperations)
    return `The document has more than ${limits.maxOperations} operations.`
  if (count(Kind.FRAGMENT_DEFINITION) > limits.maxFragments)
    return `The document has more than ${limits.maxFragments} fragments.`
  let repeated: string | undefined
  visit(
    { ...document, definitions },
    {
      SelectionSet: (node) => {
        repeated ??= repeatedName(node, limits.maxRepeats)
      },
    },
  )
  return repeated === undefined
    ? undefined
    : `The field "${repeated}" is selected more than ${limits.maxRepeats} times in one place.`
}

const repeatedName = ({ selections }: SelectionSetNode, maxRepeats: number): string | undefined => {
  if (selections.length <= maxRepeats) return undefined
  const counts = new Map<string, number>()
  for (const node of selections) {
    if (node.kind !== Kind.FIELD) continue
    const name = (node.alias ?? node.name).value
    const count = (counts.get(name) ?? 0) + 1
    if (count > maxRepeats) return name
    counts.set(name, count)
  }
  return undefined
}

/** What the variables of one call may hold: values of any kind, and how deep they nest. */
export const variableLimits = { maxValues: 10_000, maxNesting: 100 }

/** A sentence that names the limit the variables exceed. Walks with its own stack, so that depth cannot hurt it. */
export const variablesExcess = (
  variables: Readonly<Record<string, unknown>>,
  { maxValues, maxNesting } = variableLimits,
): string | undefined => {
  const pending: { value: unknown; depth: number }[] = [{ value: variables, depth: 0 }]
  let values = 0
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { value, depth } = next
    if (typeof value !== 'object' || value === null) continue
    if (depth > maxNesting) return `The variables are nested more than ${maxNesting} deep.`
    const items = Array.isArray(value) ? value : Object.values(value)
    values += items.length
    if (values > maxValues) return `The variables hold more than ${maxValues} values.`
    for (const item of items) pending.push({ value: item, depth: depth + 1 })
  }
  return undefined
}
