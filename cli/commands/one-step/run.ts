import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Command } from 'commander'
import { parse } from 'yaml'
import { registerAgent } from '../../agents/register-agent.ts'
import type { ConnectionFlags } from '../../connection.ts'
import { Complaint, exitCodes } from '../../failure.ts'
import { bind, type Cli, type Invocation } from '../../invocation.ts'
import { suiteNamed } from '../../names.ts'
import { readText } from '../../options.ts'
import { useService } from '../../plan/embedded-service.ts'
import { readPlan } from '../../plan/read-plan.ts'
import { type EvaluationFile, evaluationSchema } from '../../plan/schema.ts'
import { saveSuite } from '../../plan/tasks.ts'
import { followOwn, summaryOf } from '../../runs/follow.ts'
import { gate, writeJunit } from '../../runs/gate.ts'
import { environmentOf } from '../../suites/suite-file.ts'
import { consoleUrl } from '../service.ts'

interface RunOptions extends ConnectionFlags {
  readonly schema?: boolean
  readonly init?: boolean
  readonly junit?: string
}

const usualName = 'diorama.yaml'

/** An evaluation from one file. */
export const runCommands = (program: Command, cli: Cli): void => {
  bind<RunOptions>(
    cli,
    program
      .command('run')
      .argument('[file]', `evaluation file (default: ${usualName})`)
      .option('--junit <file>', 'write the results as JUnit XML')
      .option('--init', 'write a starter evaluation file and exit')
      .option('--schema', 'print the JSON Schema of the evaluation file and exit')
      .description('run the evaluation that a file describes; starts a service if none is running'),
    runFile,
  )
}

const runFile = async (run: Invocation<RunOptions>): Promise<number | undefined> => {
  const { options, terminal } = run
  if (options.schema) {
    terminal.out(`${JSON.stringify(evaluationSchema(), null, 2)}\n`)
    return undefined
  }
  const shownAs = run.words[0] ?? usualName
  const path = resolve(terminal.cwd, shownAs)
  if (options.init) return writeFirst(run, path, shownAs)
  const plan = await readPlan(path, shownAs)
  const service = await useService(options, terminal, run.note)
  try {
    const junit = options.junit ?? plan.junit
    const held = {
      ...run,
      client: service.client,
      options: { annotate: shownAs, ...(junit === undefined ? {} : { junit }) },
    }
    const jobId = await startPlan({ ...held, folder: dirname(path) }, plan)
    const later = service.started ? ' (after `diorama up`)' : ''
    const finished = await followOwn(held, jobId)
    const code = plan.gate ? await gate(held, finished) : await show(held, finished)
    run.note(`results: ${consoleUrl(service.client.baseUrl, jobId)}${later}`)
    return code
  } finally {
    await service.stop()
  }
}

const show = async (run: Invocation<{ junit?: string }>, finished: Awaited<ReturnType<typeof followOwn>>) => {
  await writeJunit(run, finished.job.id)
  const { trials, text } = await summaryOf(run, finished)
  run.print({ ...finished, trials }, () => text)
  return exitCodes.pass
}

interface Planned extends Invocation<object> {
  /** The folder of the file, which paths in it are relative to. */
  readonly folder: string
}

/** Registers, launches and starts; the twins of the company stop, and the trials work on copies of its seed. */
const startPlan = async (run: Planned, plan: EvaluationFile): Promise<string> => {
  const { client } = run
  const agents: string[] = []
  for (const agent of [...plan.agents].sort((a, b) => Number(b.baseline ?? 0) - Number(a.baseline ?? 0)))
    agents.push(agent.reference ?? (await registerPlanned(run, agent)))
  const suite = plan.suite === undefined ? await launchPlanned(run, plan) : await suiteNamed(run, plan.suite)
  const { cost_usd_per_trial: maxCostUsd, tokens_per_trial: maxTokens } = plan.budget ?? {}
  const { id } = await client.evaluations.start({
    taskSuiteId: suite,
    agents,
    mode: plan.agents.some(({ baseline }) => baseline) ? 'compare' : undefined,
    trialsPerTask: plan.repeats,
    concurrency: plan.concurrency,
    name: plan.name,
    ...(plan.budget ? { models: { maxCostUsd, maxTokens } } : {}),
  })
  return id
}

const registerPlanned = async (
  { client, folder, note, terminal }: Planned,
  agent: EvaluationFile['agents'][number],
) => {
  const { made } = await registerAgent(client, {
    cwd: folder,
    folder: agent.folder ?? '.',
    ...{ note, signal: terminal.signal },
    options: {
      env: Object.entries(agent.env ?? {}).map(([name, value]) => `${name}=${value}`),
      ...(agent.run === undefined ? {} : { run: agent.run }),
      ...(agent.name === undefined ? {} : { name: agent.name }),
      ...(agent.version === undefined ? {} : { agentVersion: agent.version }),
      ...(agent.timeout_seconds === undefined ? {} : { timeout: agent.timeout_seconds }),
      ...(agent.network === undefined ? {} : { network: agent.network }),
      ...(agent.dependencies === undefined ? {} : { dependencies: agent.dependencies }),
      ...(agent.install_scripts === undefined ? {} : { installScripts: agent.install_scripts }),
    },
  })
  note(`registered ${made.reference}`)
  return made.reference
}

const launchPlanned = async (run: Planned, { name, world, tasks }: EvaluationFile): Promise<string> => {
  const { client, folder, terminal } = run
  const file = world?.blueprint
  const read =
    file === undefined ? await client.worlds.sampleBlueprint() : parse(await readText(file, { cwd: folder }))
  const launched = await client.worlds.launchAndWait(
    { blueprint: read.blueprint ?? read, ttlHours: 1 },
    { signal: terminal.signal },
  )
  run.note(`launched ${launched.world.name}`)
  await client.worlds.stop(launched.world.id)
  if (tasks) {
    const environmentVersionId = await environmentOf(client, launched.world.id)
    return saveSuite(client, { name: name ?? launched.world.name, tasks, folder, environmentVersionId })
  }
  const suite = launched.evaluation?.taskSuiteId
  if (!suite)
    throw new Complaint(
      'The company has no tasks. Add tasks to this file, or scenario.tasks to the blueprint.',
    )
  return suite
}

const first = `# yaml-language-server: $schema=./diorama.schema.json
# The line above completes fields in editors: diorama run --schema > diorama.schema.json
name: My first evaluation
world:
  sample: true
agents:
  - folder: ./agent
    run: node agent.mjs
repeats: 1
gate: true
`

const writeFirst = async (run: Invocation<object>, path: string, shownAs: string): Promise<undefined> => {
  if (existsSync(path)) throw new Complaint(`${shownAs} already exists.`)
  await writeFile(path, first)
  run.print({ path }, () => `Wrote ${shownAs}. Edit it, then run: diorama run`)
}
