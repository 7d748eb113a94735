import type { ErrorComponentProps } from '@tanstack/react-router'
import { Failure } from '../parts/states.tsx'
import { PageUnreachable } from './unreachable.ts'

/** A page that failed: its error, and another try. The frame stays. */
export const Broken = ({ error, reset }: ErrorComponentProps) => (
  <div className="page-body">
    <Failure
      error={error instanceof Error ? error : new Error(String(error))}
      // Code that could not be fetched is fetched again with the page alone.
      retry={error instanceof PageUnreachable ? () => location.reload() : reset}
    />
  </div>
)
