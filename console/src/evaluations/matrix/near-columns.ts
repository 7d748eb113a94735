import { useVirtualizer } from '@tanstack/react-virtual'
import type { RefObject } from 'react'
import { useScale } from '../../scale.ts'

/** Up to so many agents every column exists, as wide as it needs to be. */
const fewAgents = 8
const titleWidth = 240
const reasonWidth = 480
const markWidth = 28
const restOfCell = 68

/** The columns that exist, and the space of those to their left and right. */
export interface NearColumns {
  readonly from: number
  readonly to: number
  readonly left: number
  readonly right: number
  /** Of one agent; undefined where columns take the width they need. */
  readonly width: number | undefined
  /** Of all columns, also those that do not exist. */
  readonly tableWidth: number | undefined
  readonly show: (column: number) => void
}

interface Columns {
  readonly scroller: RefObject<HTMLElement | null>
  readonly agents: number
  /** The columns that exist to the left and right of those in sight. */
  readonly overscan: number
  /** The trials in the fullest cell. */
  readonly repeats: number
}

/** Of many agents only the columns near those in sight exist. */
export const useNearColumns = ({ scroller, agents, overscan, repeats }: Columns): NearColumns => {
  const scale = useScale()
  const isWide = agents > fewAgents
  const width = Math.round((restOfCell + markWidth * Math.max(repeats, 1)) * scale)
  const virtual = useVirtualizer({
    horizontal: true,
    enabled: isWide,
    count: agents,
    getScrollElement: () => scroller.current,
    estimateSize: () => width,
    paddingStart: Math.round(titleWidth * scale),
    scrollPaddingStart: Math.round(titleWidth * scale),
    overscan,
  })
  const show = (column: number) => {
    if (isWide) virtual.scrollToIndex(column)
  }
  if (!isWide)
    return { from: 0, to: agents, left: 0, right: 0, width: undefined, tableWidth: undefined, show }
  const shown = virtual.getVirtualItems()
  const [first, last] = [shown[0]?.index ?? 0, shown.at(-1)?.index ?? -1]
  const [left, right] = [first * width, (agents - last - 1) * width]
  const tableWidth = agents * width + Math.round((titleWidth + reasonWidth) * scale)
  return { from: first, to: last + 1, left, right, width, tableWidth, show }
}
