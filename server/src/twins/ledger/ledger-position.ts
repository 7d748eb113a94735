import { ApiError } from '../../http/api-error.ts'
import type { Order } from '../../http/feed-source.ts'

/** How far one lane of a twin was shown: the twin's life, and the number of the last step in it. */
export interface Place {
  readonly epoch: number
  readonly seq: number
}

/**
 * Where a reader is among the steps of some twins: a place in each lane. The steps of a lane are numbered and written in
 * order by the one node that runs the twin, so the places say all, and the ledger needs no global order.
 */
export interface LedgerPosition {
  /** Two for each twin: in its writes, then in its reads. */
  readonly places: readonly Place[]
  /** Which lane's step led here. */
  readonly moved: number
}

export const laneOf = (twin: number, isRead: boolean): number => twin * 2 + (isRead ? 1 : 0)

export const isPast = (a: Place, b: Place): boolean =>
  a.epoch > b.epoch || (a.epoch === b.epoch && a.seq > b.seq)

const nowhere: Place = { epoch: 0, seq: 0 }
export const placeOf = ({ places }: LedgerPosition, lane: number): Place => places[lane] ?? nowhere

export const ledgerOrder = (twins: number): Order<LedgerPosition> => ({
  beforeAll: { places: Array.from({ length: twins * 2 }, () => nowhere), moved: 0 },
  text: ({ places }) => textOf(places) || 'none',
  isNew: (row, reader) => isPast(placeOf(row, row.moved), placeOf(reader, row.moved)),
  reaches: (a, b) => b.places.every((place, lane) => !isPast(place, placeOf(a, lane))),
  furthest: (a, b) => ({
    ...a,
    places: a.places.map((place, lane) => (isPast(placeOf(b, lane), place) ? placeOf(b, lane) : place)),
  }),
})

/** Twins apart by a hyphen, the two lanes of one by a tilde. */
const textOf = (places: readonly Place[]): string =>
  places.reduce((text, { epoch, seq }, lane) => {
    const separator = lane === 0 ? '' : lane % 2 === 0 ? '-' : '~'
    return `${text}${separator}${epoch}.${seq}`
  }, '')

export const parseLedgerPosition = (text: string, twins: number): LedgerPosition => {
  const parts = text === 'none' ? [] : text.split('-')
  const found = parts.map((part) => /^(\d{1,9})\.(\d{1,15})~(\d{1,9})\.(\d{1,15})$/.exec(part))
  if (parts.length !== twins || found.includes(null))
    throw new ApiError(
      'invalid_cursor',
      'The resume point is not one that this stream gave out: send the id of a message.',
    )
  const places = found.flatMap((match) => [
    { epoch: Number(match?.[1]), seq: Number(match?.[2]) },
    { epoch: Number(match?.[3]), seq: Number(match?.[4]) },
  ])
  return { places, moved: 0 }
}
