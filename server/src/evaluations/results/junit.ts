import type { Results, TaskResult } from '@diorama/contract'
import { blamedFor, failure, isFailed, unscored } from './gate.ts'

/** One suite an agent, one case a task; repetitions are folded into properties. Compact: no prompts, no outputs. */
export const junitXml = (results: Results, name: string): string => {
  const suites = results.agents.map((agent) => {
    const failures = agent.tasks.filter(isFailed).length
    const errors = agent.tasks.filter((task) => !task.passed && !isFailed(task)).length
    const time = ((agent.mean_duration_ms ?? 0) * agent.scored_trials) / 1_000
    const cases = agent.tasks.map((task) => testcase(agent.agent, task))
    return `  <testsuite name="${text(agent.agent)}" tests="${agent.tasks.length}" failures="${failures}" errors="${errors}" time="${time.toFixed(3)}">\n${cases.join('\n')}\n  </testsuite>`
  })
  const total = results.agents.reduce((sum, { tasks }) => sum + tasks.length, 0)
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="${text(name)}" tests="${total}">\n${suites.join('\n')}\n</testsuites>\n`
}

const testcase = (agent: string, task: TaskResult): string => {
  const properties = `      <properties>
        <property name="task_id" value="${text(task.task_id)}"/>
        <property name="trials" value="${task.trials}"/>
        <property name="passed_trials" value="${task.passed_trials}"/>
        <property name="unscored_by_scorer" value="${task.unscored.scorer}"/>
        <property name="unscored_by_model_provider" value="${task.unscored.model_provider}"/>
        <property name="unscored_by_platform" value="${task.unscored.platform}"/>
        <property name="flaky" value="${task.flaky}"/>
      </properties>`
  return `    <testcase classname="${text(agent)}" name="${text(task.title)}">\n${properties}${verdict(task)}\n    </testcase>`
}

/** A failure is the agent's; an error is anybody else's, and its type says whose. */
const verdict = (task: TaskResult): string => {
  if (task.passed) return ''
  if (isFailed(task)) return `\n      <failure type="agent" message="${text(failure(task))}"/>`
  const type = blamedFor(task).join(' ') || 'platform'
  return `\n      <error type="${type}" message="${text(unscored(task))}"/>`
}

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
