import { changeSides, changesBy } from '@diorama/contract/change-sides'
import type { Diff, DiffQuery } from '@diorama/contract/twins'
import { BadCursor, decodeCursor, encodeCursor } from '../storage/pages.ts'
import type { Host } from './host.ts'
import type { DiffCursor } from './isolates/inspect.ts'
import type { ActivityReader } from './ledger/ledger-reader.ts'
import type { TwinRow } from './store.ts'

export interface DiffDeps {
  readonly host: Pick<Host, 'inspect'>
  readonly activity: Pick<ActivityReader, 'whole'>
}

/** A page of what differs from the seeds of some twins: all of it, or what one side did. */
export const diffOf = (
  deps: DiffDeps,
  rows: readonly TwinRow[],
  { by, ...query }: DiffQuery,
): Promise<Diff> =>
  by === undefined ? diffPage(deps.host, rows, query) : diffPageBy(deps, rows, { ...query, by })

/** Steps of one twin that are looked at to tell who changed what. */
const maxSteps = 1_000_000
const maxChanges = 1_000_000

/**
 * What differs from the seeds of some twins by one side's doing: a field that both have set is shown for both. Sides are
 * told by the ledger, so all of it is read and the page is cut from it.
 */
const diffPageBy = async (
  { host, activity }: DiffDeps,
  rows: readonly TwinRow[],
  { limit, after, by }: DiffQuery & { by: 'agent' | 'world' },
): Promise<Diff> => {
  const sides = changeSides(await activity.whole(rows, maxSteps))
  const all: Diff['items'] = []
  for (const row of rows) {
    const { items } = await host.inspect(row, { what: 'diff', limit: maxChanges })
    all.push(...changesBy(items, sides, by))
  }
  const from = after === undefined ? 0 : numberOf(after)
  const count = (operation: string) => all.filter((one) => one.operation === operation).length
  return {
    summary: { created: count('create'), updated: count('update'), deleted: count('delete') },
    items: all.slice(from, from + limit),
    more: all.length > from + limit ? encodeCursor({ at: `by ${from + limit}`, id: '' }) : null,
  }
}

const numberOf = (cursor: string): number => {
  const [, place] = /^by (\d{1,9})$/.exec(String(decodeCursor(cursor).at)) ?? []
  if (place === undefined) throw new BadCursor()
  return Number(place)
}

/**
 * A page of what differs from the seeds of some twins, twin by twin. The cursor names the place of the twin and the last
 * record that was shown of it.
 */
export const diffPage = async (
  host: Pick<Host, 'inspect'>,
  rows: readonly TwinRow[],
  { limit, after }: DiffQuery,
): Promise<Diff> => {
  const from = after === undefined ? { place: 0, shown: undefined } : placeOf(after)
  const summary = { created: 0, updated: 0, deleted: 0 }
  const items: Diff['items'] = []
  let more: string | null = null
  for (const [place, row] of rows.entries()) {
    const shown = place === from.place ? from.shown : undefined
    const wanted = place < from.place ? 0 : limit - items.length
    const page = await host.inspect(row, { what: 'diff', after: shown, limit: wanted })
    for (const count of ['created', 'updated', 'deleted'] as const) summary[count] += page.summary[count]
    items.push(...page.items)
    if (page.hasMore && place >= from.place) more ??= cursorOf(place, page.items.at(-1) ?? shown)
  }
  return { summary, items, more }
}

const cursorOf = (place: number, shown: DiffCursor | undefined): string =>
  encodeCursor({ at: `${place} ${shown?.collection ?? ''}`, id: shown?.id ?? '' })

const placeOf = (cursor: string): { place: number; shown: DiffCursor | undefined } => {
  const { at, id } = decodeCursor(cursor)
  const [, place, collection = ''] = /^(\d{1,6}) (.*)$/.exec(String(at)) ?? []
  if (place === undefined) throw new BadCursor()
  return { place: Number(place), shown: collection === '' ? undefined : { collection, id } }
}
