import type { Reply } from '@diorama/sdk/index.ts'
import type { Command } from 'commander'
import { type ActivityOptions, diffText, showActivity, withActivityOptions } from '../activity.ts'
import { Complaint } from '../failure.ts'
import { bind, type Cli, firstWord, type Invocation } from '../invocation.ts'
import { localTime, momentOf } from '../local-time.ts'
import { worldNamed } from '../names.ts'
import { readJson, take, wholeNumber } from '../options.ts'
import { cut, facts, table } from '../table.ts'
import { type Paint, painter } from '../terminal.ts'
import { versionText } from './dataset.ts'

type World = Reply<'readWorld'>

export const paintStatus = (status: string, paint: Paint): string => {
  if (/^(ready|running|succeeded|current|stable|pass)$/.test(status)) return paint('green', status)
  if (/^(failed|errored|expired|fail)$/.test(status)) return paint('red', status)
  return paint('yellow', status)
}

const worldText = (response: World, paint: Paint): string => {
  const { world, version, status, twins, evaluation, launchError } = response
  const head = facts(
    [
      ['world', `${paint('bold', world.name)}  ${world.id}`],
      ['status', paintStatus(status, paint)],
      ['version', `${version.number} of ${version.rootWorldId}`],
      ['summary', cut(world.summary, 200)],
      ['tags', world.tags.join(', ')],
      ['archived', world.archived ? 'yes' : ''],
      ['error', launchError],
      ['suite', evaluation ? `${evaluation.taskSuiteId ?? ''} (${evaluation.status})` : ''],
      ['environment', evaluation?.environmentVersionId],
    ],
    paint,
  )
  const rows = twins.map((twin) => [
    twin.service,
    paintStatus(twin.status, paint),
    twin.id,
    twin.baseUrl ?? '',
    twin.expiresAt ? localTime(twin.expiresAt) : '',
  ])
  const tasks = evaluation?.tasks.map(({ taskId, title }) => `  ${taskId}  ${cut(title, 90)}`) ?? []
  return [
    head,
    '',
    table(['SERVICE', 'STATUS', 'TWIN', 'BASE URL', 'EXPIRES'], rows, paint),
    ...(tasks.length > 0 ? ['', paint('bold', 'TASKS'), ...tasks] : []),
  ].join('\n')
}

interface LaunchOptions {
  readonly sample?: boolean
  readonly ttlHours?: number
  readonly idempotencyKey?: string
  readonly from?: string
  readonly dataset?: string
}

/** Commands about worlds. */
export const worldCommands = (program: Command, cli: Cli): void => {
  const world = program.command('world').description('launch and inspect simulated companies')
  bind<LaunchOptions>(
    cli,
    world
      .command('launch')
      .argument('[blueprint]', 'JSON file, or - for standard input')
      .option('--sample', 'launch the sample company')
      .option('--dataset <version>', 'launch from a dataset version or a snapshot')
      .option('--ttl-hours <hours>', 'lifetime of the twins (default: 72)', wholeNumber(1, 720))
      .option('--from <world>', 'launch it as a new version of this world')
      .option('--idempotency-key <key>', 'a repeated request with this key returns the same world')
      .description('launch a world from a blueprint or a dataset and wait until it is ready'),
    async (run) => {
      const { client, options, terminal, paint } = run
      const [path] = run.words
      const launched = await client.worlds.launchAndWait(
        {
          ...(await whatToLaunch(run, path)),
          ttlHours: options.ttlHours,
          idempotencyKey: options.idempotencyKey,
          sourceWorldId: options.from,
        },
        { signal: terminal.signal },
      )
      const warn = painter(terminal.colour.err)
      for (const warning of launched.warnings ?? []) run.note(`${warn('yellow', 'warning:')} ${warning}`)
      run.print(launched, () => worldText(launched, paint))
    },
  )
  bind<{ limit: number; root?: string; tag?: string; all?: boolean }>(
    cli,
    world
      .command('list')
      .option('-n, --limit <count>', 'maximum number of results', wholeNumber(1, 10_000), 20)
      .option('--root <world>', 'show only this world and its later versions')
      .option('--tag <tag>', 'show only worlds with this tag')
      .option('-a, --all', 'include archived worlds')
      .description('list worlds, newest first'),
    async ({ client, options, paint, print }) => {
      const query = { limit: Math.min(200, options.limit), rootWorldId: options.root, tag: options.tag }
      const shown = options.all ? query : { ...query, archived: false }
      const items = await take(client.worlds.list(shown), options.limit)
      print(items, () =>
        table(
          ['WORLD', 'NAME', 'STATUS', 'VERSION', 'SERVICES', 'TAGS', 'CREATED'],
          items.map((one) => [
            one.id,
            cut(one.name, 40),
            paintStatus(one.status, paint),
            String(one.version.number),
            one.services.join(' '),
            cut(one.tags.join(' '), 30),
            localTime(one.createdAt),
          ]),
          paint,
        ),
      )
    },
  )
  oneWorld(world, cli)
  snapshotCommands(world, cli)
  timeOfWorld(world, cli)
  changesOfWorld(world, cli)
}

/** A dataset, the sample, or the blueprint of a file. */
const whatToLaunch = async (
  { client, options, terminal }: Invocation<LaunchOptions>,
  path: string | undefined,
) => {
  if (options.dataset !== undefined) return { datasetVersionId: options.dataset }
  if (path === undefined && !options.sample)
    throw new Complaint('Specify a blueprint file, --sample or --dataset.')
  const sent = path === undefined ? await client.worlds.sampleBlueprint() : await readJson(path, terminal)
  // Both the bare blueprint and a whole launch request are what people keep in files.
  return { blueprint: sent.blueprint ?? sent }
}

const snapshotCommands = (world: Command, cli: Cli) => {
  bind<{ name: string; description?: string }>(
    cli,
    world
      .command('snapshot')
      .argument('<world>')
      .requiredOption('--name <name>', 'name of the snapshot; an existing one gets a new version')
      .option('--description <text>', 'description of the snapshot')
      .description('save the current state of a world; launch it again with `world launch --dataset`'),
    async (run) => {
      const { name, description } = run.options
      const version = await run.client.datasets.takeSnapshot(await worldNamed(run, firstWord(run)), {
        name,
        description,
      })
      run.print(version, () => versionText(version, run.paint))
    },
  )
  bind(
    cli,
    world.command('snapshots').argument('<world>').description('list the snapshots of a world'),
    async (run) => {
      const items = await take(
        run.client.datasets.listSnapshots(await worldNamed(run, firstWord(run))),
        1_000,
      )
      run.print(items, () =>
        table(
          ['VERSION', 'NAME', 'NUMBER', 'CLOCK'],
          items.map(({ id, name, number, clock }) => [id, cut(name, 60), String(number), localTime(clock)]),
          run.paint,
        ),
      )
    },
  )
}

const oneWorld = (world: Command, cli: Cli) => {
  const on = (name: string, about: string, work: 'get' | 'reset' | 'stop') =>
    bind(cli, world.command(name).argument('<world>').description(about), async (run) => {
      const response = await run.client.worlds[work](await worldNamed(run, firstWord(run)), {
        signal: run.terminal.signal,
      })
      run.print(response, () => worldText(response, run.paint))
    })
  on('show', 'show a world, its twins and its tasks', 'get')
  on('reset', 'reset all twins of a world to their initial state', 'reset')
  on('stop', 'stop all twins of a world', 'stop')
  bind(
    cli,
    world
      .command('tag')
      .argument('<world>')
      .argument('[tags...]', 'new tags of the world; omit them to remove all tags')
      .description('set the tags of a world'),
    async (run) => {
      const [name = '', ...tags] = run.words
      const response = await run.client.worlds.update(await worldNamed(run, name), { tags })
      run.print(response, () => worldText(response, run.paint))
    },
  )
  bind<{ undo?: boolean }>(
    cli,
    world
      .command('archive')
      .argument('<world>')
      .option('--undo', 'restore an archived world')
      .description('hide a world from lists; its twins keep running'),
    async (run) => {
      const archived = !run.options.undo
      const response = await run.client.worlds.update(await worldNamed(run, firstWord(run)), { archived })
      run.print(response, () => worldText(response, run.paint))
    },
  )
  bind<{ at: string; name?: string }>(
    cli,
    world
      .command('branch')
      .argument('<world>')
      .requiredOption('--at <request>', 'request after which the new world starts (see `world activity`)')
      .option('--name <name>', 'name of the new world')
      .description('create a world from the state of this one after one of its requests'),
    async (run) => {
      const response = await run.client.worlds.branch(await worldNamed(run, firstWord(run)), run.options)
      run.print(response, () => worldText(response, run.paint))
    },
  )
  bind(
    cli,
    world
      .command('delete')
      .argument('<world>')
      .description('delete a stopped world, its twins and their ledgers'),
    async (run) => {
      await run.client.worlds.delete(await worldNamed(run, firstWord(run)))
      run.print({}, () => 'Deleted the world, its twins and their ledgers.')
    },
  )
}

interface ClockOptions {
  readonly advance?: string
  readonly to?: string
  readonly mode?: 'story' | 'wall'
  readonly factor?: number
  readonly requestCost?: string
}

const clockText = (clock: Reply<'readWorldClock'>, paint: Paint): string =>
  facts(
    [
      ['now', paint('bold', localTime(clock.now))],
      ['mode', clock.mode === 'wall' ? `wall, ${clock.factor} times real time` : 'story'],
      ['next', clock.nextDue === null ? 'nothing is due' : localTime(clock.nextDue)],
      ['pending', String(clock.pending)],
      ['happened', String(clock.fired)],
      ['error', clock.error],
    ],
    paint,
  )

const timeOfWorld = (world: Command, cli: Cli) => {
  bind<ClockOptions>(
    cli,
    world
      .command('clock')
      .argument('<world>')
      .option('--advance <time>', 'advance the clock, such as by 2h or 1h30m')
      .option('--to <time>', 'advance the clock to a time; without an offset, in your time zone', momentOf)
      .option('--mode <mode>', 'story (each request takes simulated time) or wall (real time)')
      .option('--factor <number>', 'speed of a wall clock, as a multiple of real time', Number)
      .option('--request-cost <time>', 'simulated time that a request takes in story mode, such as 20s')
      .description('show the clock of a world, or advance it; events that become due happen'),
    async (run) => {
      const { advance, to, mode, factor, requestCost } = run.options
      const move = { advance, to, mode, factor, requestCost }
      const { worlds } = run.client
      const worldId = await worldNamed(run, firstWord(run))
      const clock = Object.values(move).some((value) => value !== undefined)
        ? await worlds.moveClock(worldId, move)
        : await worlds.clock(worldId)
      run.print(clock, () => clockText(clock, run.paint))
    },
  )
  bind<{ add?: string }>(
    cli,
    world
      .command('events')
      .argument('<world>')
      .option('--add <file>', 'add the event in this JSON file, in the format of scenario.events')
      .description('list the scheduled events of a world, or add one'),
    async (run) => {
      const worldId = await worldNamed(run, firstWord(run))
      if (run.options.add !== undefined)
        await run.client.worlds.addEvent(worldId, { event: await readJson(run.options.add, run.terminal) })
      const { items } = await run.client.worlds.listEvents(worldId)
      run.print(items, () =>
        table(
          ['EVENT', 'STATUS', 'NEXT', 'HAPPENED'],
          items.map(({ key, status, nextAt, fired }) => [
            key,
            status,
            nextAt === null ? '' : localTime(nextAt),
            String(fired),
          ]),
          run.paint,
        ),
      )
    },
  )
}

const changesOfWorld = (world: Command, cli: Cli) => {
  bind(
    cli,
    world
      .command('diff')
      .argument('<world>')
      .description('show what changed since the launch or the last reset'),
    async (run) => {
      const diff = await run.client.worlds.diff(await worldNamed(run, firstWord(run)))
      run.print(diff, () => diffText(diff, run.paint))
    },
  )
  bind<ActivityOptions & { service?: string }>(
    cli,
    withActivityOptions(world.command('activity').argument('<world>'))
      .option('--service <kind>', 'show only requests to this service')
      .description('list the requests to all twins of a world'),
    async (run) => {
      const { worlds } = run.client
      const { service } = run.options
      const worldId = await worldNamed(run, firstWord(run))
      return showActivity(run, {
        list: (query) => worlds.listActivity(worldId, { ...query, service }),
        stream: (query, options) => worlds.streamActivity(worldId, { ...query, service }, options),
      })
    },
  )
}
