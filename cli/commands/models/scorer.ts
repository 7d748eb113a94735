import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { Complaint } from '../../failure.ts'
import { bind, type Cli, firstWord, type Invocation } from '../../invocation.ts'
import { localTime } from '../../local-time.ts'
import { scorerNamed } from '../../names.ts'
import { take } from '../../options.ts'
import { addScorerLibrary } from '../../suites/scorer-library.ts'
import { cut, facts, table } from '../../table.ts'
import type { Paint } from '../../terminal.ts'

type Calibrate = Invocation<object>['client']['scorers']['calibrate']
type Calibration = Awaited<ReturnType<Calibrate>>
type Examples = Parameters<Calibrate>[1]['examples']

/** Commands about scorers: the library, and how far a judge agrees with people. */
export const scorerCommands = (program: Command, cli: Cli): void => {
  const scorer = program
    .command('scorer')
    .description('create scorers, and calibrate judges against human grades')
  addScorerLibrary(scorer, cli)
  bind(
    cli,
    scorer
      .command('calibrate')
      .argument('<scorer>')
      .argument('<file>', 'JSON Lines file, with {"output": …, "expected": …, "label": …} on each line')
      .description('measure how well a judge agrees with human grades'),
    async (run) => {
      const [id = '', file = ''] = run.words
      const text = await readFile(resolve(run.terminal.cwd, file), 'utf8').catch((cause) => {
        throw new Complaint(`${file} cannot be read.`, { cause })
      })
      const made = await run.client.scorers.calibrate(
        await scorerNamed(run, id),
        { examples: examplesIn(text, file) },
        { timeoutMs: 600_000 },
      )
      run.print(made, () => reportOf(made, run.paint))
    },
  )
  bind(
    cli,
    scorer
      .command('calibrations')
      .argument('<scorer>')
      .description('list the calibrations of a judge, newest first'),
    async (run) => {
      const items = await take(
        run.client.scorers.listCalibrations(await scorerNamed(run, firstWord(run)), { limit: 100 }),
        100,
      )
      run.print(items, () =>
        table(
          ['CALIBRATION', 'VERSION', 'MODEL', 'EXAMPLES', 'AGREEMENT', 'KAPPA', 'CREATED'],
          items.map((one) => [
            ...[one.id, String(one.scorerVersion), cut(one.model ?? '', 40), String(one.answered)],
            ...[share(one.agreement), figure(one.kappa), localTime(one.createdAt)],
          ]),
          run.paint,
        ),
      )
    },
  )
}

/** The service checks the fields, and names the example that is wrong. */
const examplesIn = (text: string, file: string): Examples =>
  text
    .split('\n')
    .map((line, n) => ({ line, n }))
    .filter(({ line }) => line.trim() !== '')
    .map(({ line, n }) => {
      try {
        return JSON.parse(line)
      } catch (cause) {
        throw new Complaint(`Line ${n + 1} of ${file} is not JSON.`, { cause })
      }
    })

const share = (value: number | null): string => (value === null ? '' : `${(value * 100).toFixed(1)} %`)
const figure = (value: number | null): string => (value === null ? '' : value.toFixed(3))
const between = (range: { low: number; high: number } | null, show: (value: number) => string): string =>
  range === null ? '' : ` (${show(range.low)} to ${show(range.high)})`

const reportOf = (made: Calibration, paint: Paint): string =>
  [
    facts(
      [
        ['model', made.model],
        ['examples', `${made.answered} of ${made.examples} decided, ${made.cached} of them before`],
        ['agreement', `${share(made.agreement)}${between(made.agreementInterval, share)}`],
        ['kappa', `${figure(made.kappa)}${between(made.kappaInterval, figure)}`],
      ],
      paint,
    ),
    '',
    table(
      ['PEOPLE \\ JUDGE', ...made.labels.map((label) => cut(label, 20))],
      made.confusion.map((row, n) => [cut(made.labels[n] ?? '', 20), ...row.map(String)]),
      paint,
    ),
    ...made.disagreements.map(
      (one) =>
        `Example ${one.example + 1}: people ${one.label}, judge ${one.judged ?? 'nothing'}. ${cut(one.error ?? one.reason ?? '', 200)}`,
    ),
  ].join('\n')
