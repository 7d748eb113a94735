import { twinKinds } from '@diorama/contract/kinds'
import type { Reply } from '@diorama/sdk/index.ts'
import type { Command } from 'commander'
import { type ActivityOptions, diffText, showActivity, withActivityOptions } from '../activity.ts'
import { bind, type Cli, firstWord } from '../invocation.ts'
import { localTime } from '../local-time.ts'
import { take, wholeNumber } from '../options.ts'
import { cut, facts, table } from '../table.ts'
import type { Paint } from '../terminal.ts'
import { forwardCommand } from './forward.ts'
import { paintStatus } from './world.ts'

type Twin = Reply<'readTwin'>

const twinText = (twin: Twin, paint: Paint, token: boolean): string =>
  facts(
    [
      ['twin', twin.id],
      ['service', twin.service],
      ['status', paintStatus(twin.status, paint)],
      ['base url', twin.baseUrl],
      ['token', token ? twin.token : paint('dim', 'hidden; use --token to show it')],
      ['error', twin.error],
      ['environment', twin.environmentVersionId],
      ['expires', twin.expiresAt && localTime(twin.expiresAt)],
    ],
    paint,
  )

/** Commands about twins. */
export const twinCommands = (program: Command, cli: Cli): void => {
  const twin = program.command('twin').description('create and inspect copies of single services')
  bind<{ limit: number; service?: string; world?: string }>(
    cli,
    twin
      .command('list')
      .option('-n, --limit <count>', 'maximum number of results', wholeNumber(1, 10_000), 20)
      .option('--service <kind>', 'show only twins of this service')
      .option('--world <world>', 'show only twins of this world')
      .description('list twins, newest first'),
    async ({ client, options, paint, print }) => {
      const query = {
        limit: Math.min(200, options.limit),
        service: options.service,
        worldId: options.world,
      }
      const items = await take(client.twins.list(query), options.limit)
      print(items, () =>
        table(
          ['TWIN', 'SERVICE', 'STATUS', 'BASE URL', 'EXPIRES'],
          items.map((one) => [
            one.id,
            one.service,
            paintStatus(one.status, paint),
            one.baseUrl ?? '',
            one.expiresAt ? localTime(one.expiresAt) : '',
          ]),
          paint,
        ),
      )
    },
  )
  bind<{ ttlHours?: number; environment?: string; dataset?: string; token?: boolean }>(
    cli,
    twin
      .command('create')
      .argument('<service>', `one of ${twinKinds.join(', ')}`)
      .option('--ttl-hours <hours>', 'lifetime of the twin (default: 72)', wholeNumber(1, 720))
      .option('--environment <version>', 'start from this environment version')
      .option('--dataset <version>', 'start from this dataset version')
      .option('--token', 'show its token')
      .description('create a standalone twin and wait until it runs'),
    async (run) => {
      const { client, options, terminal } = run
      const made = await client.twins.create({
        service: firstWord(run),
        ttlHours: options.ttlHours,
        environmentVersionId: options.environment,
        datasetVersionId: options.dataset,
      })
      const twin = await client.twins.waitUntilRunning(made.id, { signal: terminal.signal })
      run.print(twin, () => twinText(twin, run.paint, options.token === true))
    },
  )
  forwardCommand(twin, cli)
  oneTwin(twin, cli)
  insideTwin(twin, cli)
}

const oneTwin = (twin: Command, cli: Cli) => {
  const on = (name: string, about: string, work: 'get' | 'reset' | 'stop') =>
    bind<{ token?: boolean }>(
      cli,
      twin.command(name).argument('<twin>').option('--token', 'show its token').description(about),
      async (run) => {
        const response = await run.client.twins[work](firstWord(run))
        run.print(response, () => twinText(response, run.paint, run.options.token === true))
      },
    )
  on('show', 'show a twin', 'get')
  on('reset', 'reset a twin to its initial state', 'reset')
  on('stop', 'stop a twin', 'stop')
  bind(
    cli,
    twin.command('delete').argument('<twin>').description('delete a stopped twin and its ledger'),
    async (run) => {
      await run.client.twins.delete(firstWord(run))
      run.print({}, () => 'Deleted the twin and its ledger.')
    },
  )
  bind(
    cli,
    twin
      .command('diff')
      .argument('<twin>')
      .description('show what changed since the twin was created or last reset'),
    async (run) => {
      const diff = await run.client.twins.diff(firstWord(run))
      run.print(diff, () => diffText(diff, run.paint))
    },
  )
}

const insideTwin = (twin: Command, cli: Cli) => {
  bind<ActivityOptions>(
    cli,
    withActivityOptions(
      twin.command('activity').argument('<twin>').argument('[request]', 'show this request in full'),
    ).description('list the requests to a twin, or show one'),
    async (run) => {
      const { twins } = run.client
      const [, request] = run.words
      if (request !== undefined) {
        const detail = await twins.getActivity(firstWord(run), request)
        return run.print(detail, () => JSON.stringify(detail, null, 2))
      }
      return showActivity(run, {
        list: (query) => twins.listActivity(firstWord(run), query),
        stream: (query, options) => twins.streamActivity(firstWord(run), query, options),
      })
    },
  )
  bind<{ limit: number }>(
    cli,
    twin
      .command('state')
      .argument('<twin>')
      .argument('[collection]', 'show the records of this collection')
      .option('-n, --limit <count>', 'maximum number of records', wholeNumber(1, 10_000), 20)
      .description('show the collections of a twin, or the records of one'),
    async (run) => {
      const [, collection] = run.words
      const limit = Math.min(200, run.options.limit)
      const state = run.client.twins.state(firstWord(run), { collection, limit })
      if (collection === undefined) {
        const { collections } = await state
        const rows = collections.map(({ name, count }) => [name, String(count)])
        return run.print(collections, () => table(['COLLECTION', 'RECORDS'], rows, run.paint))
      }
      const records = await take(state, run.options.limit)
      run.print(records, () =>
        table(
          ['ID', 'KEY', 'RECORD'],
          records.map(({ id, key, record }) => [id, key ?? '', cut(JSON.stringify(record), 120)]),
          run.paint,
        ),
      )
    },
  )
}
