import { readFile, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { Complaint } from '../../failure.ts'
import { bind, type Cli, firstWord, type Invocation } from '../../invocation.ts'
import { localTime } from '../../local-time.ts'
import { take, wholeNumber } from '../../options.ts'
import { table } from '../../table.ts'

interface ExportOptions {
  readonly output?: string
  readonly version?: number
}

/** Commands about cassettes: recorded model calls. */
export const cassetteCommands = (program: Command, cli: Cli): void => {
  const cassette = program.command('cassette').description('manage recorded model calls')
  bind(
    cli,
    cassette
      .command('list')
      .argument('[name]', 'list the versions of this cassette')
      .description('list cassettes, or the versions of one'),
    async (run) => {
      const [name] = run.words
      const { cassettes } = run.client
      const pages =
        name === undefined ? cassettes.list({ limit: 200 }) : cassettes.listVersions(name, { limit: 200 })
      const items = await take(pages, 10_000)
      run.print(items, () =>
        table(
          ['CASSETTE', 'ENTRIES', 'RUN', 'CREATED', 'STATE'],
          items.map((one) => [
            `${one.name}@${one.version}`,
            String(one.entries),
            one.jobId ?? 'imported',
            localTime(one.createdAt),
            one.open ? 'recording' : '',
          ]),
          run.paint,
        ),
      )
    },
  )
  bind<ExportOptions>(
    cli,
    cassette
      .command('export')
      .argument('<name>')
      .option('-o, --output <file>', 'file to write (default: standard output)')
      .option('--version <number>', 'version to export (default: the newest)', wholeNumber(1, 1_000_000_000))
      .description('export a cassette to a file that you can commit; it contains no keys'),
    exportCassette,
  )
  bind(
    cli,
    cassette
      .command('import')
      .argument('<name>')
      .argument('<file>')
      .description('import an exported cassette as a new version'),
    async (run) => {
      const [name = '', file = ''] = run.words
      const bytes = await readFile(resolve(run.terminal.cwd, file)).catch((cause) => {
        throw new Complaint(`${file} cannot be read.`, { cause })
      })
      const made = await run.client.cassettes.importVersion(name, bytes)
      run.print(made, () => `${made.name}@${made.version} has ${made.entries} entries.`)
    },
  )
  bind(
    cli,
    cassette.command('delete').argument('<name>').description('delete a cassette and all its versions'),
    async (run) => {
      await run.client.cassettes.delete(firstWord(run))
      run.print({ name: firstWord(run), deleted: true }, () => `${firstWord(run)} is deleted.`)
    },
  )
}

const exportCassette = async (run: Invocation<ExportOptions>): Promise<void> => {
  const name = firstWord(run)
  const { output, version } = run.options
  const bytes = await run.client.cassettes.exportVersion(name, version === undefined ? {} : { version })
  if (output === undefined) return run.terminal.out(Buffer.from(bytes).toString('utf8'))
  await writeFile(resolve(run.terminal.cwd, output), bytes)
  run.print({ name, file: output, bytes: bytes.length }, () => `${name} is in ${output}.`)
}
