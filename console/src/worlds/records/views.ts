import type { ComponentType } from 'react'
import type { ViewProps } from '../../../view-kit.ts'
import { RecordBrowser } from './record-browser.tsx'

/** The views that ship with the twins, by the folder they are in. */
const shipped = import.meta.glob<ComponentType<ViewProps>>('../../../../twins/*/view/view.tsx', {
  eager: true,
  import: 'View',
})
const byKind = new Map(
  Object.entries(shipped).map(([path, view]) => [/twins\/([^/]+)\//.exec(path)?.[1] ?? '', view] as const),
)

/** A kind whose view lets people act in it. */
export const hasView = (kind: string): boolean => byKind.has(kind)

/** A kind without its own view is shown record by record. */
export const viewOf = (kind: string): ComponentType<ViewProps> => byKind.get(kind) ?? RecordBrowser
