import type { Reply } from './methods.ts'

type Results = Pick<Reply<'readResults'>, 'gate'> & {
  readonly agents: readonly Pick<Reply<'readResults'>['agents'][number], 'agent' | 'gate'>[]
}
export type Verdict = Results['gate']['verdict']

export interface GateOptions {
  /** Hold one agent to the gate, and not all of them together: `name@version`, or its name where that names one. */
  readonly agent?: string | undefined
}

export interface GateDecision {
  readonly verdict: Verdict
  readonly reasons: readonly string[]
}

/**
 * Whether an agent may be released. The service decides, so that every client says the same: `pass`, `fail` where the
 * agent failed, `inconclusive` where a scorer, a model provider or the platform kept it from a verdict.
 */
export const passGate = (results: Results, options: GateOptions = {}): Verdict =>
  explainGate(results, options).verdict

/** The verdict, and each reason for it in words. */
export const explainGate = (results: Results, { agent }: GateOptions = {}): GateDecision => {
  if (agent === undefined) return results.gate
  const found = results.agents.find((one) => one.agent === agent) ?? byName(results, agent)
  return found?.gate ?? { verdict: 'inconclusive', reasons: [`${agent} is not an agent of this evaluation.`] }
}

const byName = ({ agents }: Results, wanted: string) => {
  const name = wanted.replace(/@current$/, '')
  const found = agents.filter(({ agent }) => agent.slice(0, agent.lastIndexOf('@')) === name)
  return found.length === 1 ? found[0] : undefined
}
