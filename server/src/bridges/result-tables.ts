import type { AgentResult, Results, Trial } from '@diorama/contract'

const columns = [
  'trial_id',
  'agent',
  'task_id',
  'task_title',
  'repetition',
  'status',
  'cause',
  'passed',
  'scorer',
  'score',
  'threshold',
  'scorer_passed',
  'reason',
  'error',
  'duration_ms',
  'input_tokens',
  'output_tokens',
  'cost_usd',
] as const

/** One row for each trial and scorer; a trial without scores has one row. */
export const csvOf = (trials: readonly Trial[]): string => {
  const rows = trials.flatMap((trial) =>
    (trial.scores.length === 0 ? [undefined] : trial.scores).map((score) => [
      trial.id,
      trial.agent,
      trial.task_id,
      trial.task_title,
      trial.repetition,
      trial.status,
      trial.cause,
      trial.passed,
      score?.name,
      score?.score,
      score?.threshold,
      score?.passed,
      score?.reason,
      score?.error ?? trial.error,
      trial.duration_ms,
      trial.usage?.input_tokens,
      trial.usage?.output_tokens,
      trial.usage?.cost_usd,
    ]),
  )
  return [columns, ...rows].map((row) => `${row.map(csvCell).join(',')}\r\n`).join('')
}

/** Quoted by RFC 4180. A text that a spreadsheet would run as a formula gets an apostrophe in front. */
const csvCell = (value: unknown): string => {
  if (value === null || value === undefined) return ''
  if (typeof value !== 'string') return String(value)
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

export const jsonLinesOf = (trials: readonly Trial[]): string =>
  trials.map((trial) => `${JSON.stringify(trial)}\n`).join('')

const percent = (rate: number | null): string => (rate === null ? '–' : `${Math.round(rate * 100)} %`)
const range = (interval: AgentResult['interval']): string =>
  interval === null ? '' : ` (${Math.round(interval.low * 100)}–${Math.round(interval.high * 100)})`
/** Text in a table's cell: one line, without what Markdown or HTML would read as markup. */
const cell = (text: string): string =>
  text
    .replaceAll(/\s+/g, ' ')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll(/[\\`*_|[\]]/g, '\\$&')

export interface MarkdownSource {
  readonly results: Results
  readonly name: string
  readonly trials: readonly Trial[]
  /** Where the console is, for links to trials. */
  readonly baseUrl: string
}

/** A page that people read: so many trials, and so much of each reason. */
const maxTrialRows = 50
const maxReasonCharacters = 300

/** Each trial that did not pass, with what its scorers said and a link to it. */
const missedTrials = (trials: readonly Trial[], baseUrl: string): string[] => {
  const missed = trials.filter(({ passed, status }) => passed !== true && status !== 'cancelled')
  if (missed.length === 0) return []
  const rows = missed.slice(0, maxTrialRows).map((trial) => {
    const said = trial.scores
      .filter(({ passed, error }) => passed === false || error !== null)
      .map(({ name, reason, error }) => `${name}: ${error ?? reason ?? 'no reason'}`)
    const lacked = trial.not_emulated.map(
      ({ service, operation }) => `the ${service} twin lacked ${operation}`,
    )
    const why = [trial.error, ...said, ...lacked].filter((one) => one !== null).join('; ')
    const link = `${baseUrl}/evaluations/${trial.job_id}/trials/${trial.id}`
    return `| ${cell(trial.agent)} | [${cell(trial.task_title)}](${link}) | ${cell(why.slice(0, maxReasonCharacters)) || '–'} |`
  })
  const more = missed.length > maxTrialRows ? [``, `${missed.length - maxTrialRows} more trials.`] : []
  return ['', '| Agent | Trial that did not pass | Why |', '|---|---|---|', ...rows, ...more]
}

/** A verdict, one row for each agent, the tasks that did not pass with their scorers, and their trials with reasons. */
export const markdownOf = ({ results, name, trials, baseUrl }: MarkdownSource): string => {
  const agents = results.agents.map(
    ({ agent, pass_rate, interval, gate, passed_trials, scored_trials, trials, usage }) =>
      `| ${cell(agent)} | ${gate.verdict} | ${percent(pass_rate)}${range(interval)} | ${passed_trials} of ${scored_trials} | ${trials - scored_trials} | ${usage?.cost_usd == null ? '–' : `$${usage.cost_usd.toFixed(2)}`} |`,
  )
  const failed = results.agents.flatMap(({ agent, tasks }) =>
    tasks
      .filter(({ passed }) => !passed)
      .map(
        (task) =>
          `| ${cell(agent)} | ${cell(task.title)} | ${task.passed_trials} of ${task.trials} | ${cell(task.failed_scorers.join(', ')) || '–'} |`,
      ),
  )
  return [
    `### ${cell(name)}: ${results.gate.verdict}`,
    ...results.gate.reasons.map((reason) => `- ${cell(reason)}`),
    '',
    '| Agent | Gate | Pass rate (95 %) | Passed trials | Without a verdict | Cost |',
    '|---|---|---|---|---|---|',
    ...agents,
    ...(failed.length === 0
      ? []
      : ['', '| Agent | Task that did not pass | Passed | Failed scorers |', '|---|---|---|---|', ...failed]),
    ...missedTrials(trials, baseUrl),
    '',
  ].join('\n')
}
