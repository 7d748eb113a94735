import type { MouseEvent, ReactNode, Ref } from 'react'
import { TableScroll } from './table-scroll.tsx'

export interface TableColumn<T> {
  readonly name: string
  readonly cell: (row: T, index: number) => ReactNode
  /** `number`, `mono` and `quiet`, as they fit. */
  readonly look?: string
  /** The heading is for screen readers alone: the cell explains itself. */
  readonly unnamed?: true
}

interface TableProps<T> {
  readonly label: string
  readonly columns: readonly TableColumn<T>[]
  readonly rows: readonly T[]
  readonly keyOf: (row: T, index: number) => string
  readonly className?: string
  readonly rowClass?: (row: T, index: number) => string
  /** A click anywhere in a row follows the link in its first cell; `j` and `k` move between rows. */
  readonly opens?: true
  readonly rowRef?: (row: T, index: number) => Ref<HTMLTableRowElement>
}

/** Rows and columns; the first column names the row. On a narrow screen each row is a card of labels and values. */
export const Table = <T,>({
  label,
  columns,
  rows,
  keyOf,
  className = '',
  rowClass,
  rowRef,
  opens,
}: TableProps<T>) => (
  <TableScroll label={label}>
    <table className={`table ${className}`}>
      <thead>
        <tr>
          {columns.map(({ name, look = '', unnamed }) => (
            <th key={name} scope="col" className={look}>
              {unnamed ? <span className="unseen">{name}</span> : name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <tr
            key={keyOf(row, index)}
            className={`${rowClass?.(row, index) ?? ''} ${opens ? 'opens' : ''}`}
            ref={rowRef?.(row, index)}
            {...(opens ? { onClick: followFirstLink, 'data-list-row': '' } : {})}
          >
            {columns.map((column, at) => (
              <Cell key={column.name} column={column} isFirst={at === 0}>
                {column.cell(row, index)}
              </Cell>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </TableScroll>
)

/** Text that is being selected, and anything with its own purpose, is not a click on the row. */
const followFirstLink = (event: MouseEvent<HTMLElement>): void => {
  const { target, currentTarget } = event
  if (!(target instanceof Element) || target.closest('a, button, input, label, select, summary')) return
  if (getSelection()?.isCollapsed === false) return
  currentTarget.querySelector<HTMLElement>('a, button')?.click()
}

interface CellProps {
  readonly column: { readonly name: string; readonly look?: string; readonly unnamed?: true }
  readonly isFirst: boolean
  readonly children: ReactNode
}

const Cell = ({ column: { name, look = '', unnamed }, isFirst, children }: CellProps) =>
  isFirst ? (
    <th scope="row" className={look}>
      {children}
    </th>
  ) : (
    <td className={look} data-label={unnamed ? undefined : name}>
      {children}
    </td>
  )
