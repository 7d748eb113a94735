import { useVirtualizer } from '@tanstack/react-virtual'
import { memo, type ReactNode, useCallback, useEffect, useRef } from 'react'
import type { Listing } from '../ask.ts'
import { useNarrow, useScale } from '../scale.ts'
import { useListKeys } from './list-keys.ts'
import { Failure, Skeleton } from './states.tsx'

interface RowsProps<T> {
  readonly listing: Listing<T>
  readonly label: string
  readonly keyOf: (item: T) => string
  readonly row: (item: T) => ReactNode
  readonly empty: ReactNode
  readonly open?: string | undefined
  readonly onOpen?: (item: T) => void
  readonly onEnter?: (item: T) => void
  readonly heading?: ReactNode
  readonly className?: string
}

const height = 32
/** On a narrow screen a row has two lines. */
const narrowHeight = 52

/** A list of any length: only the rows in sight exist, and more is fetched before the end is reached. */
export const Rows = <T,>(props: RowsProps<T>) => {
  const { listing, keyOf, className = '' } = props
  const { items } = listing
  const scroller = useRef<HTMLDivElement>(null)
  const scale = useScale()
  const size = Math.round((useNarrow() ? narrowHeight : height) * scale)
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => size,
    overscan: 8,
    // Rows are made when the browser has time before the next frame, not in the midst of its scrolling.
    useFlushSync: false,
    getItemKey: (index) => {
      const item = items[index]
      return item === undefined ? index : keyOf(item)
    },
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows that were measured for another size are measured again.
  useEffect(() => virtual.measure(), [size, virtual])
  const render = useCallback((index: number) => renderRow(props, index), [props])
  const shown = virtual.getVirtualItems()
  const last = shown.at(-1)?.index ?? 0
  const { more } = listing
  useEffect(() => {
    if (items.length > 0 && last >= items.length - 20) more()
  }, [last, items.length, more])
  useListKeys({
    items,
    keyOf,
    open: props.open,
    onOpen: props.onOpen,
    onEnter: props.onEnter,
    show: (index) => virtual.scrollToIndex(index),
  })
  if (listing.error && items.length === 0)
    return (
      <div className="page-body">
        <Failure error={listing.error} retry={listing.retry} />
      </div>
    )
  if (listing.loading) return <Skeleton />
  if (items.length === 0) return <>{props.empty}</>
  return (
    <div className={`rows ${className}`}>
      {props.heading ? <div className="rows-heading">{props.heading}</div> : null}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard. */}
      <section ref={scroller} className="rows-scroller" tabIndex={0} aria-label={props.label}>
        <div className="rows-all" style={{ height: virtual.getTotalSize() }}>
          {shown.map(({ index, key, start }) => (
            <Place key={key} index={index} top={start} height={size} render={render} />
          ))}
        </div>
      </section>
    </div>
  )
}

interface PlaceProps {
  readonly index: number
  readonly top: number
  readonly height: number
  readonly render: (index: number) => ReactNode
}

/** While a list scrolls nothing of a row changes, so that only the rows that come into sight are made. */
const Place = memo(({ index, top, height, render }: PlaceProps) => (
  <div className="rows-place" style={{ top, height }}>
    {render(index)}
  </div>
))

const renderRow = <T,>(
  { listing, row, open, keyOf, onOpen, onEnter }: RowsProps<T>,
  index: number,
): ReactNode => {
  const item = listing.items[index]
  if (item === undefined) return null
  if (!onOpen) return <div className="row">{row(item)}</div>
  const isOpen = open !== undefined && open === keyOf(item)
  return (
    <button
      type="button"
      className={isOpen ? 'row is-open' : 'row'}
      aria-pressed={isOpen}
      onClick={() => onOpen(item)}
      onDoubleClick={onEnter && (() => onEnter(item))}
    >
      {row(item)}
    </button>
  )
}
