import { createWriteStream, openAsBlob } from 'node:fs'
import { stat } from 'node:fs/promises'
import { extname, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { patientFetch } from '@diorama/sdk/core/patient-fetch'
import type { DioramaError, Reply } from '@diorama/sdk/index.ts'
import type { Command } from 'commander'
import { baseUrlOf, type ConnectionFlags, keyOf } from '../connection.ts'
import { Complaint } from '../failure.ts'
import { bind, type Cli, firstWord, type Invocation } from '../invocation.ts'
import { localTime, momentOf } from '../local-time.ts'
import { take, wholeNumber } from '../options.ts'
import { cut, facts, table } from '../table.ts'
import type { Paint, Terminal } from '../terminal.ts'

type Version = Reply<'readDatasetVersion'>

const importTimeoutMs = 3_600_000

export const versionText = (version: Version, paint: Paint): string =>
  [
    facts(
      [
        ['dataset', `${paint('bold', version.name)}  ${version.datasetId}`],
        ['version', `${version.number}  ${version.id}`],
        ['company', version.organization.name],
        ['people', String(version.peopleCount)],
        ['clock', localTime(version.clock)],
        [
          'source',
          version.source.worldId === null ? version.source.format : `snapshot of ${version.source.worldId}`,
        ],
        [
          'replaced',
          version.pseudonyms === null
            ? ''
            : Object.entries(version.pseudonyms)
                .map(([what, count]) => `${count} ${what.replaceAll('_', ' ')}`)
                .join(', '),
        ],
      ],
      paint,
    ),
    '',
    table(
      ['SERVICE', 'RECORDS', 'COLLECTIONS'],
      version.services.map((one) => [
        one.service,
        String(one.entityCount),
        cut(one.collections.map(({ name, count }) => `${name} ${count}`).join(', '), 100),
      ]),
      paint,
    ),
    ...version.warnings.map((warning) => `${paint('yellow', 'warning:')} ${warning}`),
  ].join('\n')

const types: Readonly<Record<string, string>> = {
  '.ndjson': 'application/x-ndjson',
  '.jsonl': 'application/x-ndjson',
  '.json': 'application/json',
  '.zip': 'application/zip',
  '.csv': 'text/csv',
  '.sqlite': 'application/x-sqlite3',
  '.db': 'application/x-sqlite3',
}

/** A file as something to send: it is read while it is sent. */
export const fileToSend = async (path: string, { cwd }: Terminal): Promise<{ blob: Blob; type: string }> => {
  const whole = resolve(cwd, path)
  const found = await stat(whole).catch((cause) => {
    throw new Complaint(`${path} cannot be read.`, { cause })
  })
  if (!found.isFile()) throw new Complaint(`${path} is not a file. To import a folder, zip it first.`)
  return {
    blob: await openAsBlob(whole),
    type: types[extname(path).toLowerCase()] ?? 'application/octet-stream',
  }
}

interface CreateOptions {
  readonly name?: string
  readonly description?: string
  readonly format?: string
  readonly onto?: string
  readonly organization?: string
  readonly slug?: string
  readonly emailDomain?: string
  readonly clock?: string
  readonly actsAs?: string
  readonly pseudonymize?: boolean
}

/** Commands about datasets. */
export const datasetCommands = (program: Command, cli: Cli): void => {
  const dataset = program.command('dataset').description('import and export the rows that worlds start from')
  createCommand(dataset, cli)
  bind<{ limit: number }>(
    cli,
    dataset
      .command('list')
      .option('-n, --limit <count>', 'maximum number of results', wholeNumber(1, 10_000), 50)
      .description('list datasets, newest first'),
    async ({ client, options, paint, print }) => {
      const items = await take(client.datasets.list({ limit: Math.min(200, options.limit) }), options.limit)
      print(items, () =>
        table(
          ['DATASET', 'NAME', 'LATEST VERSION', 'NUMBER', 'SERVICES'],
          items.map((one) => [
            one.id,
            cut(one.name, 40),
            one.latestVersion?.id ?? '',
            String(one.latestVersion?.number ?? ''),
            one.latestVersion?.services.map(({ service }) => service).join(' ') ?? '',
          ]),
          paint,
        ),
      )
    },
  )
  bind(
    cli,
    dataset.command('show').argument('<version>').description('show a version of a dataset'),
    async (run) => {
      const version = await run.client.datasets.getVersion(firstWord(run))
      run.print(version, () => versionText(version, run.paint))
    },
  )
  bind(cli, dataset.command('formats').description('list the supported data formats'), async (run) => {
    const { items } = await run.client.datasets.formats()
    run.print(items, () =>
      table(
        ['FORMAT', 'SERVICE', 'WHAT IT IS'],
        items.map(({ format, service, label }) => [format, service ?? 'any', label]),
        run.paint,
      ),
    )
  })
  oneVersion(dataset, cli)
}

const createCommand = (dataset: Command, cli: Cli) =>
  bind<CreateOptions>(
    cli,
    dataset
      .command('create')
      .argument('<file>', 'NDJSON, JSON or zip file, or any format that --format names')
      .requiredOption('--name <name>', 'name of the dataset; an existing one gets a new version')
      .option('--description <text>', 'description of the data')
      .option('--format <format>', 'format of the data; see `dataset formats`')
      .option('--onto <version>', 'take the rows of all other services from this version')
      .option('--organization <name>', 'name of the company, if the data does not contain it')
      .option('--slug <slug>', 'short name of the company')
      .option('--email-domain <domain>', 'email domain of the company')
      .option(
        '--clock <time>',
        'time at which the world starts; without an offset, in your time zone',
        momentOf,
      )
      .option('--acts-as <who>', "user that the twin's token acts as")
      .option('--pseudonymize', 'replace names, addresses, domains and phone numbers')
      .description('import rows as a new version of a dataset; if a row is not valid, nothing is imported'),
    async (run) => {
      const { client, options, terminal } = run
      const { blob, type } = await fileToSend(firstWord(run), terminal)
      const { name = '', pseudonymize, ...said } = options
      const query = { name, ...pick(said), ...(pseudonymize ? { pseudonymize: 'true' as const } : {}) }
      const sent = { contentType: type, timeoutMs: importTimeoutMs, signal: terminal.signal }
      const version = await client.datasets.create(blob, query, sent).catch((error: DioramaError) => {
        for (const { message } of error.details ?? []) run.note(message)
        throw error
      })
      run.print(version, () => versionText(version, run.paint))
    },
  )

/** The options of the request; those of the program are beside them. */
const pick = (said: Omit<CreateOptions, 'name' | 'pseudonymize'>) => {
  const { description, format, onto, organization, slug, emailDomain, clock, actsAs } = said
  return { description, format, onto, organization, slug, emailDomain, clock, actsAs }
}

const oneVersion = (dataset: Command, cli: Cli) => {
  bind<{ limit: number }>(
    cli,
    dataset
      .command('rows')
      .argument('<version>')
      .argument('<service>')
      .argument('<collection>')
      .option('-n, --limit <count>', 'maximum number of results', wholeNumber(1, 100_000), 20)
      .description('show rows of a collection'),
    async (run) => {
      const [version = '', service = '', collection = ''] = run.words
      const query = { service, collection, limit: Math.min(200, run.options.limit) }
      const rows = await take(run.client.datasets.listRows(version, query), run.options.limit)
      run.print(rows, () => rows.map((row) => JSON.stringify(row)).join('\n'))
    },
  )
  bind<{ all?: boolean }>(
    cli,
    dataset
      .command('delete')
      .argument('<id>', 'id of a version, or of a dataset to delete all its versions')
      .description('delete a dataset or a version that no world, twin or task starts from'),
    async (run) => {
      const id = firstWord(run)
      if (id.startsWith('dsv_')) await run.client.datasets.deleteVersion(id)
      else await run.client.datasets.delete(id)
      run.print({}, () => 'Deleted.')
    },
  )
  bind<ExportOptions>(
    cli,
    withOut(
      dataset.command('export').argument('<id>', 'id of a dataset version, a world or a twin'),
    ).description('export all rows as NDJSON, which `dataset create` reads'),
    exportRows,
  )
}

interface ExportOptions extends ConnectionFlags {
  readonly out?: string
}

const withOut = (command: Command): Command =>
  command.option('-o, --out <file>', 'file to write (default: standard output)')

const pathOf = (id: string): string => {
  if (id.startsWith('dsv_')) return `/v1/dataset-versions/${id}/export`
  return id.startsWith('wld_') ? `/v1/builder/worlds/${id}/export` : `/v1/twins/${id}/export`
}

/** Passes the bytes on as they come: an export may be larger than memory. */
const exportRows = async (run: Invocation<ExportOptions>): Promise<void> => {
  const { options, terminal } = run
  const reply = await patientFetch(
    `${baseUrlOf(options, terminal)}${pathOf(encodeURIComponent(firstWord(run)))}`,
    {
      headers: { authorization: `Bearer ${keyOf(options, terminal) ?? ''}` },
      signal: terminal.signal,
    },
  )
  if (!reply.ok || !reply.body) {
    const refusal = (await reply.json().catch(() => ({}))) as { error?: string }
    throw new Complaint(refusal.error ?? `The service answered ${reply.status}.`)
  }
  const source = Readable.fromWeb(reply.body as never)
  if (options.out === undefined) {
    for await (const chunk of source) terminal.out(String(chunk))
    return
  }
  await pipeline(source, createWriteStream(resolve(terminal.cwd, options.out)))
  run.note(`Written to ${options.out}.`)
}
