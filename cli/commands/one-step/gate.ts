import { type Variant, variants } from '@diorama/contract/evaluation-kinds'
import type { Command } from 'commander'
import { type AgentOptions, registerAgent } from '../../agents/register-agent.ts'
import { Complaint } from '../../failure.ts'
import { bind, type Cli, firstWord, type Invocation } from '../../invocation.ts'
import { suiteNamed } from '../../names.ts'
import { readJson, repeated, several, wholeNumber } from '../../options.ts'
import { followOwn } from '../../runs/follow.ts'
import { type GateOptions, gate } from '../../runs/gate.ts'

interface GateRunOptions extends AgentOptions, GateOptions {
  readonly blueprint?: string
  readonly sample?: boolean
  readonly suite?: string
  readonly task?: readonly string[]
  readonly trials?: number
  readonly variant?: readonly string[]
  readonly baseline?: string
}

/** The whole of a gate in one command, for CI: register, launch, run, judge. */
export const gateCommands = (program: Command, cli: Cli): void => {
  bind<GateRunOptions>(
    cli,
    program
      .command('gate')
      .argument('<folder>', "folder with the agent's files")
      .requiredOption('--run <command>', 'shell command that starts the agent in its folder')
      .option('--blueprint <file>', 'launch a company from this blueprint, and stop it afterwards')
      .option('--sample', 'launch the sample company')
      .option('--suite <suite>', 'run the tasks of this suite (id or name)')
      .option('--name <name>', 'name of the agent (default: name of the folder)')
      .option(
        '--agent-version <version>',
        'version of the agent (default: that of its package.json, or a digest)',
      )
      .option('--timeout <seconds>', 'time limit of a trial (default: 600)', wholeNumber(1, 3_600))
      .option('--env <NAME=value>', 'environment variable for the agent; can be repeated', repeated)
      .option(
        '--dependencies <managers>',
        'install dependencies from the lock files of these package managers: npm, pip',
        several,
      )
      .option('--install-scripts', 'allow the install scripts of packages')
      .option('--trials <count>', 'trials of each task (default: 1)', wholeNumber(1, 20))
      .option('--task <task>', 'run only this task; can be repeated', several)
      .option(
        '--variant <variant>',
        `also run this variant: ${variants.join(', ')}; can be repeated`,
        several,
      )
      .option('--baseline <agent>', 'compare with this registered agent, which does not have to pass')
      .option('--junit <file>', 'write the results as JUnit XML')
      .description(
        'register an agent, run the tasks and exit with the verdict: 0 pass, 1 fail, 2 inconclusive, 3 error',
      ),
    holdToGate,
  )
}

const holdToGate = async (run: Invocation<GateRunOptions>): Promise<number> => {
  const { client, options, terminal } = run
  const wanted = [options.blueprint, options.sample, options.suite].filter((one) => one !== undefined)
  if (wanted.length !== 1) throw new Complaint('Specify exactly one of --blueprint, --sample and --suite.')
  const { made } = await registerAgent(client, {
    ...{ cwd: terminal.cwd, folder: firstWord(run), options },
    ...{ note: run.note, signal: terminal.signal },
  })
  run.note(`registered ${made.reference}`)
  const world = options.suite === undefined ? await launch(run) : undefined
  try {
    const suite =
      options.suite === undefined ? world?.evaluation?.taskSuiteId : await suiteNamed(run, options.suite)
    if (!suite) throw new Complaint('The company has no tasks. Add scenario.tasks to its blueprint.')
    const job = await client.evaluations.start({
      taskSuiteId: suite,
      agents: [...(options.baseline === undefined ? [] : [options.baseline]), made.reference],
      mode: options.baseline === undefined ? undefined : 'compare',
      trialsPerTask: options.trials,
      variants: options.variant as Variant[] | undefined,
      tasks: options.task ? [...options.task] : undefined,
      name: `Gate of ${made.reference}`,
    })
    const annotated = options.blueprint === undefined ? {} : { annotate: options.blueprint }
    return await gate({ ...run, options: { ...options, ...annotated } }, await followOwn(run, job.id))
  } finally {
    if (world) await stop(run, world.world.id)
  }
}

/** The verdict stands whether or not the company could be stopped; it ends within the hour anyway. */
const stop = async ({ client, note }: Invocation<object>, worldId: string): Promise<void> => {
  await client.worlds
    .stop(worldId)
    .catch((error) => note(`${worldId} could not be stopped: ${error.message}`))
}

const launch = async ({ client, options, terminal, note }: Invocation<GateRunOptions>) => {
  const read =
    options.blueprint === undefined
      ? await client.worlds.sampleBlueprint()
      : await readJson(options.blueprint, terminal)
  const world = await client.worlds.launchAndWait(
    { blueprint: read.blueprint ?? read, ttlHours: 1 },
    { signal: terminal.signal },
  )
  note(`launched ${world.world.name}`)
  return world
}
