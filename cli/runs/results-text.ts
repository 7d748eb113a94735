import type { Reply, Verdict } from '@diorama/sdk/index.ts'
import { cut, facts, plain, table } from '../table.ts'
import type { Paint } from '../terminal.ts'

type Job = Reply<'readJob'>
type Results = Reply<'readResults'>
type TaskResult = Results['taskResults'][number]

const percent = (share: number | null): string => (share === null ? '–' : `${Math.round(share * 100)} %`)

interface Rated {
  readonly passRate: number | null
  readonly interval: { readonly low: number; readonly high: number } | null
}

/** A pass rate with its interval, such as `75 % (41–93)`. */
export const rateText = ({ passRate, interval }: Rated): string => {
  const range = interval ? ` (${Math.round(interval.low * 100)}–${Math.round(interval.high * 100)})` : ''
  return `${percent(passRate)}${range}`
}

/** Who kept a task from its verdict. */
const blamed = ({ unscored }: TaskResult): string => {
  if (unscored.scorer > 0) return 'scorer'
  return unscored.modelProvider > 0 ? 'provider' : 'platform'
}

/** What one agent made of one task. */
const cell = (task: TaskResult | undefined, paint: Paint): string => {
  if (!task) return ''
  const { passed, trials, passedTrials, erroredTrials, flaky } = task
  const share = trials > 1 ? ` ${passedTrials}/${trials}` : ''
  if (passed) return paint('green', `✔ pass${share}`)
  if (erroredTrials > 0 && passedTrials + erroredTrials === trials)
    return paint('yellow', `! ${blamed(task)}${share}`)
  return paint('red', `✘ fail${share}`) + (flaky ? paint('yellow', ' flaky') : '')
}

/** Tasks down, agents across, and the pass rate of each below. */
export const resultsTable = ({ agents, taskResults }: Results, paint: Paint): string => {
  const rows = taskResults.map(({ taskId, title }) => [
    cut(title, 60),
    ...agents.map(({ tasks }) =>
      cell(
        tasks.find((task) => task.taskId === taskId),
        paint,
      ),
    ),
  ])
  const rates = agents.map(({ passRate, interval }) => {
    const range = interval ? ` (${percent(interval.low)} to ${percent(interval.high)})` : ''
    return `${percent(passRate)}${paint('dim', range)}`
  })
  return table(['TASK', ...agents.map(({ agent }) => agent)], [...rows, ['pass rate', ...rates]], paint)
}

type VariantResult = Results['variants'][number]

/** What a variant found besides the pass rate, a sentence each. */
const findingsOf = ({ security, permissions, claims, leftAlone }: VariantResult): string[] => [
  ...(security
    ? [
        `It obeyed a planted instruction in ${security.reached} of ${security.trials} trials, ${rateText({ passRate: security.rate, interval: security.interval })}${namedAttacks(security.attacks)}.`,
      ]
    : []),
  ...(permissions
    ? [
        `It made requests beyond its permissions ${permissions.requests} times, in ${permissions.trialsBeyond} of ${permissions.trials} trials${namedPermissions(permissions.beyond)}.`,
      ]
    : []),
  ...(claims
    ? [
        `The ledger does not show ${claims.unsupported} of the ${claims.made} changes that it claims; it did not report ${claims.unreported} of its changes.`,
      ]
    : []),
  ...(leftAlone.length > 0 ? [`The variant does nothing in ${leftAlone.join(', ')}.`] : []),
]

const maxNamed = 5

const namedAttacks = (attacks: NonNullable<VariantResult['security']>['attacks']): string => {
  const obeyed = attacks.filter(({ reached }) => reached > 0).map(({ attack }) => attack)
  return obeyed.length === 0 ? '' : `: ${shortList(obeyed)}`
}

const namedPermissions = (beyond: NonNullable<VariantResult['permissions']>['beyond']): string =>
  beyond.length === 0
    ? ''
    : `: ${shortList(beyond.map(({ service, permission }) => plain(`${service} ${permission}`)))}`

const shortList = (names: readonly string[]): string =>
  names.length > maxNamed
    ? `${names.slice(0, maxNamed).join(', ')} and ${names.length - maxNamed} more`
    : names.join(', ')

export const resultsText = (job: Job, results: Results, paint: Paint): string => {
  const isolation =
    job.isolation === 'process' ? paint('yellow', 'process (weaker than a sandbox)') : job.isolation
  const head = facts(
    [
      ['evaluation', `${paint('bold', job.name)}  ${job.id}`],
      ['status', job.status],
      ['mode', job.mode],
      [
        'trials',
        `${results.trials.finished} of ${results.trials.planned} finished, ${results.trials.errored} errored`,
      ],
      ['isolation', isolation],
      ['grading', results.scoring && `${plain(results.scoring.label)}  ${results.scoring.id}`],
      ['stopped', results.stopped && plain(results.stopped.reason)],
      ['baseline', results.regression?.baselineJobId],
      ['error', job.error],
    ],
    paint,
  )
  const compared = results.comparisons.map(
    ({ baseline, agent, wins, losses, ties, summary }) =>
      `${paint('bold', agent)} against ${baseline}: ${wins} wins, ${losses} losses, ${ties} ties. ${plain(summary)}`,
  )
  const regressed = (results.regression?.regressed ?? []).map(
    ({ agent, title }) => `${paint('red', 'regressed')}  ${agent}  ${plain(title)}`,
  )
  const fixed = (results.regression?.fixed ?? []).map(
    ({ agent, title }) => `${paint('green', 'fixed')}  ${agent}  ${plain(title)}`,
  )
  const varied = results.variants.map(
    (one) =>
      `${paint('bold', `${one.agent} with ${one.variant}`)}: ${[plain(one.comparison.summary), ...findingsOf(one)].join(' ')}`,
  )
  const below = [...compared, ...varied, ...regressed, ...fixed]
  return [head, '', resultsTable(results, paint), ...(below.length > 0 ? ['', ...below] : [])].join('\n')
}

const verdictStyles = { pass: 'green', fail: 'red', inconclusive: 'yellow' } as const

export const verdictText = (verdict: Verdict, reasons: readonly string[], paint: Paint): string =>
  [paint(verdictStyles[verdict], verdict), ...reasons.map((reason) => `  ${plain(reason)}`)].join('\n')

type Trial = Reply<'listTrials'>['items'][number]

/** The trials that did not pass, with the reason of each; nothing where all did. */
export const missedTable = (trials: readonly Trial[], paint: Paint): string[] => {
  const why = ({ error, scores, unaskedChanges: unasked, notEmulated }: Trial): string => {
    const failed = scores
      .filter(({ passed }) => passed === false)
      .map((one) => `${one.name}: ${one.reason ?? one.error ?? one.score}`)
    const first = unasked?.items[0]
    const stray = first
      ? [
          `${unasked.total} unasked changes, such as ${first.operation} of ${first.service} ${first.collection} ${first.key ?? first.id}`,
        ]
      : []
    const lacked = notEmulated.map(({ service, operation }) => `the ${service} twin lacked ${operation}`)
    return [...(error === null ? [...failed, ...stray] : [error]), ...lacked].join('; ')
  }
  const rows = trials
    .filter(({ passed, error }) => passed === false || error !== null)
    .map((trial) => [trial.id, trial.agent, cut(trial.taskTitle, 40), cut(why(trial), 90)])
  return rows.length === 0 ? [] : [table(['TRIAL', 'AGENT', 'TASK', 'WHY NOT'], rows, paint)]
}

export const trialText = (trial: Reply<'readTrial'>, paint: Paint): string => {
  const scores = trial.scores.map((one) => [
    one.passed === null ? '' : one.passed ? paint('green', '✔') : paint('red', '✘'),
    one.name,
    one.score === null ? '–' : String(one.score),
    cut(one.error ?? one.reason ?? '', 100),
  ])
  const steps = trial.steps.map((step) => [
    step.kind,
    cut(step.name, 50),
    step.status,
    `${Math.round(step.durationMs)} ms`,
  ])
  return [
    facts(
      [
        ['trial', trial.id],
        ['agent', trial.agent],
        ['task', plain(trial.taskTitle)],
        ['status', trial.status],
        ['error', trial.error],
        ['cause', trial.cause],
        [
          'voided',
          trial.voidedAttempts.map((one) => `${one.cause}: ${cut(one.error, 100)}`).join('; ') || null,
        ],
        ['isolation', trial.isolation],
        ['trace', trial.traceId],
        ['output', cut(trial.output ?? '', 300)],
        ['artifacts', trial.artifacts.map(({ name }) => name).join(' ')],
      ],
      paint,
    ),
    table(['', 'SCORER', 'SCORE', 'REASON'], scores, paint),
    table(['STEP', 'NAME', 'STATUS', 'TIME'], steps, paint),
  ].join('\n\n')
}
