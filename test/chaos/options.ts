import { parseArgs } from 'node:util'

/** What a run of the chaos suite is asked for. */
export interface ChaosOptions {
  /** How long faults are injected. */
  readonly faultMs: number
  /** Every choice of the run follows from it. */
  readonly seed: number
  readonly nodes: number
  /** Trials of the evaluation, once calm and once under faults; rounded up to whole repetitions. */
  readonly trials: number
  /** Faults to inject, by name; all when left out. */
  readonly faults: readonly string[] | undefined
  /** A git commit whose service runs first, and is replaced node by node under load. */
  readonly from: string | undefined
}

export const readOptions = (args: readonly string[], anySeed: number): ChaosOptions => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: 'string', default: '2' },
      seed: { type: 'string', default: String(anySeed) },
      nodes: { type: 'string', default: '3' },
      trials: { type: 'string', default: '24' },
      faults: { type: 'string' },
      from: { type: 'string' },
    },
  })
  return {
    faultMs: positive('minutes', values.minutes) * 60_000,
    seed: whole('seed', values.seed),
    nodes: whole('nodes', values.nodes),
    trials: whole('trials', values.trials),
    faults: values.faults?.split(','),
    from: values.from,
  }
}

const positive = (name: string, text: string): number => {
  const value = Number(text)
  if (value > 0 && value < 1e9) return value
  throw new Error(`--${name} must be a positive number, not ${text}`)
}
const whole = (name: string, text: string): number => {
  const value = positive(name, text)
  if (Number.isInteger(value)) return value
  throw new Error(`--${name} must be a whole number, not ${text}`)
}
