import type { Reply } from '@diorama/sdk/index.ts'
import type { Command } from 'commander'
import { Complaint } from '../failure.ts'
import { bind, type Cli, type Invocation } from '../invocation.ts'
import { runNamed } from '../names.ts'
import { cut, facts, plain, table } from '../table.ts'
import type { Paint } from '../terminal.ts'
import { rateText } from './results-text.ts'

type Results = Reply<'readResults'>
type AgentResults = Results['agents'][number]
type TaskResult = AgentResults['tasks'][number]

interface CompareOptions {
  readonly agentA?: string
  readonly agentB?: string
}

interface Side {
  readonly jobId: string
  readonly name: string
  readonly agent: AgentResults
}

interface ComparedTask {
  readonly title: string
  readonly change: 'fixed' | 'broken' | 'same' | 'only in one'
  readonly before: TaskResult | undefined
  readonly after: TaskResult | undefined
}

/** `eval compare`: two evaluations task by task, whatever suite versions and agents they had. */
export const addCompare = (evaluation: Command, cli: Cli): void => {
  bind<CompareOptions>(
    cli,
    evaluation
      .command('compare')
      .argument('<before>', 'evaluation (id or name)')
      .argument('<after>', 'evaluation to compare it with (id or name)')
      .option('--agent-a <agent>', 'agent of the first evaluation, if it has several')
      .option('--agent-b <agent>', 'agent of the second evaluation, if it has several')
      .description('compare two evaluations task by task, and show what was fixed and what broke'),
    async (run) => {
      const [first = '', second = ''] = run.words
      const before = await sideOf(run, first, run.options.agentA)
      const after = await sideOf(run, second, run.options.agentB)
      const tasks = compareTasks(before.agent.tasks, after.agent.tasks)
      run.print({ before, after, tasks }, () => comparisonText(before, after, tasks, run.paint))
    },
  )
}

const sideOf = async (run: Invocation<object>, word: string, wanted: string | undefined): Promise<Side> => {
  const jobId = await runNamed(run, word)
  const [job, results] = [
    await run.client.evaluations.get(jobId),
    await run.client.evaluations.results(jobId),
  ]
  const fits = ({ agent }: AgentResults) =>
    wanted === undefined || agent === wanted || agent.slice(0, agent.lastIndexOf('@')) === wanted
  const found = results.agents.filter(fits)
  const names = results.agents.map(({ agent }) => agent).join(', ')
  if (found.length !== 1 || !found[0])
    throw new Complaint(
      wanted === undefined
        ? `${job.name} has several agents (${names}). Choose one with --agent-a or --agent-b.`
        : `${wanted} does not match exactly one agent of ${job.name}, which has ${names}.`,
    )
  return { jobId, name: job.name, agent: found[0] }
}

const rank = { broken: 0, fixed: 1, 'only in one': 2, same: 3 } as const

/** Pairs tasks by id, else by title; what got worse comes first. */
const compareTasks = (a: readonly TaskResult[], b: readonly TaskResult[]): ComparedTask[] => {
  const left = new Set(b)
  const pairs = a.map((before) => {
    const after =
      [...left].find(({ taskId }) => taskId === before.taskId) ??
      [...left].find(({ title }) => title === before.title)
    if (after) left.delete(after)
    return { title: before.title, before, after }
  })
  const fresh = [...left].map((after) => ({ title: after.title, before: undefined, after }))
  return [...pairs, ...fresh]
    .map((pair) => ({ ...pair, change: changeOf(pair.before, pair.after) }))
    .toSorted((x, y) => rank[x.change] - rank[y.change])
}

const changeOf = (before: TaskResult | undefined, after: TaskResult | undefined): ComparedTask['change'] => {
  if (!before || !after) return 'only in one'
  if (before.passed === after.passed) return 'same'
  return after.passed ? 'fixed' : 'broken'
}

const cell = (task: TaskResult | undefined, paint: Paint): string => {
  if (!task) return '–'
  const share = `${task.passedTrials}/${task.trials}`
  return task.passed ? paint('green', `✔ ${share}`) : paint('red', `✘ ${share}`)
}

const comparisonText = (a: Side, b: Side, tasks: readonly ComparedTask[], paint: Paint): string => {
  const styles = { fixed: 'green', broken: 'red', 'only in one': 'yellow', same: 'dim' } as const
  const count = (change: ComparedTask['change']) => tasks.filter((one) => one.change === change).length
  return [
    facts(
      [
        ['before', `${plain(a.name)}  ${a.jobId}  ${a.agent.agent}  ${rateText(a.agent)}`],
        ['after', `${plain(b.name)}  ${b.jobId}  ${b.agent.agent}  ${rateText(b.agent)}`],
      ],
      paint,
    ),
    '',
    table(
      ['TASK', 'BEFORE', 'AFTER', 'CHANGE'],
      tasks.map(({ title, before, after, change }) => [
        cut(title, 60),
        cell(before, paint),
        cell(after, paint),
        paint(styles[change], change),
      ]),
      paint,
    ),
    '',
    `${count('fixed')} fixed, ${count('broken')} broken, ${count('same')} the same. The difference between two evaluations can be random: run both agents in one evaluation (--mode compare) to get its significance.`,
  ].join('\n')
}
