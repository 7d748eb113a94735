import type { Reply } from '@diorama/sdk/index.ts'
import type { Command } from 'commander'
import type { Invocation } from './invocation.ts'
import { localTime, momentOf } from './local-time.ts'
import { take, wholeNumber } from './options.ts'
import { cut, table } from './table.ts'
import type { Paint } from './terminal.ts'

type Request = Reply<'listWorldActivity'>['items'][number]
type Diff = Reply<'diffWorld'>

const wholeDay = 'last_24h'
/** How many are shown before the live ones. */
const maxBefore = 20

export interface ActivityOptions {
  readonly limit: number
  readonly operation?: string
  readonly status?: string
  readonly actor?: string
  readonly text?: string
  readonly mutationsOnly?: boolean
  readonly refused?: boolean
  readonly since?: string
  readonly follow?: boolean
}

/** Options that the lists of a world and of a twin have in common. */
export const withActivityOptions = (command: Command): Command =>
  command
    .option('-n, --limit <count>', 'maximum number of results', wholeNumber(1, 10_000), 50)
    .option('--operation <name>', 'show only this operation')
    .option('--status <status>', 'show only this status, such as 404 or 4xx, or failed for 400 and above')
    .option('--actor <who>', 'show only requests of this person (handle, native id or name)')
    .option('--text <text>', 'show only requests whose operation, actor or path contains this text')
    .option('--mutations-only', 'show only requests that changed something')
    .option('--refused', 'show only requests that the service refused')
    .option(
      '--since <time>',
      'window such as last_24h, or a time; without an offset, in your time zone',
      momentOf,
    )
    .option('-f, --follow', 'print requests as they arrive, until interrupted')

const filtersOf = ({ operation, status, actor, text, mutationsOnly, refused }: ActivityOptions) => ({
  operation,
  status,
  actor,
  q: text,
  mutationsOnly,
  refused,
})
type Filters = ReturnType<typeof filtersOf>

/** The requests to a world or to a twin. */
interface Source {
  readonly list: (
    query: Filters & { since: string | undefined; limit: number },
  ) => PromiseLike<{ items: readonly Request[] }> & AsyncIterable<Request>
  readonly stream: (
    query: Filters & { since: string },
    options: { signal: AbortSignal },
  ) => AsyncIterable<Request>
}

/** Lists requests, or follows them. */
export const showActivity = async (run: Invocation<ActivityOptions>, source: Source): Promise<void> => {
  const { limit, since, follow } = run.options
  const filters = filtersOf(run.options)
  const list = (most: number) => source.list({ ...filters, since, limit: Math.min(200, most) })
  if (follow) {
    const signal = AbortSignal.any([run.terminal.signal, run.terminal.readerGone])
    const { items } = await list(Math.min(maxBefore, limit))
    return followActivity(run, items, (from) => source.stream({ ...filters, since: from }, { signal }))
  }
  const items = await take(list(limit), limit)
  run.print(items, () => activityTable(items, run.paint))
}

const row = (request: Request, paint: Paint): string[] => [
  localTime(request.at).slice(11),
  request.service,
  paint(request.refused === null ? 'green' : 'red', String(request.response.status)),
  cut(request.operation, 44),
  request.refused === null ? '' : paint('red', cut(request.refused, 32)),
  request.mutationCount > 0 ? paint('yellow', `${request.mutationCount} changed`) : '',
  cut(request.actor?.name ?? '', 24),
  paint('dim', request.requestId),
]
const columns = ['TIME', 'SERVICE', 'STATUS', 'OPERATION', 'REFUSED', 'CHANGES', 'ACTOR', 'REQUEST']

const activityTable = (requests: readonly Request[], paint: Paint): string =>
  requests.length === 0
    ? 'No requests yet.'
    : table(
        columns,
        requests.map((one) => row(one, paint)),
        paint,
      )

/** The latest requests, oldest first, and then each as it comes, until the user interrupts. */
const followActivity = async (
  { terminal, json, paint }: Invocation<ActivityOptions>,
  latest: readonly Request[],
  stream: (since: string) => AsyncIterable<Request>,
): Promise<void> => {
  const show = (request: Request) =>
    terminal.out(`${json ? JSON.stringify(request) : row(request, paint).filter(Boolean).join('  ')}\n`)
  const shown = new Set(latest.map(({ requestId }) => requestId))
  for (const request of latest.toReversed()) show(request)
  // The stream begins at the time of the last one, so that what came meanwhile is not lost.
  for await (const request of stream(latest[0]?.at ?? wholeDay))
    if (!shown.has(request.requestId)) show(request)
}

const marks = { create: ['green', '+'], update: ['yellow', '~'], delete: ['red', '-'] } as const
const valueWidth = 60

/** What changed: one record a paragraph, one field a line. */
export const diffText = ({ summary, items, more }: Diff, paint: Paint): string => {
  if (items.length === 0) return 'Nothing has changed since the seed.'
  const value = (one: unknown) => cut(JSON.stringify(one) ?? 'absent', valueWidth)
  const records = items.map(({ service, collection, operation, key, id, changed }) => {
    const [style, mark] = marks[operation]
    const fields =
      operation === 'update'
        ? Object.entries(changed).map(
            ([field, [before, after]]) =>
              `    ${field}: ${paint('red', value(before))} → ${paint('green', value(after))}`,
          )
        : []
    return [`${paint(style, `${mark} ${service} ${collection}`)} ${key ?? id}`, ...fields].join('\n')
  })
  const { created, updated, deleted } = summary
  const rest = more === null ? [] : [paint('dim', `only the first ${items.length} changes are shown`)]
  const counts = paint('dim', `${created} created, ${updated} updated, ${deleted} deleted`)
  return [...records, ...rest, counts].join('\n')
}
