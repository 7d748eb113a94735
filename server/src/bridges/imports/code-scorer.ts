import type { ScorerDefinition } from '@diorama/contract'

/** A definition with the fields that neither code nor judge needs. */
const plain: Omit<ScorerDefinition, 'name' | 'kind'> = {
  slug: null,
  description: null,
  prompt: null,
  choiceScores: [],
  useCot: false,
  allowSkip: false,
  model: null,
  code: null,
  language: null,
  passThreshold: 1,
}

/** Code that reads its parameters from one constant; they are JSON inside a text, so none is read as code. */
export const codeScorer = (
  name: string,
  language: 'python' | 'typescript',
  { code, parameters }: { readonly code: string; readonly parameters: unknown },
): ScorerDefinition => {
  const text = JSON.stringify(JSON.stringify(parameters))
  const head =
    language === 'python'
      ? `import json\n\nPARAMETERS = json.loads(${text})\n`
      : `const PARAMETERS: any = JSON.parse(${text})\n`
  return { ...plain, name: name.slice(0, 200), kind: 'code', language, code: `${head}\n${code}` }
}

/** A judge that says whether an answer meets a criterion. */
export const judgeScorer = (name: string, prompt: string): ScorerDefinition => ({
  ...plain,
  name: name.slice(0, 200),
  kind: 'llm-judge',
  prompt,
  choiceScores: [
    { label: 'yes', score: 1 },
    { label: 'no', score: 0 },
  ],
})
