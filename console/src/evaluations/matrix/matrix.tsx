import type { MatrixTrial, RunMatrix } from '@diorama/contract'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, memo, useCallback, useEffect, useMemo, useRef } from 'react'
import { useListKeys } from '../../parts/lists/list-keys.ts'
import { usePainted } from '../../parts/painted.ts'
import { useScale } from '../../scale.ts'
import { useAddress } from '../../search.ts'
import { score } from '../../words.ts'
import { type Cell, type MatrixRow, rowsOf } from './cells.ts'
import { MatrixTip } from './matrix-tip.tsx'
import { type NearColumns, useNearColumns } from './near-columns.ts'
import { Legend, lookOf, MarkDrawing } from './outcome.tsx'

const rowHeight = 36
/** Rows that exist above and below those in sight, once those are painted. */
const rowOverscan = 6
const columnOverscan = 2

/** Tasks down, agents across, each cell the repeats as small marks. Of many rows and columns only those near by exist. */
export const Matrix = ({ matrix }: { matrix: RunMatrix }) => {
  const { search, change } = useAddress()
  const rows = useMemo(() => rowsOf(matrix), [matrix])
  const scroller = useRef<HTMLElement>(null)
  const height = Math.round(rowHeight * useScale())
  const painted = usePainted()
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: painted ? rowOverscan : 0,
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was measured for other rows is measured again.
  useEffect(() => virtual.measure(), [height, rows.length, virtual])
  const columns = useNearColumns({
    scroller,
    agents: matrix.agents.length,
    overscan: painted ? columnOverscan : 0,
    repeats: Math.max(0, ...(rows[0]?.cells.map(({ trials }) => trials.length) ?? [])),
  })
  const latest = useRef(change)
  latest.current = change
  const open = useCallback((id: string) => latest.current({ open: id }), [])
  useListKeys({
    items: matrix.trials,
    keyOf: ({ id }) => id,
    open: search.open,
    onOpen: ({ id }) => open(id),
    onEnter: undefined,
    show: (index) => {
      virtual.scrollToIndex(matrix.trials[index]?.task ?? 0)
      columns.show(matrix.trials[index]?.agent ?? 0)
    },
  })
  const shown = virtual.getVirtualItems()
  const above = shown[0]?.start ?? 0
  const below = virtual.getTotalSize() - (shown.at(-1)?.end ?? 0)
  const cells = 2 + columns.to - columns.from + Number(columns.left > 0) + Number(columns.right > 0)
  return (
    <section className="section">
      <div className="section-head">
        <h2>Tasks and trials</h2>
        <Legend />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard. */}
      <section ref={scroller} className="matrix-scroller" tabIndex={0} aria-label="Tasks and trials">
        <table
          className={columns.width === undefined ? 'table matrix' : 'table matrix is-wide'}
          aria-rowcount={rows.length + 1}
          aria-colcount={matrix.agents.length + 2}
          style={columns.tableWidth === undefined ? undefined : { width: columns.tableWidth }}
          onKeyDown={(event) =>
            moveInGrid(event, (row, column) => {
              virtual.scrollToIndex(row)
              columns.show(column)
            })
          }
        >
          <Head agents={matrix.agents} columns={columns} />
          <tbody>
            <Spacer height={above} columns={cells} />
            {shown.map(({ index }) => (
              <Row
                key={rows[index]?.id}
                row={rows[index]}
                index={index}
                agents={matrix.agents}
                from={columns.from}
                to={columns.to}
                left={columns.left}
                right={columns.right}
                open={search.open}
                onOpen={open}
              />
            ))}
            <Spacer height={below} columns={cells} />
          </tbody>
        </table>
        <MatrixTip scroller={scroller} trials={matrix.trials} />
      </section>
    </section>
  )
}

const Head = ({ agents, columns }: { agents: readonly string[]; columns: NearColumns }) => {
  const { from, to, left, right, width } = columns
  return (
    <thead>
      <tr>
        <th scope="col">Task</th>
        <Gap width={left} />
        {agents.slice(from, to).map((agent, index) => (
          <th
            key={agent}
            scope="col"
            title={agent}
            aria-colindex={from + index + 2}
            style={width === undefined ? undefined : { width }}
          >
            {agent}
          </th>
        ))}
        <Gap width={right} />
        <th scope="col" className="matrix-why" aria-colindex={agents.length + 2}>
          Most frequent failure
        </th>
      </tr>
    </thead>
  )
}

/** Takes the space of the columns out of sight. */
const Gap = ({ width }: { width: number }) =>
  width > 0 ? <td className="matrix-spacer" style={{ width }} /> : null

/** Takes the space of the rows out of sight. */
const Spacer = ({ height, columns }: { height: number; columns: number }) =>
  height > 0 ? (
    <tr>
      <td className="matrix-spacer" colSpan={columns} style={{ height }} />
    </tr>
  ) : null

/** Arrow keys go from mark to mark, over rows and columns that do not exist yet as well. */
const moveInGrid = (event: KeyboardEvent<HTMLElement>, show: (row: number, column: number) => void): void => {
  const step = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] }[event.key]
  const mark = event.target instanceof HTMLElement ? event.target.closest<HTMLElement>('.mark') : null
  if (!step || !mark) return
  event.preventDefault()
  const table = event.currentTarget
  const [down = 0, across = 0] = step
  const cell = mark.closest('td')
  // The headings are the first row and the first column.
  const row = Number(cell?.parentElement?.ariaRowIndex) - 2 + down
  const column = Number(cell?.ariaColIndex) - 2 + across
  const inCell = across === 0 ? undefined : mark.parentElement?.querySelectorAll<HTMLElement>('.mark')
  const beside = inCell && [...inCell][[...inCell].indexOf(mark) + across]
  const target = () =>
    beside ??
    table.querySelector<HTMLElement>(`tr[aria-rowindex="${row + 2}"] td[aria-colindex="${column + 2}"] .mark`)
  const there = target()
  if (there) {
    there.focus()
    return
  }
  show(row, column)
  requestAnimationFrame(() => requestAnimationFrame(() => target()?.focus()))
}

interface RowProps {
  readonly row: MatrixRow | undefined
  readonly index: number
  readonly agents: readonly string[]
  /** The columns that exist: plain numbers, so that a row is drawn again only when they change. */
  readonly from: number
  readonly to: number
  readonly left: number
  readonly right: number
  readonly open: string | undefined
  readonly onOpen: (id: string) => void
}

const Row = memo(({ row, index, agents, from, to, left, right, open, onOpen }: RowProps) => {
  if (!row) return null
  return (
    <tr aria-rowindex={index + 2}>
      <th scope="row" title={row.title}>
        {row.title}
      </th>
      <Gap width={left} />
      {row.cells.slice(from, to).map((cell, place) => (
        <td key={agents[from + place]} className="marks" aria-colindex={from + place + 2}>
          <CellMarks
            cell={cell}
            label={`${agents[from + place]}, ${row.title}`}
            open={open}
            onOpen={onOpen}
          />
        </td>
      ))}
      <Gap width={right} />
      <td className="matrix-why" title={row.why?.reason}>
        {row.why ? (
          <>
            {row.why.scorer ? <strong>{row.why.scorer}</strong> : null}{' '}
            <span className="quiet">{row.why.reason}</span>
          </>
        ) : null}
      </td>
    </tr>
  )
})

interface CellMarksProps {
  readonly cell: Cell
  readonly label: string
  readonly open: string | undefined
  readonly onOpen: (id: string) => void
}

const CellMarks = ({ cell, label, open, onOpen }: CellMarksProps) => (
  <>
    {cell.trials.map((trial) => (
      <Mark key={trial.id} trial={trial} label={label} open={open === trial.id} onOpen={onOpen} />
    ))}
    {cell.score === null ? null : <span className="mark-score">{score(cell.score)}</span>}
    {cell.flaky ? <span className="status-warning mark-flaky">flaky</span> : null}
  </>
)

interface MarkProps {
  readonly trial: MatrixTrial
  readonly label: string
  readonly open: boolean
  readonly onOpen: (id: string) => void
}

const Mark = ({ trial, label, open, onOpen }: MarkProps) => {
  const [word, meaning, icon] = lookOf(trial)
  const why = trial.failed_scorer ? `, ${trial.failed_scorer}` : ''
  return (
    <button
      type="button"
      className={`mark mark-${meaning}${open ? ' is-open' : ''}`}
      data-trial={trial.id}
      aria-label={`${label}, repeat ${trial.repetition}: ${word}${why}`}
      onClick={() => onOpen(trial.id)}
    >
      <MarkDrawing name={icon} />
    </button>
  )
}
