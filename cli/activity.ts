import type { Reply } from '@diorama/sdk/index.ts'
import type { Invocation } from './invocation.ts'
import { cut, table } from './table.ts'
import type { Paint } from './terminal.ts'

type Request = Reply<'listWorldActivity'>['items'][number]
type Diff = Reply<'diffWorld'>

const followEveryMs = 1_000
const followPage = 200

export interface ActivityOptions {
  readonly limit: number
  readonly mutationsOnly?: boolean
  readonly since?: string
  readonly follow?: boolean
}

const row = (request: Request, paint: Paint): string[] => [
  request.at.slice(11, 23),
  request.service,
  paint(request.response.status >= 400 ? 'red' : 'green', String(request.response.status)),
  cut(request.operation, 44),
  request.mutationCount > 0 ? paint('yellow', `${request.mutationCount} changed`) : '',
  cut(request.actor?.name ?? '', 24),
  paint('dim', request.requestId),
]
const columns = ['TIME', 'SERVICE', 'STATUS', 'OPERATION', 'CHANGES', 'ACTOR', 'REQUEST']

export const activityTable = (requests: readonly Request[], paint: Paint): string =>
  requests.length === 0
    ? 'No requests yet.'
    : table(
        columns,
        requests.map((one) => row(one, paint)),
        paint,
      )

/** Prints requests as they come, oldest first, until the user interrupts. The service is asked once a second. */
export const followActivity = async (
  { terminal, json, paint }: Invocation<ActivityOptions>,
  read: (limit: number) => Promise<readonly Request[]>,
  first: number,
): Promise<void> => {
  let seen = new Set<string>()
  for (let round = 0; !terminal.signal.aborted; round++) {
    const page = await read(round === 0 ? first : followPage)
    const fresh = page.filter(({ requestId }) => !seen.has(requestId)).toReversed()
    for (const request of fresh)
      terminal.out(`${json ? JSON.stringify(request) : row(request, paint).filter(Boolean).join('  ')}\n`)
    seen = new Set([...[...seen].slice(-followPage), ...page.map(({ requestId }) => requestId)])
    await pause(followEveryMs, terminal.signal)
  }
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done, { once: true })
  })

const marks = { create: ['green', '+'], update: ['yellow', '~'], delete: ['red', '-'] } as const
const valueWidth = 60

/** What changed: one record a paragraph, one field a line. */
export const diffText = ({ summary, items }: Diff, paint: Paint): string => {
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
  return [...records, paint('dim', `${created} created, ${updated} updated, ${deleted} deleted`)].join('\n')
}
