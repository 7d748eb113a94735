import { type Variant, variants } from '@diorama/contract/evaluation-kinds'
import type { Command } from 'commander'
import { Complaint } from '../failure.ts'
import { bind, type Cli, firstWord, type Invocation } from '../invocation.ts'
import { localTime } from '../local-time.ts'
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
  const evaluation = program.command('eval').description('evaluation runs')
  bind<RunOptions>(cli, describeRun(evaluation), startRun)
  bind<ListOptions>(
    cli,
    evaluation
      .command('list')
      .option('-n, --limit <count>', 'how many', wholeNumber(1, 10_000), 20)
      .option('--suite <suite>', 'only runs of this suite')
      .option('--agent <agent>', 'only runs of this agent, by name or name@version')
      .option('--verdict <verdict>', 'only pass, fail or inconclusive')
      .option('--since <time>', 'an ISO time, or a window such as last_7d')
      .description('list runs with their verdicts and pass rates, newest first'),
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
      .argument('[trial]', 'show this trial with its steps')
      .option('-w, --watch', 'follow it to its end')
      .description('show an evaluation as a table of agents and tasks'),
    show,
  )
  bind<GateOptions & { wait?: boolean }>(
    cli,
    evaluation
      .command('gate')
      .argument('<evaluation>')
      .option('--gate-agent <agent>', 'hold this agent to it, and not all together')
      .option('--junit <file>', 'write the results as JUnit XML')
      .option('--wait', 'wait for the evaluation to end')
      .description(
        'end with 0 when every task passed, 1 when one failed, 2 when nothing can be said, 3 on error',
      ),
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
      .requiredOption('--at <request>', "the agent's request after which it begins")
      .option('--name <name>', 'the name of the new world')
      .description("start a world as a trial's copy was after one of the agent's requests"),
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
      .description('stop the trials that have not started'),
    async (run) => {
      const job = await run.client.evaluations.cancel(await runNamed(run, firstWord(run)))
      run.print(job, () => `${job.id} is ${job.status}.`)
    },
  )
}

const describeRun = (evaluation: Command): Command =>
  evaluation
    .command('run')
    .option('--suite <suite>', 'the suite to run, by id or name')
    .option('--world <world>', 'the suite of this world, by id or name')
    .requiredOption('-a, --agent <name@version>', 'an agent; can be repeated', several)
    .option('--mode <mode>', 'suite, compare (the first agent is the baseline), regression or replay')
    .option('--concurrency <count>', 'trials at once (4)', wholeNumber(1, 32))
    .option('--trials <count>', 'repetitions of each agent and task (1)', wholeNumber(1, 20))
    .option('--task <task>', 'only this task; can be repeated', several)
    .option(
      '--variant <variant>',
      `run it in this variant as well: ${variants.join(', ')}; can be repeated`,
      several,
    )
    .option('--scorer <scorer>', 'one more scorer for every trial; can be repeated', several)
    .option('--environment <version>', 'the world of tasks that name none')
    .option('--baseline <evaluation>', 'the evaluation to hold a regression against')
    .option('--models <mode>', 'how model calls are answered: live, record, replay, auto or scripted')
    .option('--cassette <name>', 'for record, replay and auto: name, or name@version')
    .option('--script <file>', 'for scripted: the rules, as JSON')
    .option('--max-cost-usd <dollars>', "what the agent's model calls may cost in each trial", Number)
    .option('--max-tokens <count>', "tokens of the agent's model calls in each trial", wholeNumber(1, 1e9))
    .option('--name <name>', 'a name for the evaluation')
    .option('--idempotency-key <key>', 'the same key gives the same evaluation')
    .option('-w, --watch', 'follow it to its end and show the table')
    .option('--gate', 'end as `eval gate` does; follows the evaluation')
    .option('--gate-agent <agent>', 'hold this agent to the gate, and not all together')
    .option('--junit <file>', 'write the results as JUnit XML; follows the evaluation')
    .description('start an evaluation: each agent does each task in a fresh copy of the world')

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
    run.print(job, () => `${job.id} is ${job.status}. Follow it with: diorama eval show ${job.id} --watch`)
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
  if (options.world === undefined) throw new Complaint('Name what to run with --suite or --world.')
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
