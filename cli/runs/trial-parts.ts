import type { Reply } from '@diorama/sdk/index.ts'
import type { Command } from 'commander'
import { diffText } from '../activity.ts'
import { bind, type Cli, type Invocation } from '../invocation.ts'
import { runNamed } from '../names.ts'
import { several } from '../options.ts'

type Trial = Reply<'readTrial'>

/** Commands about one trial, and about rescoring an evaluation. */
export const addTrialParts = (evaluation: Command, cli: Cli): void => {
  bind(
    cli,
    evaluation
      .command('logs')
      .argument('<evaluation>')
      .argument('<trial>')
      .description("print the agent's standard output and standard error in a trial"),
    async (run) => {
      const trial = await trialOf(run)
      const { stdout, stderr } = logsOf(trial)
      if (run.json) return run.print({ stdout, stderr }, () => '')
      run.terminal.out(stdout)
      run.terminal.err(stderr)
    },
  )
  bind(
    cli,
    evaluation
      .command('diff')
      .argument('<evaluation>')
      .argument('<trial>')
      .description('show what the agent changed in the world of a trial'),
    async (run) => {
      const diffs = []
      for (const { id, service } of (await trialOf(run)).twins)
        diffs.push({ service, diff: await run.client.twins.diff(id) })
      const changed = diffs.filter(({ diff }) => diff.items.length > 0)
      run.print(diffs, () =>
        changed.length === 0
          ? 'The agent changed nothing.'
          : changed.map(({ diff }) => diffText(diff, run.paint)).join('\n\n'),
      )
    },
  )
  bind<{ scorer?: readonly string[]; label?: string }>(
    cli,
    evaluation
      .command('rescore')
      .argument('<evaluation>')
      .option('--scorer <scorer>', "use this scorer instead of the tasks' scorers; can be repeated", several)
      .option('--label <label>', 'label of the rescoring')
      .description('rescore a finished evaluation without running the agents; the earlier scores are kept'),
    async (run) => {
      const { scorer, label } = run.options
      const jobId = await runNamed(run, run.words[0] ?? '')
      const job = await run.client.evaluations.rescore(
        jobId,
        { scorers: scorer ? [...scorer] : null, label: label ?? null },
        { timeoutMs: 600_000 },
      )
      const [rescoring] = job.scorings
      run.print(job, () => `${job.id} is rescored: ${rescoring?.label ?? ''} ${rescoring?.id ?? ''}`.trim())
    },
  )
}

const trialOf = async (run: Invocation<object>): Promise<Trial> => {
  const [word = '', trialId = ''] = run.words
  return run.client.evaluations.getTrial(await runNamed(run, word), trialId)
}

const logsOf = ({ steps }: Trial): { stdout: string; stderr: string } => {
  const detail = steps.find(({ kind }) => kind === 'agent')?.detail ?? {}
  const text = (value: unknown) => (typeof value === 'string' ? value : '')
  return { stdout: text(detail.stdout), stderr: text(detail.stderr) }
}
