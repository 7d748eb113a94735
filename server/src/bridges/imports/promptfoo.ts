import type { FrozenTask, ScorerWeight } from '@diorama/contract'
import { parse } from 'yaml'
import { z } from 'zod'
import { ApiError } from '../../http/api-error.ts'
import { scorerOf } from './assertions.ts'
import type { ReadSuite, ReadTask, Refusal } from './read-suite.ts'

const maxExpanded = 1_000
const maxTitle = 120
const maxInstruction = 100_000

const Vars = z.record(z.string(), z.unknown())
const Assertion = z.looseObject({
  type: z.string(),
  value: z.unknown().optional(),
  threshold: z.number().min(0).max(1).optional(),
  weight: z.number().min(0).optional(),
  metric: z.string().optional(),
})
const Test = z.looseObject({
  description: z.string().optional(),
  vars: Vars.default({}),
  assert: z.array(Assertion).default([]),
  metadata: z.record(z.string(), z.unknown()).default({}),
})
const Prompt = z.union([z.string(), z.looseObject({ raw: z.string(), label: z.string().optional() })])
const Config = z.looseObject({
  description: z.string().optional(),
  prompts: z.union([z.string(), z.array(Prompt)]).default('{{prompt}}'),
  defaultTest: Test.optional(),
  tests: z.array(Test),
})
type Test = z.infer<typeof Test>
type Assertion = z.infer<typeof Assertion>

const knownTestFields = ['description', 'vars', 'assert', 'metadata']
const knownAssertionFields = ['type', 'value', 'threshold', 'weight', 'metric']

/** A configuration of promptfoo, or its list of tests: a task without a world for each prompt and test. */
export const readPromptfoo = (text: string): ReadSuite => {
  const config = configOf(text)
  const prompts = [config.prompts].flat().map((one) => (typeof one === 'string' ? one : one.raw))
  const tasks: ReadTask[] = []
  const refused: Refusal[] = []
  for (const [n, test] of config.tests.entries()) {
    const whole = withDefaults(test, config.defaultTest)
    for (const [p, prompt] of prompts.entries()) {
      const name = `tests[${n}]${prompts.length > 1 ? ` prompts[${p}]` : ''}`
      const made = tasksOf(name, prompt, whole)
      if ('refused' in made) refused.push({ name, reason: made.refused })
      else tasks.push(...made.tasks)
    }
  }
  return {
    name: config.description || 'promptfoo tests',
    description: '',
    unasked: 'ignore',
    tasks,
    refused,
  }
}

const configOf = (text: string): z.infer<typeof Config> => {
  let document: unknown
  try {
    document = parse(text, { maxAliasCount: 100 })
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.split('\n')[0] : String(cause)
    throw new ApiError('malformed', `The body is neither YAML nor JSON: ${why}`, { cause })
  }
  const given = Array.isArray(document) ? { tests: document } : document
  if (typeof (given as { tests?: unknown } | null)?.tests === 'string')
    throw new ApiError('malformed', 'tests names a file; write the tests into the configuration.')
  const parsed = Config.safeParse(given)
  if (parsed.success) return parsed.data
  const details = parsed.error.issues.map(({ path, message }) => ({ pointer: `/${path.join('/')}`, message }))
  throw new ApiError('malformed', `The tests cannot be read: ${details[0]?.pointer} ${details[0]?.message}`, {
    details,
  })
}

const withDefaults = (test: Test, defaults: Test | undefined): Test => ({
  ...defaults,
  ...test,
  vars: { ...defaults?.vars, ...test.vars },
  assert: [...(defaults?.assert ?? []), ...test.assert],
  metadata: { ...defaults?.metadata, ...test.metadata },
})

type Made = { readonly tasks: readonly ReadTask[] } | { readonly refused: string }

const tasksOf = (name: string, prompt: string, test: Test): Made => {
  const odd = Object.entries(test).find(
    ([field, value]) => !knownTestFields.includes(field) && !isEmpty(value),
  )
  if (odd) return { refused: `${odd[0]} changes how a test is run, and is not known here` }
  if (test.assert.length === 0) return { refused: 'it has no assertions, so nothing would decide it' }
  if (/^(file|https?|exec|python):/.test(prompt)) return { refused: 'its prompt is in another file' }
  const sets = expanded(test.vars)
  if (sets === undefined) return { refused: `its lists of vars make more than ${maxExpanded} tests` }
  const tasks: ReadTask[] = []
  for (const [n, vars] of sets.entries()) {
    const made = taskOf(sets.length > 1 ? `${name} vars ${n + 1}` : name, prompt, { ...test, vars })
    if ('refused' in made) return made
    tasks.push(made)
  }
  return { tasks }
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0)

/** A variable with a list means a test with each of its values, as in promptfoo. */
const expanded = (vars: Test['vars']): Test['vars'][] | undefined => {
  let sets: Test['vars'][] = [{}]
  for (const [name, value] of Object.entries(vars)) {
    const values = Array.isArray(value) ? value : [value]
    sets = sets.flatMap((set) => values.map((one) => ({ ...set, [name]: one })))
    if (sets.length > maxExpanded) return undefined
  }
  return sets
}

const taskOf = (name: string, prompt: string, test: Test): ReadTask | { readonly refused: string } => {
  const filled = filledIn(prompt, test.vars)
  if ('refused' in filled) return { refused: `its prompt ${filled.refused}` }
  const instruction = filled.text
  if (instruction.trim() === '') return { refused: 'its prompt is empty' }
  if (instruction.length > maxInstruction)
    return { refused: `its prompt has more than ${maxInstruction} characters` }
  const scorers: ReadTask['scorers'][number][] = []
  for (const assertion of test.assert) {
    const made = boundScorer(assertion, test.vars)
    if ('refused' in made) return made
    scorers.push(made)
  }
  const [line = ''] = instruction.trim().split('\n')
  return {
    name,
    key: null,
    title: (test.description || line).slice(0, maxTitle),
    instruction,
    expected_outcome: expectedOf(test.assert),
    metadata: { ...test.metadata, vars: test.vars },
    blueprint: null,
    scorers,
  }
}

/** What people read beside an answer: the one text that it is held against, where there is one. */
const expectedOf = (assertions: readonly Assertion[]): string => {
  const [only, ...others] = assertions
  return others.length === 0 && only?.type === 'equals' && typeof only.value === 'string' ? only.value : ''
}

type Bound = Pick<FrozenTask['scorers'][number], 'definition' | 'weight' | 'pass_threshold'>

const boundScorer = (assertion: Assertion, vars: Test['vars']): Bound | { readonly refused: string } => {
  const { type, threshold, weight = 1 } = assertion
  const odd = Object.keys(assertion).find((field) => !knownAssertionFields.includes(field))
  if (odd !== undefined) return { refused: `the assertion ${type} has ${odd}, which is not known here` }
  const value = filledValue(assertion.value, vars)
  if (value && typeof value === 'object' && 'refused' in value)
    return { refused: `the value of the assertion ${type} ${String(value.refused)}` }
  const definition = scorerOf({ type, value })
  if ('refused' in definition) return definition
  // Without a weight in the outcome an assertion is only reported.
  const decides = weight > 0
  return {
    definition: decides ? definition : { ...definition, passThreshold: null },
    weight: weightOf(weight),
    pass_threshold: decides ? (threshold ?? null) : null,
  }
}

const weightOf = (weight: number): ScorerWeight => (weight < 1 ? 'low' : weight > 1 ? 'high' : 'med')

const filledValue = (value: unknown, vars: Test['vars']): unknown => {
  if (Array.isArray(value)) {
    const all = value.map((one) => filledValue(one, vars))
    return all.find((one) => typeof one === 'object' && one !== null && 'refused' in one) ?? all
  }
  if (typeof value !== 'string') return value
  if (value.startsWith('file://')) return { refused: 'is in another file' }
  const filled = filledIn(value, vars)
  return 'refused' in filled ? filled : filled.text
}

/** Fills in `{{name}}`. Anything else that the template language of promptfoo can do is refused. */
const filledIn = (
  template: string,
  vars: Test['vars'],
): { readonly text: string } | { readonly refused: string } => {
  if (/\{[%#]/.test(template)) return { refused: 'has template logic, which is not carried out here' }
  let refused: string | undefined
  const text = template.replaceAll(/\{\{\s*(.*?)\s*\}\}/gs, (_, expression: string) => {
    const value = /^[\p{L}_][\p{L}\p{N}_]*$/u.test(expression) ? vars[expression] : undefined
    if (typeof value === 'string' && value.startsWith('file://'))
      refused = `takes ${expression} from another file`
    if (value === undefined) refused = `names ${expression}, which is no variable of the test`
    return typeof value === 'object' ? JSON.stringify(value) : String(value)
  })
  return refused === undefined ? { text } : { refused }
}
