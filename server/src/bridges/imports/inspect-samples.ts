import type { ScorerDefinition } from '@diorama/contract'
import type { sampleScorers } from '@diorama/contract/suite-exchange'
import { parse } from 'yaml'
import { z } from 'zod'
import { ApiError } from '../../http/api-error.ts'
import { codeScorer, judgeScorer } from './code-scorer.ts'
import type { ReadSuite, ReadTask, Refusal } from './read-suite.ts'

type SampleScorer = (typeof sampleScorers)[number]

const maxTitle = 120
const maxInstruction = 100_000

const Message = z.looseObject({
  role: z.string(),
  content: z.union([z.string(), z.array(z.looseObject({ type: z.string(), text: z.string().optional() }))]),
})
const Sample = z.object({
  input: z.union([z.string().min(1), z.array(Message).min(1)]),
  target: z
    .union([z.string(), z.number(), z.array(z.union([z.string(), z.number()]))])
    .transform((target) => [target].flat().map(String))
    .default([]),
  choices: z.array(z.string()).max(26).nullish(),
  id: z.union([z.string(), z.int()]).nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
  sandbox: z.unknown().optional(),
  files: z.unknown().optional(),
  setup: z.unknown().optional(),
})
type Sample = z.infer<typeof Sample>

/** Samples of Inspect as JSON Lines, JSON or YAML: a task without a world for each. */
export const readInspect = (text: string, scorer: SampleScorer): ReadSuite => {
  const tasks: ReadTask[] = []
  const refused: Refusal[] = []
  for (const [n, record] of recordsOf(text).entries()) {
    const parsed = Sample.safeParse(record)
    const name = parsed.success ? String(parsed.data.id ?? `sample ${n + 1}`) : `sample ${n + 1}`
    const made = parsed.success ? taskOf(name, parsed.data, scorer) : { refused: faultOf(parsed.error) }
    if ('refused' in made) refused.push({ name, reason: made.refused })
    else tasks.push(made)
  }
  return { name: 'Inspect samples', description: '', unasked: 'ignore', tasks, refused }
}

const faultOf = ({ issues: [issue] }: z.ZodError): string =>
  issue ? `${issue.path.join('.') || 'it'} is wrong: ${issue.message}` : 'it cannot be read'

const recordsOf = (text: string): unknown[] => {
  const whole = jsonOf(text)
  if (whole) return Array.isArray(whole.value) ? whole.value : [whole.value]
  const lines = text.split('\n').map((line) => line.trim())
  const parsed = lines.map((line) => (line === '' ? undefined : jsonOf(line)))
  const bad = lines.findIndex((line, n) => line !== '' && !parsed[n])
  if (bad === -1) return parsed.flatMap((one) => (one ? [one.value] : []))
  // JSON Lines begin with a brace; what does not is YAML.
  if (text.trimStart().startsWith('{')) throw new ApiError('malformed', `Line ${bad + 1} is not JSON.`)
  try {
    const document: unknown = parse(text, { maxAliasCount: 100 })
    if (Array.isArray(document)) return document
  } catch (cause) {
    throw new ApiError('malformed', 'The body is neither JSON Lines nor JSON nor YAML.', { cause })
  }
  throw new ApiError('malformed', 'The body is not a list of samples.')
}

const jsonOf = (text: string): { readonly value: unknown } | undefined => {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

const taskOf = (
  name: string,
  sample: Sample,
  wanted: SampleScorer,
): ReadTask | { readonly refused: string } => {
  for (const field of ['sandbox', 'files', 'setup'] as const)
    if (sample[field] !== undefined && sample[field] !== null)
      return { refused: `it has ${field}, which a task without a world does not` }
  const said = inputOf(sample.input)
  if ('refused' in said) return said
  const choices = sample.choices ?? []
  const instruction = choices.length === 0 ? said.text : `${said.text}\n\n${listed(choices)}`
  if (instruction.trim() === '') return { refused: 'input is empty' }
  if (instruction.length > maxInstruction)
    return { refused: `input has more than ${maxInstruction} characters` }
  const targets = sample.target.filter((one) => one.trim() !== '')
  if (targets.length === 0) return { refused: 'target is empty, so nothing would decide it' }
  const [line = ''] = said.text.trim().split('\n')
  return {
    name,
    key: null,
    title: line.slice(0, maxTitle),
    instruction,
    expected_outcome: targets.join('\n'),
    metadata: { ...sample.metadata, ...(sample.id == null ? {} : { sample_id: sample.id }) },
    blueprint: null,
    scorers: [
      {
        // A choice is a letter: a text that contains it somewhere says nothing.
        definition: definitionOf(choices.length === 0 ? wanted : 'match_exact', targets),
        weight: 'med',
        pass_threshold: null,
      },
    ],
  }
}

const listed = (choices: readonly string[]): string =>
  [
    ...choices.map((choice, n) => `${String.fromCharCode(65 + n)}) ${choice}`),
    '',
    'Answer with the letter of one choice and nothing else.',
  ].join('\n')

/** The texts of the messages; an agent is given one instruction, so a conversation cannot be replayed to it. */
const inputOf = (input: Sample['input']): { readonly text: string } | { readonly refused: string } => {
  if (typeof input === 'string') return { text: input }
  const other = input.find(({ role }) => role !== 'user' && role !== 'system')
  if (other)
    return { refused: `input has a message of the role ${other.role}, which an agent cannot be given` }
  const texts = input.flatMap(({ content }) =>
    typeof content === 'string' ? [content] : content.map(({ text }) => text),
  )
  if (texts.includes(undefined)) return { refused: 'input holds something other than text' }
  return { text: texts.join('\n\n') }
}

const matching = `import string


def plain(text):
    return text.strip().casefold().strip(string.whitespace + string.punctuation)


def holds(output, target):
    if PARAMETERS["location"] == "any":
        return target.casefold() in output.casefold()
    if PARAMETERS["location"] == "exact":
        return plain(output) == plain(target)
    return plain(output).endswith(plain(target))


def handler(input, output, expected, metadata):
    found = [target for target in PARAMETERS["targets"] if holds(output, target)]
    return {"score": 1 if found else 0, "reason": f"matches {found[0][:200]!r}" if found else "matches no target"}
`

/** The scorers of Inspect of these names, with their defaults. */
const definitionOf = (scorer: SampleScorer, targets: readonly string[]): ScorerDefinition => {
  if (scorer === 'model_graded_qa')
    return judgeScorer(
      'Model graded',
      'Is the answer correct by the expected outcome? Choose yes or no.\n\nQuestion: {{input}}\n\nExpected: {{expected}}\n\nAnswer: {{output}}',
    )
  const location = { includes: 'any', match: 'end', match_exact: 'exact' }[scorer]
  const name = {
    includes: 'Includes the target',
    match: 'Ends with the target',
    match_exact: 'Is the target',
  }
  return codeScorer(name[scorer], 'python', { code: matching, parameters: { location, targets } })
}
