import { useVirtualizer } from '@tanstack/react-virtual'
import {
  Fragment,
  memo,
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
} from 'react'
import type { Listing } from '../../ask.ts'
import { useNarrow, useScale } from '../../scale.ts'
import { Failure, Skeleton } from '../states.tsx'
import { useListKeys } from './list-keys.ts'

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
  /** Rows can be chosen, by a box at their beginning. */
  readonly choice?: {
    readonly label: (item: T) => string
    readonly chosen: readonly string[]
    readonly onToggle: (item: T) => void
  }
  readonly className?: string
}

const rowHeight = 32
/** On a narrow screen a row has two lines. */
const narrowHeight = 52
/** Rows come and go by the handful: in between, nothing but the scrolling itself is left to do. */
const handful = 6

/** A list of any length: only the rows near by exist, and more is fetched before the end is reached. */
export const Rows = <T,>(props: RowsProps<T>) => {
  const { listing, keyOf, className = '' } = props
  const { items } = listing
  const scroller = useRef<HTMLDivElement>(null)
  const scale = useScale()
  const height = Math.round((useNarrow() ? narrowHeight : rowHeight) * scale)
  const virtual = useVirtualizer({
    count: Math.ceil(items.length / handful),
    getScrollElement: () => scroller.current,
    estimateSize: (index) => Math.min(handful, items.length - index * handful) * height,
    overscan: 1,
    // Rows are made when the browser has time before the next frame, not in the midst of its scrolling.
    useFlushSync: false,
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was measured for other rows is measured again.
  useEffect(() => virtual.measure(), [height, items.length, virtual])
  useSteady(scroller, items, keyOf, height)
  const render = useCallback((index: number) => renderHandful(props, index), [props])
  const shown = virtual.getVirtualItems()
  const last = ((shown.at(-1)?.index ?? 0) + 1) * handful
  const { more } = listing
  useEffect(() => {
    if (items.length > 0 && last >= items.length - 20) more()
  }, [last, items.length, more])
  useListKeys({
    items,
    keyOf,
    open: props.open,
    // Without an inspector a row opens its page, and the keys only move the focus (`moveFocus`).
    onOpen: 'open' in props ? props.onOpen : undefined,
    onEnter: props.onEnter,
    show: (index) => bringIntoSight(scroller.current, index * height, height),
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
      {props.heading ? (
        <div className={props.choice ? 'rows-heading has-choice' : 'rows-heading'}>{props.heading}</div>
      ) : null}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard. */}
      <section ref={scroller} className="rows-scroller" tabIndex={0} aria-label={props.label}>
        <div className="rows-all" style={{ height: virtual.getTotalSize() }}>
          {shown.map(({ index, start, size }) => (
            <Handful key={index} index={index} top={start} height={size} render={render} />
          ))}
        </div>
      </section>
    </div>
  )
}

/** What is being read stays where it is when rows come in above it. */
const useSteady = <T,>(
  scroller: RefObject<HTMLElement | null>,
  items: readonly T[],
  keyOf: (item: T) => string,
  height: number,
): void => {
  const before = useRef<string>(undefined)
  const [first] = items
  const key = first === undefined ? undefined : keyOf(first)
  useLayoutEffect(() => {
    const former = before.current
    before.current = key
    const list = scroller.current
    if (!list || former === undefined || former === key || list.scrollTop === 0) return
    const added = items.findIndex((item) => keyOf(item) === former)
    if (added > 0) list.scrollTop += added * height
  }, [key, items, keyOf, height, scroller])
}

const bringIntoSight = (list: HTMLElement | null, top: number, height: number): void => {
  if (!list) return
  if (top < list.scrollTop) list.scrollTop = top
  else if (top + height > list.scrollTop + list.clientHeight)
    list.scrollTop = top + height - list.clientHeight
}

interface HandfulProps {
  readonly index: number
  readonly top: number
  readonly height: number
  readonly render: (index: number) => ReactNode
}

/** While a list scrolls nothing of these rows changes, so that only those that come near are made. */
const Handful = memo(({ index, top, height, render }: HandfulProps) => (
  <div className="rows-place" style={{ top, height }}>
    {render(index)}
  </div>
))

const renderHandful = <T,>(props: RowsProps<T>, index: number): ReactNode =>
  props.listing.items
    .slice(index * handful, (index + 1) * handful)
    .map((item) => <Fragment key={props.keyOf(item)}>{renderRow(props, item)}</Fragment>)

const renderRow = <T,>(props: RowsProps<T>, item: T): ReactNode => {
  const { row, keyOf, choice } = props
  if (!props.onOpen) return <div className="row">{row(item)}</div>
  if (!choice) return <RowButton {...props} item={item} />
  const isChosen = choice.chosen.includes(keyOf(item))
  return (
    <div className={isChosen ? 'row-choice is-chosen' : 'row-choice'}>
      <input
        type="checkbox"
        aria-label={choice.label(item)}
        checked={isChosen}
        onChange={() => choice.onToggle(item)}
      />
      <RowButton {...props} item={item} />
    </div>
  )
}

const RowButton = <T,>(props: RowsProps<T> & { readonly item: T }) => {
  const { row, open, keyOf, onOpen, onEnter, item } = props
  const inspects = 'open' in props
  const isOpen = open !== undefined && open === keyOf(item)
  return (
    <button
      type="button"
      className={isOpen ? 'row is-open' : 'row'}
      {...(inspects ? { 'aria-pressed': isOpen } : { 'data-list-row': '' })}
      onClick={() => onOpen?.(item)}
      onDoubleClick={onEnter && (() => onEnter(item))}
    >
      {row(item)}
    </button>
  )
}
