import type { TrialStep } from '@diorama/contract'
import { useEffect, useRef } from 'react'
import { ServiceGlyph } from '../parts/icon.tsx'
import { useListKeys } from '../parts/list-keys.ts'
import { Status } from '../parts/status.tsx'
import { TableScroll } from '../parts/table-scroll.tsx'
import { clockTime, duration } from '../words.ts'
import { hasFailed, stepChanges, stepWord } from './steps.ts'

interface StepListProps {
  readonly steps: readonly TrialStep[]
  readonly open: string | undefined
  readonly onOpen: (index: number) => void
  /** A step that somebody chose is brought into sight; one that the page chose by itself is not. */
  readonly chosen: boolean
}

/** Every step in its order; a request opens in full beside it. */
export const StepList = ({ steps, open, onOpen, chosen }: StepListProps) => {
  const place = useRef<HTMLTableRowElement>(null)
  useEffect(() => {
    if (chosen && open !== undefined) place.current?.scrollIntoView({ block: 'nearest' })
  }, [open, chosen])
  const indexes = steps.map((_, index) => index)
  useListKeys({ items: indexes, keyOf: String, open, onOpen, onEnter: undefined, show: () => {} })
  return (
    <TableScroll>
      <table className="table steps">
        <thead>
          <tr>
            <th scope="col">Time</th>
            <th scope="col">Kind</th>
            <th scope="col">Step</th>
            <th scope="col">Status</th>
            <th scope="col" className="number">
              Took
            </th>
            <th scope="col">Changed</th>
          </tr>
        </thead>
        <tbody>
          {steps.map((step, index) => (
            <tr
              key={stepWord(step, 'request_id') || `${step.started_at}${step.kind}${step.name}`}
              ref={open === String(index) ? place : null}
              className={open === String(index) ? 'is-open' : ''}
            >
              <td className="mono quiet">{clockTime(step.started_at)}</td>
              <td>
                {stepWord(step, 'service') ? (
                  <ServiceGlyph service={stepWord(step, 'service')} named />
                ) : (
                  step.kind.replace('_', ' ')
                )}
              </td>
              <td>
                <button type="button" className="plain" onClick={() => onOpen(index)}>
                  {step.name}
                </button>
              </td>
              <td>
                <Status
                  value={hasFailed(step) ? 'failed' : step.status}
                  label={stepWord(step, 'status') || step.status}
                />
              </td>
              <td className="number quiet">{duration(step.duration_ms)}</td>
              <td className="quiet">{stepChanges(step).join(', ')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableScroll>
  )
}
