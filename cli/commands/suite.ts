import type { Command } from 'commander'
import { exitCodes } from '../failure.ts'
import { bind, type Cli, firstWord } from '../invocation.ts'
import { localTime } from '../local-time.ts'
import { suiteNamed } from '../names.ts'
import { take, wholeNumber } from '../options.ts'
import { proveSuite } from '../suites/prove-suite.ts'
import { addSuiteChanges } from '../suites/suite-changes.ts'
import { cut, facts, table } from '../table.ts'

/** Commands about task suites. */
export const suiteCommands = (program: Command, cli: Cli): void => {
  const suite = program.command('suite').description('create, edit and check task suites')
  bind<{ limit: number }>(
    cli,
    suite
      .command('list')
      .option('-n, --limit <count>', 'maximum number of results', wholeNumber(1, 10_000), 50)
      .description('list suites, newest first'),
    async ({ client, options, paint, print }) => {
      const items = await take(client.suites.list({ limit: Math.min(200, options.limit) }), options.limit)
      print(items, () =>
        table(
          ['SUITE', 'NAME', 'TASKS', 'WORLD', 'UPDATED'],
          items.map((one) => [
            one.id,
            cut(one.name, 50),
            String(one.taskCount),
            one.worldId ?? '',
            localTime(one.updatedAt),
          ]),
          paint,
        ),
      )
    },
  )
  bind(
    cli,
    suite.command('show').argument('<suite>').description('show a suite with its tasks and scorers'),
    async (run) => {
      const { client, paint } = run
      const found = await client.suites.get(await suiteNamed(run, firstWord(run)))
      const tasks = await take(client.tasks.list(found.id, { limit: 200 }), 1_000)
      run.print({ ...found, tasks }, () =>
        [
          facts(
            [
              ['suite', `${paint('bold', found.name)}  ${found.id}`],
              ['about', found.description],
              ['world', found.worldId],
              ['version', found.latestVersionId],
            ],
            paint,
          ),
          ...tasks.map((task) =>
            [
              `\n${paint('bold', task.title)}  ${paint('dim', task.id)}`,
              `  ${cut(task.instruction, 400)}`,
              ...task.scorers.map(
                ({ name, weight, passThreshold }) =>
                  `  ${paint('cyan', '·')} ${name} ${paint('dim', `weight ${weight}, passes from ${passThreshold ?? 'its own threshold'}`)}`,
              ),
            ].join('\n'),
          ),
        ].join('\n'),
      )
    },
  )
  bind<{ label?: string }>(
    cli,
    suite
      .command('publish')
      .argument('<suite>')
      .option('--label <label>', 'label of the version')
      .description('publish an immutable version of the working copy'),
    async (run) => {
      const version = await run.client.suites.publish(await suiteNamed(run, firstWord(run)), {
        label: run.options.label,
      })
      run.print(version, () => `Version ${version.number} is published: ${version.id}`)
    },
  )
  addSuiteChanges(suite, cli)
  checkCommand(suite, cli)
}

const checkCommand = (suite: Command, cli: Cli) =>
  bind(
    cli,
    suite
      .command('check')
      .argument('<suite>')
      .description(
        'check that an agent that does nothing fails each task, and that scorers are deterministic; exits with 1 otherwise',
      ),
    async (run) => {
      const { paint } = run
      const { client, terminal } = run
      const suiteId = await suiteNamed(run, firstWord(run))
      const tasks = await take(client.tasks.list(suiteId, { limit: 200 }), 10_000)
      const proof = await proveSuite({
        ...{ client, suiteId, signal: terminal.signal },
        taskIds: tasks.map(({ id }) => id),
        onProgress: (proved) => run.note(`${proved} of ${tasks.length} tasks are checked.`),
      })
      run.print(proof, () =>
        [
          table(
            ['TASK', 'DOING NOTHING FAILS', 'SCORERS DETERMINISTIC'],
            proof.tasks.map((task) => [
              cut(task.title, 60),
              task.doNothingFails ? paint('green', 'yes') : paint('red', 'no'),
              task.repeatable ? paint('green', 'yes') : paint('red', 'no'),
            ]),
            paint,
          ),
          ...proof.tasks.flatMap(({ title, problems }) => problems.map((problem) => `${title}: ${problem}`)),
          proof.ok
            ? paint('green', 'The suite passes all checks.')
            : paint('red', 'The suite does not pass all checks.'),
        ].join('\n'),
      )
      return proof.ok ? exitCodes.pass : exitCodes.fail
    },
  )
