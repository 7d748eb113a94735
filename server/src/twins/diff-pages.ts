import type { Diff, DiffQuery } from '@diorama/contract/twins'
import { BadCursor, decodeCursor, encodeCursor } from '../storage/pages.ts'
import type { Host } from './host.ts'
import type { DiffCursor } from './isolates/inspect.ts'
import type { TwinRow } from './store.ts'

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
