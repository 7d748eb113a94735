import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type Command, Option } from 'commander'
import {
  type ExportOptions,
  exportHarbor,
  type ImportOptions,
  importFromTool,
  isFromOtherTool,
  withExportFormats,
  withImportFormats,
} from '../exchange/suite-exchange.ts'
import { Complaint } from '../failure.ts'
import { bind, type Cli, firstWord, type Invocation } from '../invocation.ts'
import { suiteNamed, worldNamed } from '../names.ts'
import { edited } from './editor.ts'
import { environmentOf, type Imported, importSuite, readSuiteFile, suiteText } from './suite-file.ts'

interface Settings {
  readonly name?: string
  readonly description?: string
  readonly unaskedChanges?: 'fail' | 'warn' | 'ignore'
}

const withSettings = (command: Command): Command =>
  command
    .option('--description <text>', 'description of the suite')
    .addOption(
      new Option(
        '--unasked-changes <policy>',
        'what happens to a trial with changes that no scorer accounts for',
      ).choices(['fail', 'warn', 'ignore']),
    )

const chosen = ({ name, description, unaskedChanges }: Settings) =>
  JSON.parse(JSON.stringify({ name, description, unaskedChanges })) as Settings

/** Commands that make and change suites. */
export const addSuiteChanges = (suite: Command, cli: Cli): void => {
  bind<Settings>(
    cli,
    withSettings(suite.command('create').argument('<name>')).description('create an empty suite'),
    async (run) => {
      const made = await run.client.suites.create({ ...chosen(run.options), name: firstWord(run) })
      run.print(made, () => `${made.id} ${made.name}`)
    },
  )
  bind<{ world?: string } & ImportOptions>(
    cli,
    withImportFormats(
      suite
        .command('import')
        .argument('[file]', 'YAML or JSON file in the format of `suite export`, or - for standard input')
        .option('--world <world>', 'world that the tasks start from'),
    ).description('create or update a suite from a file, or from the tasks of another tool'),
    async (run) => {
      if (isFromOtherTool(run.options)) return importFromTool(run)
      if (run.words.length === 0)
        throw new Complaint('Specify a file, or one of --harbor, --promptfoo and --inspect.')
      const world = run.options.world
      const environmentVersionId =
        world === undefined ? undefined : await environmentOf(run.client, await worldNamed(run, world))
      const file = await readSuiteFile(firstWord(run), run.terminal)
      show(run, await importSuite(run.client, { ...file, environmentVersionId }))
    },
  )
  bind<ExportOptions>(
    cli,
    withExportFormats(
      suite
        .command('export')
        .argument('<suite>')
        .option('-o, --output <file>', 'file to write (default: standard output); for Harbor, a new folder'),
    ).description('export a suite with its tasks and scorers to a file, or as Harbor task folders'),
    async (run) => {
      const suiteId = await suiteNamed(run, firstWord(run))
      const { output, format } = run.options
      if (format === 'harbor') return exportHarbor(run, suiteId)
      const text = await suiteText(run.client, suiteId)
      if (output === undefined) return run.terminal.out(text)
      await writeFile(resolve(run.terminal.cwd, output), text)
      run.print({ output }, () => `${output} is written.`)
    },
  )
  bind<Settings>(
    cli,
    withSettings(suite.command('edit').argument('<suite>').option('--name <name>', 'new name')).description(
      'change the settings of a suite with options, or the whole suite in your editor (EDITOR)',
    ),
    edit,
  )
  bind(
    cli,
    suite.command('archive').argument('<suite>').description('archive a suite; its results remain available'),
    async (run) => {
      const archived = await run.client.suites.archive(await suiteNamed(run, firstWord(run)))
      run.print(archived, () => `${archived.name} is archived.`)
    },
  )
}

const edit = async (run: Invocation<Settings>): Promise<void> => {
  const id = await suiteNamed(run, firstWord(run))
  const settings = chosen(run.options)
  if (Object.keys(settings).length > 0) {
    const changed = await run.client.suites.update(id, settings)
    return run.print(changed, () => `${changed.id} ${changed.name}`)
  }
  const text = await edited(await suiteText(run.client, id), 'suite.yaml', run.terminal)
  if (text === undefined) return run.print({ changed: false }, () => 'Nothing was changed.')
  const given = { text, shownAs: 'suite.yaml', folder: run.terminal.cwd, suiteId: id }
  show(run, await importSuite(run.client, given))
}

const show = (run: Invocation<object>, imported: Imported): void => {
  const { suite, isNew, created, updated, deleted } = imported
  run.print(imported, () =>
    [
      `${isNew ? 'Created' : 'Updated'} ${suite.id} ${suite.name}:`,
      `${created} tasks created, ${updated} kept, ${deleted} deleted.`,
    ].join(' '),
  )
}
