import { ApiError } from '../../http/api-error.ts'

/**
 * A row's position in the order in which streams show rows: the transaction that wrote it, and its place in that
 * transaction. Numbers of transactions only grow, and a reader never passes one that is still under way.
 */
export interface StreamPosition {
  readonly tx: bigint
  readonly ord: number
}

export const beforeAll: StreamPosition = { tx: 0n, ord: -1 }

export const positionText = ({ tx, ord }: StreamPosition): string => `${tx}.${ord}`

export const isAfter = (a: StreamPosition, b: StreamPosition): boolean =>
  a.tx > b.tx || (a.tx === b.tx && a.ord > b.ord)

const largestTx = 2n ** 63n - 1n

export const parsePosition = (text: string): StreamPosition => {
  const [, tx, ord] = /^(\d{1,19})\.(-1|\d{1,9})$/.exec(text) ?? []
  if (tx === undefined || BigInt(tx) > largestTx)
    throw new ApiError(
      'invalid_cursor',
      'The resume point is not one that this stream gave out: send the id of a message, or of an event.',
    )
  return { tx: BigInt(tx), ord: Number(ord) }
}
