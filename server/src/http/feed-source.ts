/** The order in which the rows of a stream are shown, and where a reader stands in it. */
export interface Order<Position> {
  readonly beforeAll: Position
  readonly text: (position: Position) => string
  /** Whether one who stands at `reader` has yet to be shown the row at `row`. */
  readonly isNew: (row: Position, reader: Position) => boolean
  /** Whether one who stands at `a` has been shown everything that one at `b` has. */
  readonly reaches: (a: Position, b: Position) => boolean
  /** Where one stands who has been shown what either has. */
  readonly furthest: (a: Position, b: Position) => Position
}

export interface Entry<Row, Position> {
  readonly row: Row
  /** Where a reader stands once it has been shown the row. */
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
  /** Where a reader stands who comes now: all that lies before is there to be listed. */
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
