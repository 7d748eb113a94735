import type { Scorer } from '@diorama/contract'

export interface Draft {
  readonly name: string
  readonly kind: 'code' | 'llm-judge'
  readonly language: 'python' | 'typescript'
  readonly code: string
  readonly prompt: string
  readonly choices: string
  readonly threshold: string
}

export const starters = {
  python: `def handler(input, output, expected, metadata):
    """Return a score from 0 to 1, or a score with a reason."""
    found = expected.lower() in output.lower()
    return {"score": 1 if found else 0, "reason": "named it" if found else "did not name it"}
`,
  typescript: `export const handler = (input: string, output: string, expected: string) => {
  const found = output.toLowerCase().includes(expected.toLowerCase())
  return { score: found ? 1 : 0, reason: found ? 'named it' : 'did not name it' }
}
`,
}

export const emptyDraft: Draft = {
  name: '',
  kind: 'code',
  language: 'python',
  code: starters.python,
  prompt:
    'Does the answer do what was asked?\n\nAsked: {{input}}\nAnswer: {{output}}\nExpected: {{expected}}',
  choices: 'yes = 1\nno = 0',
  threshold: '1',
}

export const draftOf = (scorer: Scorer): Draft => ({
  name: scorer.name,
  kind: scorer.kind,
  language: scorer.language ?? 'python',
  code: scorer.code ?? '',
  prompt: scorer.prompt ?? '',
  choices: scorer.choiceScores.map(({ label, score }) => `${label} = ${score}`).join('\n'),
  threshold: scorer.passThreshold === null ? '' : String(scorer.passThreshold),
})

/** A scorer that reads the world needs one, and the bench has none. */
export const readsWorld = ({ code }: Draft): boolean => /world_state|world-state/.test(code)
