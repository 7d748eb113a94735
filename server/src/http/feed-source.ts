/** The order in which the rows of a stream are shown, and a reader's position in it. */
export interface Order<Position> {
  readonly beforeAll: Position
  readonly text: (position: Position) => string
  /** Whether a reader at `reader` has not seen the row at `row` yet. */
  readonly isNew: (row: Position, reader: Position) => boolean
  /** Whether a reader at `a` has seen everything that a reader at `b` has. */
  readonly reaches: (a: Position, b: Position) => boolean
  /** The position of a reader who has seen what either has. */
  readonly furthest: (a: Position, b: Position) => Position
}

export interface Entry<Row, Position> {
  readonly row: Row
  /** A reader's position after the row. */
  readonly position: Position
  /** What readers get of the row. */
  readonly data: unknown
}

export interface Range<Position> {
  readonly from: Position
  /** Included. */
  readonly to: Position
  readonly limit: number
}

/** What a feed reads: the events of an organization, the requests to a world. */
export interface FeedSource<Row, Filter, Position> {
  /** The kind of each message. */
  readonly kind: string
  readonly order: Order<Position>
  /** The position of a reader who joins now: everything before it can be listed. */
  readonly start: () => Promise<Position>
  /** The next rows, in order. Held are those that are there and must wait, since older ones may still come. */
  readonly after: (
    from: Position,
  ) => Promise<{ readonly entries: readonly Entry<Row, Position>[]; readonly held: boolean }>
  readonly matches: (row: Row, filter: Filter) => boolean
  /** How many rows match in a range, counted up to its limit. */
  readonly countBetween: (filter: Filter, range: Range<Position>) => Promise<number>
  /** Matching rows of a range, oldest first; cut where there are more. */
  readonly between: (
    filter: Filter,
    range: Range<Position>,
  ) => Promise<{ readonly entries: readonly Entry<Row, Position>[]; readonly cut: boolean }>
  /** The position that a reader names; refused where it cannot be one. */
  readonly parse: (text: string) => Promise<Position>
  /** False for a position that this database has not given out, such as one of before a restore. */
  readonly knows: (position: Position) => Promise<boolean>
}

export const messagesOf = <Row, Position>(
  { kind, order }: Pick<FeedSource<Row, never, Position>, 'kind' | 'order'>,
  entries: readonly Entry<Row, Position>[],
) => entries.map(({ position, data }) => ({ id: order.text(position), event: kind, data }))
