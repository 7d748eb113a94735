import type { Scorer } from '@diorama/contract'

export interface Choice {
  readonly key: number
  readonly label: string
  readonly score: string
}

export interface Draft {
  readonly name: string
  readonly description: string
  readonly kind: 'code' | 'llm-judge'
  readonly language: 'python' | 'typescript'
  readonly code: string
  readonly prompt: string
  /** What a judge chooses from; with none it gives a number. */
  readonly choices: readonly Choice[]
  readonly useCot: boolean
  readonly allowSkip: boolean
  readonly model: string
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
  description: '',
  kind: 'code',
  language: 'python',
  code: starters.python,
  prompt:
    'Does the answer do what was asked?\n\nAsked: {{input}}\nAnswer: {{output}}\nExpected: {{expected}}',
  choices: [
    { key: 0, label: 'yes', score: '1' },
    { key: 1, label: 'partly', score: '0.5' },
    { key: 2, label: 'no', score: '0' },
  ],
  useCot: false,
  allowSkip: false,
  model: '',
  threshold: '1',
}

export const draftOf = (scorer: Scorer): Draft => ({
  name: scorer.name,
  description: scorer.description ?? '',
  kind: scorer.kind,
  language: scorer.language ?? 'python',
  code: scorer.code ?? starters[scorer.language ?? 'python'],
  prompt: scorer.prompt ?? emptyDraft.prompt,
  choices: scorer.choiceScores.map(({ label, score }, key) => ({ key, label, score: String(score) })),
  useCot: scorer.useCot,
  allowSkip: scorer.allowSkip,
  model: scorer.model ?? '',
  threshold: scorer.passThreshold === null ? '' : String(scorer.passThreshold),
})

/** What decides the score, as the service takes it: for the bench and for saving alike. */
export const gradingOf = (draft: Draft) =>
  draft.kind === 'code'
    ? { kind: draft.kind, code: draft.code, language: draft.language }
    : {
        kind: draft.kind,
        prompt: draft.prompt,
        choiceScores: draft.choices
          .filter(({ label }) => label.trim() !== '')
          .map(({ label, score }) => ({ label: label.trim(), score: Number(score) })),
        useCot: draft.useCot,
        allowSkip: draft.allowSkip,
        model: draft.model.trim() || null,
      }

/** A scorer that reads the world needs one, and the bench has none. */
export const readsWorld = ({ kind, code }: Draft): boolean =>
  kind === 'code' && /world_state|world-state/.test(code)
