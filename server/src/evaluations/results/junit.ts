import type { Results } from '@diorama/contract'

/** One suite an agent, one case a task; repetitions are folded into properties. Compact: no prompts, no outputs. */
export const junitXml = (results: Results, name: string): string => {
  const suites = results.agents.map((agent) => {
    const failures = agent.tasks.filter(
      ({ passed, errored_trials, trials }) => !passed && errored_trials < trials,
    ).length
    const errors = agent.tasks.filter(
      ({ errored_trials, trials }) => trials > 0 && errored_trials === trials,
    ).length
    const time = ((agent.mean_duration_ms ?? 0) * agent.scored_trials) / 1_000
    const cases = agent.tasks.map((task) => testcase(agent.agent, task))
    return `  <testsuite name="${text(agent.agent)}" tests="${agent.tasks.length}" failures="${failures}" errors="${errors}" time="${time.toFixed(3)}">\n${cases.join('\n')}\n  </testsuite>`
  })
  const total = results.agents.reduce((sum, { tasks }) => sum + tasks.length, 0)
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="${text(name)}" tests="${total}">\n${suites.join('\n')}\n</testsuites>\n`
}

const testcase = (agent: string, task: Results['task_results'][number]): string => {
  const properties = `      <properties>
        <property name="task_id" value="${text(task.task_id)}"/>
        <property name="trials" value="${task.trials}"/>
        <property name="passed_trials" value="${task.passed_trials}"/>
        <property name="flaky" value="${task.flaky}"/>
      </properties>`
  const verdict = task.passed
    ? ''
    : task.trials > 0 && task.errored_trials === task.trials
      ? '\n      <error message="the platform failed; the agent was not graded"/>'
      : `\n      <failure message="${text(failure(task))}"/>`
  return `    <testcase classname="${text(agent)}" name="${text(task.title)}">\n${properties}${verdict}\n    </testcase>`
}

const failure = ({ passed_trials, trials, failed_scorers }: Results['task_results'][number]): string =>
  `${passed_trials} of ${trials} trials passed${failed_scorers.length > 0 ? `; failed: ${failed_scorers.join(', ')}` : ''}`

/** Characters that XML cannot hold at all are replaced. */
const text = (raw: string): string =>
  raw
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that XML 1.0 forbids.
    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\n', '&#10;')
