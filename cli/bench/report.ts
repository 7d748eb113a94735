import type { Client, Reply } from '@diorama/sdk/index.ts'
import { take } from '../options.ts'

type Trial = Reply<'listTrials'>['items'][number]

export interface Interval {
  readonly value: number
  readonly low: number
  readonly high: number
}

/** One line of a report: an agent on one group of tasks. */
export interface ReportLine {
  readonly agent: string
  readonly group: string
  readonly tasks: number
  readonly trials: number
  /** The benchmark's own metric: assertions that hold, of all assertions. */
  readonly published: Interval
  /** Ours: trials in which everything holds. */
  readonly passRate: Interval
  /** Trials that passed and changed nothing else. */
  readonly cleanRate: Interval
}

interface Scored {
  readonly task: string
  readonly held: number
  readonly total: number
  readonly passed: boolean
  readonly clean: boolean
}

/** What the scorers of a pack write as their reason. */
const shares = /^(\d+)\/(\d+) assertions/

const scoredOf = (trial: Trial): Scored | undefined => {
  const reason = trial.scores.map(({ reason }) => shares.exec(reason ?? '')).find((found) => found)
  if (!reason || trial.passed === null) return undefined
  const unasked = trial.unaskedChanges?.items.length ?? 0
  return {
    task: trial.taskId,
    held: Number(reason[1]),
    total: Number(reason[2]),
    passed: trial.passed,
    clean: trial.passed && unasked === 0,
  }
}

/** Reads the trials of an evaluation and sums them up by agent and group. */
export const readReport = async (
  client: Client,
  jobId: string,
  groupOf: (title: string) => string,
): Promise<{ lines: ReportLine[]; unscored: number }> => {
  const trials = await take(client.evaluations.listTrials(jobId, { limit: 200 }), 100_000)
  const lines: ReportLine[] = []
  let unscored = 0
  const cells = Map.groupBy(trials, (trial) => `${trial.agent}\n${groupOf(trial.taskTitle ?? '')}`)
  for (const [cell, some] of [...cells].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const [agent = '', group = ''] = cell.split('\n')
    const scored = some.flatMap((trial) => scoredOf(trial) ?? [])
    unscored += some.length - scored.length
    if (scored.length > 0) lines.push(lineOf(agent, group, scored))
  }
  return { lines, unscored }
}

const lineOf = (agent: string, group: string, scored: readonly Scored[]): ReportLine => ({
  agent,
  group,
  tasks: new Set(scored.map(({ task }) => task)).size,
  trials: scored.length,
  published: clustered(
    scored,
    ({ held }) => held,
    ({ total }) => total,
  ),
  passRate: clustered(
    scored,
    ({ passed }) => Number(passed),
    () => 1,
  ),
  cleanRate: clustered(
    scored,
    ({ clean }) => Number(clean),
    () => 1,
  ),
})

/** A ratio with its 95 % interval, where the trials of one task are one cluster. */
export const clustered = <T extends { readonly task: string }>(
  items: readonly T[],
  top: (item: T) => number,
  bottom: (item: T) => number,
): Interval => {
  const sum = (some: readonly T[], of: (item: T) => number) => some.reduce((total, one) => total + of(one), 0)
  const whole = sum(items, bottom)
  const value = whole === 0 ? 0 : sum(items, top) / whole
  const clusters = [...Map.groupBy(items, ({ task }) => task).values()]
  const count = clusters.length
  if (count < 2 || whole === 0) return { value, low: 0, high: 1 }
  const residuals = clusters.map((some) => sum(some, top) - value * sum(some, bottom))
  const spread = residuals.reduce((total, one) => total + one * one, 0)
  // Where every task did the same there is no spread to go by: the rule of three bounds what was not seen.
  const error = spread === 0 ? 3 / count : (1.96 * Math.sqrt((spread * count) / (count - 1))) / whole
  return { value, low: Math.max(0, value - error), high: Math.min(1, value + error) }
}

const percent = (share: number): string => (share * 100).toFixed(1)
export const intervalText = ({ value, low, high }: Interval): string =>
  `${percent(value)} [${percent(low)}, ${percent(high)}]`

/** A table for a README. */
export const markdownTable = (pack: string, published: string, lines: readonly ReportLine[]): string =>
  [
    `| ${pack} | Tasks | Trials | ${published} (%) | Passed whole (%) | Passed, nothing else changed (%) |`,
    '|---|---|---|---|---|---|',
    ...lines.map(
      (line) =>
        `| ${line.agent}, ${line.group} | ${line.tasks} | ${line.trials} | ${intervalText(line.published)} | ${intervalText(line.passRate)} | ${intervalText(line.cleanRate)} |`,
    ),
    '',
    'Intervals are 95 %, clustered by task.',
  ].join('\n')
