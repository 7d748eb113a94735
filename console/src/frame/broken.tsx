import type { ErrorComponentProps } from '@tanstack/react-router'
import { Failure } from '../parts/states.tsx'

/** A page that failed: what it said, and another try. The frame stays. */
export const Broken = ({ error, reset }: ErrorComponentProps) => (
  <div className="page-body">
    <Failure error={error instanceof Error ? error : new Error(String(error))} retry={reset} />
  </div>
)
