import type { ScorerDefinition } from '@diorama/contract'
import { codeScorer, judgeScorer } from './code-scorer.ts'

/** An assertion of promptfoo, its texts filled in. */
export interface Assertion {
  readonly type: string
  readonly value: unknown
}

type Shape = 'text' | 'texts' | 'any' | 'none'

/** The assertions that have the same meaning here, and what their value must be. */
const plainTypes: Readonly<Record<string, Shape>> = {
  equals: 'any',
  contains: 'text',
  icontains: 'text',
  'contains-all': 'texts',
  'icontains-all': 'texts',
  'contains-any': 'texts',
  'icontains-any': 'texts',
  'starts-with': 'text',
  regex: 'text',
  'is-json': 'none',
}
const judgeTypes = ['llm-rubric', 'model-graded-closedqa']

/** In TypeScript, since the patterns and comparisons of promptfoo are those of JavaScript. */
const code = `const folded = (text: string) => text.toLowerCase()

const same = (a: any, b: any): boolean => {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const names = Object.keys(a)
  return names.length === Object.keys(b).length && names.every((name) => name in b && same(a[name], b[name]))
}

const parsed = (text: string): any => {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

const checks: Record<string, (text: string, value: any) => boolean> = {
  equals: (text, value) => (typeof value === 'object' ? same(parsed(text)?.value, value) : text === String(value)),
  contains: (text, value) => text.includes(value),
  icontains: (text, value) => folded(text).includes(folded(value)),
  'contains-all': (text, value) => value.every((one: string) => text.includes(one)),
  'icontains-all': (text, value) => value.every((one: string) => folded(text).includes(folded(one))),
  'contains-any': (text, value) => value.some((one: string) => text.includes(one)),
  'icontains-any': (text, value) => value.some((one: string) => folded(text).includes(folded(one))),
  'starts-with': (text, value) => text.startsWith(value),
  regex: (text, value) => new RegExp(value).test(text),
  'is-json': (text) => parsed(text) !== undefined,
}

export const handler = (input: string, output: string) => {
  // The line end of the file is no part of the answer.
  const text = output.replace(/\\r?\\n$/, '')
  const holds = checks[PARAMETERS.type](text, PARAMETERS.value) !== PARAMETERS.negated
  return { score: holds ? 1 : 0, reason: PARAMETERS.label + (holds ? ' holds' : ' does not hold') }
}
`

/** The scorer of an assertion, or why there is none. */
export const scorerOf = ({ type, value }: Assertion): ScorerDefinition | { readonly refused: string } => {
  const negated = type.startsWith('not-')
  const base = negated ? type.slice('not-'.length) : type
  if (judgeTypes.includes(base)) {
    if (typeof value !== 'string' || value === '') return { refused: `the assertion ${type} needs a text` }
    if (negated) return { refused: `the assertion ${type} is not known here` }
    return judgeScorer(
      `${type}: ${value}`,
      `Does the answer meet this criterion? Choose yes or no.\n\nCriterion: ${value.replaceAll('{{', '{ {')}\n\nTask: {{input}}\n\nAnswer: {{output}}`,
    )
  }
  const shape = plainTypes[base]
  if (shape === undefined) return { refused: `the assertion ${type} is not known here` }
  const wanted = usableValue(shape, value)
  if (wanted === undefined) return { refused: `the assertion ${type} has a value that it cannot have` }
  if (base === 'regex' && !isPattern(String(wanted.value)))
    return { refused: `the assertion ${type} has a pattern that cannot be read` }
  const label = `${type}${shape === 'none' ? '' : ` ${JSON.stringify(wanted.value)}`}`.slice(0, 190)
  const parameters = { type: base, negated, label, value: wanted.value }
  return codeScorer(label, 'typescript', { code, parameters })
}

const usableValue = (shape: Shape, value: unknown): { readonly value: unknown } | undefined => {
  switch (shape) {
    case 'none':
      return value === undefined ? { value: null } : undefined
    case 'text':
      return isScalar(value) ? { value: String(value) } : undefined
    case 'texts': {
      // promptfoo takes a list, or a text with commas.
      const listed = typeof value === 'string' ? value.split(',').map((one) => one.trim()) : value
      return Array.isArray(listed) && listed.length > 0 && listed.every(isScalar)
        ? { value: listed.map(String) }
        : undefined
    }
    case 'any':
      return value === undefined || value === null ? undefined : { value }
  }
}

const isScalar = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value)

const isPattern = (text: string): boolean => {
  try {
    new RegExp(text)
    return true
  } catch {
    return false
  }
}
