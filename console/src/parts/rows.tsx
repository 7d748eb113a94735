import { useVirtualizer } from '@tanstack/react-virtual'
import { memo, type ReactNode, useCallback, useEffect, useRef } from 'react'
import type { Listing } from '../ask.ts'
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
  readonly height?: number
  readonly heading?: ReactNode
  readonly className?: string
}

/** A list of any length: only the rows in sight exist, and more is fetched before the end is reached. */
export const Rows = <T,>(props: RowsProps<T>) => {
  const { listing, keyOf, height = 32, className = '' } = props
  const { items } = listing
  const scroller = useRef<HTMLDivElement>(null)
  const narrow = useNarrow()
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => (narrow ? Math.max(height, 52) : height),
    overscan: 8,
    getItemKey: (index) => {
      const item = items[index]
      return item === undefined ? index : keyOf(item)
    },
  })
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
  if (listing.error && items.length === 0) return <Failure error={listing.error} retry={listing.retry} />
  if (listing.loading) return <Skeleton />
  if (items.length === 0) return <>{props.empty}</>
  return (
    <div className={`rows ${className}`}>
      {props.heading ? <div className="rows-heading">{props.heading}</div> : null}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard. */}
      <section ref={scroller} className="rows-scroller" tabIndex={0} aria-label={props.label}>
        <div className="rows-all" style={{ height: virtual.getTotalSize() }}>
          {shown.map(({ index, key, start, size }) => (
            <div
              key={key}
              className="rows-place"
              style={{ transform: `translateY(${start}px)`, height: size }}
            >
              <PlacedRow index={index} render={render} />
            </div>
          ))}
        </div>
      </section>
    </div>
  )
}

interface RowFrameProps {
  readonly shown: ReactNode
  readonly isOpen: boolean
  readonly onOpen: (() => void) | undefined
  readonly onEnter: (() => void) | undefined
}

const RowFrame = ({ shown, isOpen, onOpen, onEnter }: RowFrameProps) => {
  if (!onOpen) return <div className="row">{shown}</div>
  return (
    <button
      type="button"
      className={isOpen ? 'row is-open' : 'row'}
      aria-pressed={isOpen}
      onClick={onOpen}
      onDoubleClick={onEnter}
    >
      {shown}
    </button>
  )
}

/** While a list scrolls `render` stays the same, so that only the rows that come into sight are made. */
const PlacedRow = memo(({ index, render }: { index: number; render: (index: number) => ReactNode }) =>
  render(index),
)

const renderRow = <T,>(
  { listing, row, open, keyOf, onOpen, onEnter }: RowsProps<T>,
  index: number,
): ReactNode => {
  const item = listing.items[index]
  if (item === undefined) return null
  return (
    <RowFrame
      shown={row(item)}
      isOpen={open !== undefined && open === keyOf(item)}
      onOpen={onOpen && (() => onOpen(item))}
      onEnter={onEnter && (() => onEnter(item))}
    />
  )
}

const narrowQuery = '(max-width: 720px)'
const useNarrow = (): boolean => matchMedia(narrowQuery).matches
