import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { importFormats, sampleScorers } from '@diorama/contract/suite-exchange'
import type { Reply } from '@diorama/sdk/index.ts'
import { type Command, Option } from 'commander'
import { Complaint, unreadable } from '../failure.ts'
import type { Invocation } from '../invocation.ts'
import { table } from '../table.ts'
import { nameOfFile, packFolder, unpackInto } from './folders.ts'

export interface ExportOptions {
  readonly format: string
  readonly output?: string
  readonly organization?: string
  readonly oracle?: string
  readonly skip?: boolean
}

export interface ImportOptions {
  readonly harbor?: string
  readonly promptfoo?: string
  readonly inspect?: string
  readonly name?: string
  readonly scorer?: (typeof sampleScorers)[number]
}

/** Adds to `suite export` what the formats of other tools take. */
export const withExportFormats = (command: Command): Command =>
  command
    .addOption(
      new Option('-f, --format <format>', 'suite (one file) or harbor (task folders)')
        .choices(['suite', 'harbor'])
        .default('suite'),
    )
    .option('--organization <name>', 'for harbor: organization in the names of the tasks')
    .option('--oracle <agent@version>', 'for harbor: registered agent to include as the solution')
    .option('--skip', 'for harbor: skip tasks that the format cannot represent')

/** Adds to `suite import` the files of other tools; what cannot be run as it was meant is refused. */
export const withImportFormats = (command: Command): Command =>
  command
    .option('--harbor <folder>', 'import a Harbor task folder, or a folder of them')
    .option('--promptfoo <file>', 'import a promptfoo configuration, or a list of its tests')
    .option('--inspect <file>', 'import Inspect samples (JSON Lines, JSON or YAML)')
    .option('--name <name>', 'name of the suite, with --harbor, --promptfoo or --inspect')
    .addOption(
      new Option('--scorer <scorer>', 'for --inspect: how answers are compared with targets').choices(
        sampleScorers,
      ),
    )

/** Whether the tasks come from another tool. */
export const isFromOtherTool = (options: ImportOptions): boolean =>
  importFormats.some((format) => options[format] !== undefined)

/** Writes a suite as Harbor task folders. */
export const exportHarbor = async (run: Invocation<ExportOptions>, suiteId: string): Promise<void> => {
  const { organization, oracle, skip, output } = run.options
  if (output === undefined) throw new Complaint('Specify a new folder for the tasks with --output.')
  const folder = resolve(run.terminal.cwd, output)
  const archive = await run.client.suites.exportHarbor(suiteId, { organization, oracle, skip })
  const files = await unpackInto(new Uint8Array(archive), folder)
  run.print({ folder, files }, () => `${files} files are in ${folder}`)
}

/** Makes a suite of the tasks of another tool. */
export const importFromTool = async (run: Invocation<ImportOptions>): Promise<void> => {
  const { options, terminal } = run
  const given = importFormats.filter((format) => options[format] !== undefined)
  const [format] = given
  if (format === undefined || given.length > 1)
    throw new Complaint('Specify exactly one of --harbor, --promptfoo and --inspect.')
  const path = resolve(terminal.cwd, options[format] ?? '')
  const body = format === 'harbor' ? await packFolder(path) : await readText(path)
  const name = options.name ?? (format === 'inspect' ? nameOfFile(path) : undefined)
  const made = await run.client.suites.importFrom(new Uint8Array(body), {
    format,
    ...(name === undefined ? {} : { name }),
    ...(options.scorer === undefined ? {} : { scorer: options.scorer }),
  })
  run.print(made, () => importText(made, run))
}

const readText = (path: string): Promise<Buffer> =>
  readFile(path).catch((cause: NodeJS.ErrnoException) => {
    throw unreadable(path, cause)
  })

const importText = ({ suite, tasks, refused }: Reply<'importSuite'>, { paint }: Invocation<object>): string =>
  [
    `${tasks.length} tasks are in the suite ${paint('bold', suite.name)}  ${suite.id}`,
    ...(refused.length === 0
      ? []
      : [
          '',
          `${refused.length} are refused:`,
          table(
            ['TASK', 'WHY'],
            refused.map(({ name, reason }) => [name, reason]),
            paint,
          ),
        ]),
  ].join('\n')
