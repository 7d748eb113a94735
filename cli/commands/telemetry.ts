import type { Command } from 'commander'
import { bind, type Cli, firstWord } from '../invocation.ts'
import { localTime, momentOf } from '../local-time.ts'
import { take, wholeNumber } from '../options.ts'
import { spanTree } from '../span-tree.ts'
import { cut, table } from '../table.ts'
import type { Paint } from '../terminal.ts'

interface Filters {
  readonly source?: string
  readonly topic?: string
  readonly type?: string
  readonly entity?: string
  readonly since?: string
}

const filtersOf = ({ source, topic, type, entity, since }: Filters) => {
  const at = entity?.indexOf(':') ?? -1
  const pair = at > 0 && entity ? { entityType: entity.slice(0, at), entityId: entity.slice(at + 1) } : {}
  return { source, topic, since, eventType: type, ...pair }
}

const withFilters = (command: Command): Command =>
  command
    .option('--source <source>', 'show only this source')
    .option('--topic <topic>', 'show only this topic')
    .option('--type <type>', 'show only this event type')
    .option('--entity <type:id>', 'show only this entity')
    .option(
      '--since <time>',
      'window such as last_24h, or a time; without an offset, in your time zone',
      momentOf,
    )

interface Shown {
  readonly eventTime: string
  readonly source: string
  readonly topic: string
  readonly eventType: string
  readonly payload: Readonly<Record<string, unknown>>
}

const eventLine = (event: Shown, paint: Paint): string =>
  [
    paint('dim', localTime(event.eventTime)),
    paint('cyan', cut(event.source, 30)),
    cut(event.topic, 30),
    paint('bold', cut(event.eventType, 40)),
    cut(JSON.stringify(event.payload), 100),
  ].join('  ')

/** Commands about events and traces. */
export const telemetryCommands = (program: Command, cli: Cli): void => {
  const events = program.command('events').description('list, follow and search recorded events')
  bind<Filters & { after?: string }>(
    cli,
    withFilters(events.command('tail'))
      .option('--after <event>', 'continue after this event')
      .description('print events as they arrive, until interrupted'),
    async ({ client, options, terminal, json, paint }) => {
      const query = { ...filtersOf(options), after: options.after }
      const signal = AbortSignal.any([terminal.signal, terminal.readerGone])
      for await (const event of client.events.stream(query, { signal }))
        terminal.out(`${json ? JSON.stringify(event) : eventLine(event, paint)}\n`)
    },
  )
  bind<Filters & { limit: number }>(
    cli,
    withFilters(events.command('list'))
      .option('-n, --limit <count>', 'maximum number of results', wholeNumber(1, 100_000), 50)
      .description('list events, newest first'),
    async ({ client, options, print, paint }) => {
      const query = { ...filtersOf(options), limit: Math.min(200, options.limit) }
      const items = await take(client.events.list(query), options.limit)
      print(items, () => items.map((event) => eventLine(event, paint)).join('\n'))
    },
  )
  bind<{ limit: number }>(
    cli,
    events
      .command('search')
      .argument('<query>', 'text to search for')
      .option('-n, --limit <count>', 'maximum number of results', wholeNumber(1, 200), 20)
      .description('search events and spans by meaning and keywords'),
    async (run) => {
      const { items } = await run.client.events.search({ query: firstWord(run), limit: run.options.limit })
      run.print(items, () => items.map((event) => eventLine(event, run.paint)).join('\n'))
    },
  )
  traceCommands(program, cli)
}

interface TraceListOptions {
  readonly limit: number
  readonly agent?: string
  readonly task?: string
  readonly status?: 'ok' | 'error' | 'unset'
  readonly minDurationMs?: number
  readonly maxDurationMs?: number
  readonly attribute?: string
  readonly since?: string
}

const traceCommands = (program: Command, cli: Cli) => {
  const trace = program.command('trace').description('list and show recorded traces')
  bind(
    cli,
    trace.command('show').argument('<trace>').description('show a trace as a tree of spans'),
    async (run) => {
      const found = await run.client.traces.get(firstWord(run))
      run.print(found, () => spanTree(found, run.paint))
    },
  )
  bind<TraceListOptions>(
    cli,
    trace
      .command('list')
      .option('-n, --limit <count>', 'maximum number of results', wholeNumber(1, 10_000), 20)
      .option('--agent <agent>', 'show only this agent (name or name@version)')
      .option('--task <task>', 'show only trials of this task (id, or text in its title)')
      .option('--status <status>', 'show only this status: ok, error or unset')
      .option('--min-duration-ms <ms>', 'minimum duration', wholeNumber(0, 999_999_999))
      .option('--max-duration-ms <ms>', 'maximum duration', wholeNumber(0, 999_999_999))
      .option('--attribute <attribute>', 'show only traces with this attribute (name=value or name)')
      .option(
        '--since <time>',
        'window such as last_24h, or a time; without an offset, in your time zone',
        momentOf,
      )
      .description('list traces, newest first'),
    async ({ client, options, print, paint }) => {
      const { limit, ...filters } = options
      const items = await take(client.traces.list({ ...filters, limit: Math.min(200, limit) }), limit)
      print(items, () =>
        table(
          ['TRACE', 'NAME', 'STATUS', 'SPANS', 'STARTED'],
          items.map((one) => [
            one.traceId,
            cut(one.name, 50),
            one.status === 'error' ? paint('red', one.status) : one.status,
            String(one.totals.spans),
            localTime(one.startedAt),
          ]),
          paint,
        ),
      )
    },
  )
}
