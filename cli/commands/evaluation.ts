import { type Variant, variants } from '@diorama/contract/evaluation-kinds'
import type { Command } from 'commander'
import { Complaint } from '../failure.ts'
import { bind, type Cli, firstWord, type Invocation } from '../invocation.ts'
import { localTime, momentOf } from '../local-time.ts'
import { runNamed, suiteNamed, worldNamed } from '../names.ts'
import { readJson, several, take, wholeNumber } from '../options.ts'
import { addCompare } from '../runs/compare.ts'
import { addExport } from '../runs/export.ts'
import { follow, readRun, summaryOf } from '../runs/follow.ts'
import { type GateOptions, gate, writeJunit } from '../runs/gate.ts'
import { rateText, trialText } from '../runs/results-text.ts'
import { addTrialParts } from '../runs/trial-parts.ts'
import { cut, table } from '../table.ts'
import { paintStatus } from './world.ts'

interface ListOptions {
  readonly limit: number
  readonly suite?: string
  readonly agent?: string
  readonly verdict?: 'pass' | 'fail' | 'inconclusive'
  readonly since?: string
}

interface RunOptions extends GateOptions {
  readonly suite?: string
  readonly world?: string
  readonly agent: readonly string[]
  readonly mode?: 'suite' | 'compare' | 'regression' | 'replay'
  readonly concurrency?: number
  readonly trials?: number
  readonly variant?: string[]
  readonly task?: readonly string[]
  readonly scorer?: readonly string[]
  readonly models?: string
  readonly cassette?: string
  readonly script?: string
  readonly maxCostUsd?: number
  readonly maxTokens?: number
  readonly name?: string
  readonly environment?: string
  readonly baseline?: string
  readonly idempotencyKey?: string
  readonly watch?: boolean
  readonly gate?: boolean
}

/** Commands about evaluation runs. */
export const evaluationCommands = (program: Command, cli: Cli): void => {
  const evaluation = program.command('eval').description('run evaluations and read their results')
  bind<RunOptions>(cli, describeRun(evaluation), startRun)
  bind<ListOptions>(
    cli,
    evaluation
      .command('list')
      .option('-n, --limit <count>', 'maximum number of results', wholeNumber(1, 10_000), 20)
      .option('--suite <suite>', 'show only evaluations of this suite')
      .option('--agent <agent>', 'show only evaluations of this agent (name or name@version)')
      .option('--verdict <verdict>', 'show only this verdict: pass, fail or inconclusive')
      .option(
        '--since <time>',
        'window such as last_7d, or a time; without an offset, in your time zone',
        momentOf,
      )
      .description('list evaluations with their verdicts and pass rates, newest first'),
    async (run) => {
      const { client, options, paint, print } = run
      const query = {
        limit: Math.min(200, options.limit),
        taskSuiteId: options.suite === undefined ? undefined : await suiteNamed(run, options.suite),
        agent: options.agent,
        verdict: options.verdict,
        since: options.since,
      }
      const items = await take(client.evaluations.list(query), options.limit)
      print(items, () =>
        table(
          ['RUN', 'NAME', 'VERDICT', 'PASS RATE', 'SUITE', 'STATUS', 'TRIALS', 'COST', 'CREATED'],
          items.map((job) => [
            job.id,
            cut(job.name, 32),
            job.verdict === null ? '' : paintStatus(job.verdict, paint),
            cut(job.results.map((one) => `${one.agent} ${rateText(one)}`).join(', '), 60),
            cut(job.taskSuiteName ?? '', 24),
            paintStatus(job.status, paint),
            `${job.completedTrials}/${job.totalTrials}`,
            job.costUsd === null ? '' : `$${job.costUsd.toFixed(4)}`,
            localTime(job.createdAt),
          ]),
          paint,
        ),
      )
    },
  )
  bind<{ watch?: boolean }>(
    cli,
    evaluation
      .command('show')
      .argument('<evaluation>')
      .argument('[trial]', 'show only this trial, with its steps')
      .option('-w, --watch', 'wait until it ends, and show its progress')
      .description('show an evaluation as a table of agents and tasks'),
    show,
  )
  bind<GateOptions & { wait?: boolean }>(
    cli,
    evaluation
      .command('gate')
      .argument('<evaluation>')
      .option('--gate-agent <agent>', 'the agent that has to pass (default: all)')
      .option('--junit <file>', 'write the results as JUnit XML')
      .option('--wait', 'wait until the evaluation ends')
      .description('exit with the verdict of an evaluation: 0 pass, 1 fail, 2 inconclusive, 3 error'),
    async (run) => {
      const jobId = await runNamed(run, firstWord(run))
      return gate(run, await (run.options.wait ? follow(run, jobId) : readRun(run, jobId)))
    },
  )
  addExport(evaluation, cli)
  addCompare(evaluation, cli)
  addTrialParts(evaluation, cli)
  bind<{ at: string; name?: string }>(
    cli,
    evaluation
      .command('branch')
      .argument('<evaluation>')
      .argument('<trial>')
      .requiredOption('--at <request>', "the agent's request after which the new world starts")
      .option('--name <name>', 'name of the new world')
      .description("create a world from the state of a trial after one of the agent's requests"),
    async (run) => {
      const [word = '', trialId = ''] = run.words
      const jobId = await runNamed(run, word)
      const { world } = await run.client.evaluations.branchTrial(jobId, trialId, run.options)
      run.print({ world }, () => `${world.id} ${world.name}`)
    },
  )
  bind(
    cli,
    evaluation
      .command('cancel')
      .argument('<evaluation>')
      .description('cancel the trials that have not started'),
    async (run) => {
      const job = await run.client.evaluations.cancel(await runNamed(run, firstWord(run)))
      run.print(job, () => `${job.id} is ${job.status}.`)
    },
  )
}

const describeRun = (evaluation: Command): Command =>
  evaluation
    .command('run')
    .option('--suite <suite>', 'suite to run (id or name)')
    .option('--world <world>', 'run the suite of this world (id or name)')
    .requiredOption('-a, --agent <name@version>', 'agent to evaluate; can be repeated', several)
    .option(
      '--mode <mode>',
      'suite, compare (the first agent is the baseline), regression or replay (default: suite)',
    )
    .option('--concurrency <count>', 'number of trials that run at once (default: 4)', wholeNumber(1, 32))
    .option('--trials <count>', 'trials of each task for each agent (default: 1)', wholeNumber(1, 20))
    .option('--task <task>', 'run only this task; can be repeated', several)
    .option('--variant <variant>', `also run this variant: ${variants.join(', ')}; can be repeated`, several)
    .option('--scorer <scorer>', 'additional scorer for every trial; can be repeated', several)
    .option('--environment <version>', 'environment version for tasks that do not have one')
    .option('--baseline <evaluation>', 'for regression: the evaluation to compare with')
    .option('--models <mode>', 'how model calls are answered: live, record, replay, auto or scripted')
    .option('--cassette <name>', 'for record, replay and auto: cassette (name or name@version)')
    .option('--script <file>', 'for scripted: JSON file with the rules')
    .option('--max-cost-usd <dollars>', "maximum cost of the agent's model calls in each trial", Number)
    .option(
      '--max-tokens <count>',
      "maximum tokens of the agent's model calls in each trial",
      wholeNumber(1, 1e9),
    )
    .option('--name <name>', 'name of the evaluation')
    .option('--idempotency-key <key>', 'a repeated request with this key returns the same evaluation')
    .option('-w, --watch', 'wait until it ends, and show the results')
    .option('--gate', 'wait until it ends, and exit with the verdict as `eval gate` does')
    .option('--gate-agent <agent>', 'the agent that has to pass (default: all)')
    .option('--junit <file>', 'wait until it ends, and write the results as JUnit XML')
    .description('start an evaluation: each agent works on each task in a fresh copy of the world')

const startRun = async (run: Invocation<RunOptions>): Promise<number | undefined> => {
  const { client, options } = run
  const job = await client.evaluations.start({
    taskSuiteId: await suiteOf(run),
    agents: [...options.agent],
    mode: options.mode,
    concurrency: options.concurrency,
    trialsPerTask: options.trials,
    variants: options.variant as Variant[] | undefined,
    tasks: options.task ? [...options.task] : undefined,
    scorers: options.scorer ? [...options.scorer] : undefined,
    environmentVersionId: options.environment,
    baselineJobId: options.baseline,
    name: options.name,
    idempotencyKey: options.idempotencyKey,
    ...(await modelsOf(run)),
  })
  const gated = options.gate === true || options.gateAgent !== undefined
  if (!options.watch && !gated && options.junit === undefined) {
    run.print(job, () => `${job.id} is ${job.status}. To follow it, run: diorama eval show ${job.id} --watch`)
    return undefined
  }
  const finished = await follow(run, job.id)
  if (gated) return gate(run, finished)
  await writeJunit(run, job.id)
  const { trials, text } = await summaryOf(run, finished)
  run.print({ ...finished, trials }, () => text)
  return undefined
}

/** How model calls are answered, where an option says so. The service knows the modes, and what each needs. */
const modelsOf = async ({ options, terminal }: Invocation<RunOptions>) => {
  const { models, cassette, script, maxCostUsd, maxTokens } = options
  const given = { mode: models, cassette, maxCostUsd, maxTokens }
  if (Object.values({ ...given, script }).every((value) => value === undefined)) return {}
  const rules = script === undefined ? undefined : await readJson(script, terminal)
  return { models: JSON.parse(JSON.stringify({ ...given, script: rules })) }
}

const suiteOf = async (run: Invocation<RunOptions>): Promise<string> => {
  const { client, options } = run
  if (options.suite !== undefined) return suiteNamed(run, options.suite)
  if (options.world === undefined) throw new Complaint('Specify what to run with --suite or --world.')
  const { evaluation } = await client.worlds.waitUntilReady(await worldNamed(run, options.world))
  if (!evaluation?.taskSuiteId) throw new Complaint(`World ${options.world} has no tasks.`)
  return evaluation.taskSuiteId
}

const show = async (run: Invocation<{ watch?: boolean }>): Promise<undefined> => {
  const { paint } = run
  const [word = '', trialId] = run.words
  const jobId = await runNamed(run, word)
  if (trialId !== undefined) {
    const trial = await run.client.evaluations.getTrial(jobId, trialId)
    run.print(trial, () => trialText(trial, paint))
    return
  }
  const finished = run.options.watch ? await follow(run, jobId) : await readRun(run, jobId)
  const { trials, text } = await summaryOf(run, finished)
  run.print({ ...finished, trials }, () => text)
}
