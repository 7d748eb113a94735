/** A trial of a benchmark as far as its report needs it. */
export interface BenchmarkTrial {
  readonly agent: string
  readonly task: string
  readonly title: string
  readonly passed: boolean | null
  /** What its scorers gave as their reasons. */
  readonly reasons: readonly string[]
  /** How many changes the task did not ask for. */
  readonly unasked: number
}

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

/** What the scorers of a benchmark write as their reason. */
const shares = /^(\d+)\/(\d+) assertions/

const scoredOf = ({ task, passed, reasons, unasked }: BenchmarkTrial): Scored | undefined => {
  const reason = reasons.map((one) => shares.exec(one)).find((found) => found)
  if (!reason || passed === null) return undefined
  return {
    task,
    held: Number(reason[1]),
    total: Number(reason[2]),
    passed,
    clean: passed && unasked === 0,
  }
}

/** Tasks of one service, or of one kind, have titles that begin with its name. */
const groupOf = (title: string): string => /^([a-z]+)[_-]/i.exec(title)?.[1] ?? 'all'

/** Sums trials up by agent and group; trials without a verdict are counted and left out. */
export const benchmarkLines = (
  trials: readonly BenchmarkTrial[],
): { readonly lines: ReportLine[]; readonly unscored: number } => {
  const lines: ReportLine[] = []
  let unscored = 0
  const cells = Map.groupBy(trials, ({ agent, title }) => `${agent}\n${groupOf(title)}`)
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
