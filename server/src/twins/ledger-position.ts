import type { Order } from '../http/feed-source.ts'
import { Refused } from '../http/refused.ts'

/** How far one twin's steps were shown: its life, and the number of the last step in it. */
export interface Place {
  readonly epoch: number
  readonly seq: number
}

/**
 * Where a reader stands among the steps of some twins: a place in each. A twin's steps are numbered and written in
 * order by the one node that runs it, so its place says all, and the ledger needs no order of its own.
 */
export interface LedgerPosition {
  readonly places: readonly Place[]
  /** Which twin's step led here. */
  readonly moved: number
}

export const isPast = (a: Place, b: Place): boolean =>
  a.epoch > b.epoch || (a.epoch === b.epoch && a.seq > b.seq)

const nowhere: Place = { epoch: 0, seq: 0 }
export const placeOf = ({ places }: LedgerPosition, twin: number): Place => places[twin] ?? nowhere

export const ledgerOrder = (twins: number): Order<LedgerPosition> => ({
  beforeAll: { places: Array.from({ length: twins }, () => nowhere), moved: 0 },
  text: ({ places }) => places.map(({ epoch, seq }) => `${epoch}.${seq}`).join('-') || 'none',
  isNew: (row, reader) => isPast(placeOf(row, row.moved), placeOf(reader, row.moved)),
  reaches: (a, b) => b.places.every((place, twin) => !isPast(place, placeOf(a, twin))),
  furthest: (a, b) => ({
    ...a,
    places: a.places.map((place, twin) => (isPast(placeOf(b, twin), place) ? placeOf(b, twin) : place)),
  }),
})

export const parseLedgerPosition = (text: string, twins: number): LedgerPosition => {
  const parts = text === 'none' ? [] : text.split('-')
  const places = parts.map((part) => /^(\d{1,9})\.(\d{1,15})$/.exec(part))
  if (parts.length !== twins || places.includes(null))
    throw new Refused(
      'invalid_cursor',
      'The resume point is not one that this stream gave out: send the id of a message.',
    )
  return { places: places.map((found) => ({ epoch: Number(found?.[1]), seq: Number(found?.[2]) })), moved: 0 }
}
