import { lazy, Suspense } from 'react'
import { Skeleton } from '../states.tsx'
import type { EditorProps } from './editor.tsx'

const Loaded = lazy(() => import('./editor.tsx').then(({ Editor }) => ({ default: Editor })))

/** The editor is large, so it is fetched when a page first shows one. */
export const LazyEditor = (props: EditorProps) => (
  <Suspense fallback={<Skeleton rows={12} />}>
    <Loaded {...props} />
  </Suspense>
)
