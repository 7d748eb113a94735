import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { intervalText, markdownTable } from '@diorama/sdk/core/benchmark-report'
import type { Command } from 'commander'
import { agentDiff } from '../bench/agent-diff.ts'
import { crmarena } from '../bench/crmarena.ts'
import type { Imported, Pack } from '../bench/pack.ts'
import { readReport } from '../bench/report.ts'
import { Complaint, exitCodes } from '../failure.ts'
import { bind, type Cli, type Invocation } from '../invocation.ts'
import { several, take, wholeNumber } from '../options.ts'
import { proveSuite } from '../suites/prove-suite.ts'
import { table } from '../table.ts'

const packs: readonly Pack[] = [agentDiff, crmarena]

const packNamed = (name: string | undefined): Pack => {
  const pack = packs.find((one) => one.name === name)
  if (!pack)
    throw new Complaint(
      `There is no benchmark ${name}. Choose one of: ${packs.map((one) => one.name).join(', ')}.`,
    )
  return pack
}

/** Commands about published benchmarks. */
export const benchCommands = (program: Command, cli: Cli): void => {
  const bench = program.command('bench').description('import and run published benchmarks')
  bind(cli, bench.command('list').description('list the supported benchmarks'), async (run) => {
    const suites = await take(run.client.suites.list({ limit: 200 }), 1_000)
    const rows = packs.map(({ name, about }) => {
      const found = suites.find((suite) => suite.name.startsWith(name) && suite.archivedAt === null)
      return { name, about, suiteId: found?.id ?? null, tasks: found?.taskCount ?? 0 }
    })
    run.print(rows, () =>
      table(
        ['BENCHMARK', 'WHAT IT IS', 'SUITE', 'TASKS'],
        rows.map((row) => [row.name, row.about, row.suiteId ?? 'not imported', String(row.tasks || '')]),
        run.paint,
      ),
    )
  })
  importCommand(bench, cli)
  runCommand(bench, cli)
  reportCommand(bench, cli)
}

const importCommand = (bench: Command, cli: Cli) =>
  bind<{ split: string; prove: boolean }>(
    cli,
    bench
      .command('import')
      .argument('<benchmark>', packs.map(({ name }) => name).join(' or '))
      .argument('<folder>', "folder with the benchmark's files")
      .option('--split <name>', 'split of the benchmark to import', 'train')
      .option('--no-prove', 'skip the check that each task fails for an agent that does nothing')
      .description('import a benchmark as worlds, a suite and scorers, and check its tasks'),
    async (run) => {
      const [name, folder = '.'] = run.words
      const made = await packNamed(name).import(run.client, resolve(run.terminal.cwd, folder), {
        split: run.options.split,
        note: run.note,
      })
      run.note(`${made.tasks.length} tasks are in ${made.suiteId}.`)
      if (!run.options.prove) {
        run.print(made, () => `Suite ${made.suiteId} is there, unproved.`)
        return undefined
      }
      return prove(run, made)
    },
  )

/** Doing nothing must fail every task; what is known of the tasks that pass on anything, or never, is listed. */
const prove = async (run: Invocation<object>, made: Imported): Promise<number> => {
  const { client, terminal } = run
  const proof = await proveSuite({
    ...{ client, suiteId: made.suiteId, signal: terminal.signal },
    taskIds: made.tasks.map(({ id }) => id),
    onProgress: (proved) =>
      run.note(`${proved} of ${made.tasks.length} tasks are held against an agent that does nothing.`),
  })
  const byTask = new Map(proof.tasks.map((task) => [task.taskId, task]))
  const rows = made.tasks.map(({ id, key, group, defects }) => {
    const found = byTask.get(id)
    return {
      key,
      group,
      defects,
      doNothingFails: found?.doNothingFails ?? false,
      problems: found?.problems ?? [],
    }
  })
  const passing = rows.filter((row) => !row.doNothingFails)
  const listed = rows.filter((row) => row.defects.length > 0 || !row.doNothingFails)
  run.print({ suiteId: made.suiteId, tasks: rows }, () =>
    [
      `Suite ${made.suiteId}: ${rows.length} tasks; doing nothing fails ${rows.length - passing.length} of them.`,
      ...(listed.length > 0
        ? [
            table(
              ['TASK', 'SERVICE', 'DEFECT'],
              listed.map((row) => [
                row.key,
                row.group,
                [...row.defects, ...(row.doNothingFails ? [] : ['passes untouched'])].join(', '),
              ]),
              run.paint,
            ),
          ]
        : []),
    ].join('\n'),
  )
  return passing.length === 0 ? exitCodes.pass : exitCodes.fail
}

const suiteOf = async ({ client }: Pick<Invocation<object>, 'client'>, pack: Pack): Promise<string> => {
  const suites = await take(client.suites.list({ limit: 200 }), 1_000)
  const found = suites.find((suite) => suite.name.startsWith(pack.name) && suite.archivedAt === null)
  if (!found)
    throw new Complaint(
      `${pack.name} has not been imported. Run \`diorama bench import ${pack.name} <folder>\`.`,
    )
  return found.id
}

const runCommand = (bench: Command, cli: Cli) =>
  bind<{ agent: readonly string[]; trials: number; concurrency?: number; suite?: string }>(
    cli,
    bench
      .command('run')
      .argument('<benchmark>')
      .requiredOption('-a, --agent <agent@version>', 'agent to run; can be repeated', several)
      .option('--trials <count>', 'trials of each task', wholeNumber(1, 20), 1)
      .option('--concurrency <count>', 'number of trials that run at once', wholeNumber(1, 64))
      .option('--suite <suite>', 'suite to run (default: the newest import)')
      .description('run agents against an imported benchmark'),
    async (run) => {
      const { client, options } = run
      const pack = packNamed(run.words[0])
      const job = await client.evaluations.start({
        taskSuiteId: options.suite ?? (await suiteOf(run, pack)),
        agents: [...options.agent],
        trialsPerTask: options.trials,
        name: pack.name,
        ...(options.concurrency === undefined ? {} : { concurrency: options.concurrency }),
      })
      run.note(`Started ${job.id}; follow it with \`diorama eval show ${job.id}\`.`)
      run.print(job, () => `diorama bench report ${pack.name} ${job.id}`)
    },
  )

const reportCommand = (bench: Command, cli: Cli) =>
  bind<{ markdown?: string }>(
    cli,
    bench
      .command('report')
      .argument('<benchmark>')
      .argument('<job>', 'evaluation of the benchmark')
      .option('--markdown <file>', 'also write the table as Markdown')
      .description("print the benchmark's metric next to the pass rate, with intervals"),
    async (run) => {
      const [name, job = ''] = run.words
      const pack = packNamed(name)
      const { lines, unscored } = await readReport(run.client, job)
      const text = markdownTable(pack.name, pack.published, lines)
      if (run.options.markdown !== undefined)
        await writeFile(resolve(run.terminal.cwd, run.options.markdown), `${text}\n`)
      if (unscored > 0) run.note(`${unscored} trials have no verdict and are left out.`)
      run.print({ job, lines, unscored }, () =>
        [
          table(
            [
              'AGENT',
              'TASKS OF',
              'TASKS',
              'TRIALS',
              pack.published.toUpperCase(),
              'PASSED WHOLE',
              'AND CLEAN',
            ],
            lines.map((line) => [
              line.agent,
              line.group,
              String(line.tasks),
              String(line.trials),
              intervalText(line.published),
              intervalText(line.passRate),
              intervalText(line.cleanRate),
            ]),
            run.paint,
          ),
          '',
          text,
        ].join('\n'),
      )
    },
  )
