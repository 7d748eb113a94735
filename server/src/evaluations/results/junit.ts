import type { Results, Score, TaskResult } from '@diorama/contract'
import type { TrialSummary } from '../store.ts'
import { blamedFor, failure, isFailed, unscored } from './gate.ts'

export interface JunitSource {
  readonly results: Results
  readonly name: string
  /** As the grading that the results are of sees them. */
  readonly trials: readonly TrialSummary[]
  /** Where the console is, for links to trials. */
  readonly baseUrl: string
}

/** Reasons are cut here: a report is read on a page of a CI system. */
const maxReasonCharacters = 500
const maxReasons = 20

/** One suite an agent, one case a task; repetitions are folded. Compact: no prompts, no outputs. */
export const junitXml = ({ results, name, trials, baseUrl }: JunitSource): string => {
  const plain = trials.filter(({ variant }) => variant === null)
  const suites = results.agents.map((agent) => {
    const own = Map.groupBy(
      plain.filter((trial) => trial.agent === agent.agent),
      ({ task_id }) => task_id,
    )
    const failures = agent.tasks.filter(isFailed).length
    const errors = agent.tasks.filter((task) => !task.passed && !isFailed(task)).length
    const cases = agent.tasks.map((task) =>
      testcase({
        agent: agent.agent,
        task,
        trials: own.get(task.task_id) ?? [],
        jobId: results.job_id,
        baseUrl,
      }),
    )
    const started = plain.flatMap(({ agent: of, started_at }) =>
      of === agent.agent ? (started_at ?? []) : [],
    )
    const first = started.toSorted((a, b) => Number(a) - Number(b))[0]
    const timestamp = first === undefined ? '' : ` timestamp="${first.toISOString()}"`
    return `  <testsuite name="${text(agent.agent)}" tests="${agent.tasks.length}" failures="${failures}" errors="${errors}" time="${seconds([...own.values()].flat())}"${timestamp}>\n${cases.join('\n')}\n  </testsuite>`
  })
  const total = results.agents.reduce((sum, { tasks }) => sum + tasks.length, 0)
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="${text(name)}" tests="${total}" time="${seconds(plain)}">\n${suites.join('\n')}\n</testsuites>\n`
}

interface Case {
  readonly agent: string
  readonly task: TaskResult
  readonly trials: readonly TrialSummary[]
  readonly jobId: string
  readonly baseUrl: string
}

const seconds = (trials: readonly TrialSummary[]): string =>
  (trials.reduce((sum, { duration_ms }) => sum + (duration_ms ?? 0), 0) / 1_000).toFixed(3)

const testcase = (one: Case): string => {
  const { agent, task, trials } = one
  const shown = trials.find(({ passed }) => passed !== true) ?? trials[0]
  const properties = `      <properties>
        <property name="task_id" value="${text(task.task_id)}"/>
        <property name="trials" value="${task.trials}"/>
        <property name="passed_trials" value="${task.passed_trials}"/>
        <property name="unscored_by_scorer" value="${task.unscored.scorer}"/>
        <property name="unscored_by_model_provider" value="${task.unscored.model_provider}"/>
        <property name="unscored_by_platform" value="${task.unscored.platform}"/>
        <property name="flaky" value="${task.flaky}"/>${shown === undefined ? '' : `\n        <property name="url" value="${text(linkTo(one, shown))}"/>`}
      </properties>`
  return `    <testcase classname="${text(agent)}" name="${text(task.title)}" time="${seconds(trials)}">\n${properties}${verdict(one)}\n    </testcase>`
}

const linkTo = ({ baseUrl, jobId }: Case, { id }: TrialSummary): string =>
  `${baseUrl}/evaluations/${jobId}/trials/${id}`

/** A failure is the agent's; an error is anybody else's, and its type says whose. */
const verdict = (one: Case): string => {
  const { task } = one
  if (task.passed) return ''
  const why = reasons(one)
  if (isFailed(task)) return `\n      <failure type="agent" message="${text(failure(task))}">${why}</failure>`
  const type = blamedFor(task).join(' ') || 'platform'
  return `\n      <error type="${type}" message="${text(unscored(task))}">${why}</error>`
}

/** What each trial that did not pass was missing, and where to look at it. */
const reasons = (one: Case): string => {
  const missed = one.trials.filter(({ passed }) => passed !== true)
  const lines = missed
    .slice(0, maxReasons)
    .flatMap((trial) => [
      `Trial ${trial.repetition}: ${trial.error ?? (trial.passed === false ? 'not passed' : trial.status)}`,
      ...(trial.scores as Score[])
        .filter(({ passed, error }) => passed === false || error !== null)
        .map(
          ({ name, error, reason }) =>
            `  ${name}: ${(error ?? reason ?? 'no reason').slice(0, maxReasonCharacters)}`,
        ),
      `  ${linkTo(one, trial)}`,
    ])
  const more = missed.length > maxReasons ? [`${missed.length - maxReasons} more trials did not pass.`] : []
  return text([...lines, ...more].join('\n')).replaceAll('&#10;', '\n')
}

/** Characters that XML cannot hold at all are replaced. */
const text = (raw: string): string =>
  raw
    .toWellFormed()
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that XML 1.0 forbids.
    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\n', '&#10;')
