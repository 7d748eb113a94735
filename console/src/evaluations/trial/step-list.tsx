import type { TrialStep } from '@diorama/contract'
import { useEffect, useRef } from 'react'
import { useListKeys } from '../../parts/lists/list-keys.ts'
import { Table, type TableColumn } from '../../parts/lists/table.tsx'
import { Moment } from '../../parts/moment.tsx'
import { ServiceGlyph } from '../../parts/service.tsx'
import { Status } from '../../parts/status.tsx'
import { duration } from '../../words.ts'
import { hasFailed, stepChanges, stepWord } from './steps.ts'

interface StepListProps {
  readonly steps: readonly TrialStep[]
  readonly open: string | undefined
  readonly onOpen: (index: number) => void
  /** A step that somebody chose is brought into sight; one that the page chose by itself is not. */
  readonly chosen: boolean
}

const columnsOf = (onOpen: (index: number) => void): readonly TableColumn<TrialStep>[] => [
  {
    name: 'Step',
    cell: (step, index) => (
      <button type="button" className="plain" onClick={() => onOpen(index)}>
        {step.name}
      </button>
    ),
  },
  { name: 'Time', look: 'mono quiet', cell: ({ started_at }) => <Moment at={started_at} form="clock" /> },
  {
    name: 'Kind',
    cell: (step) =>
      stepWord(step, 'service') ? (
        <ServiceGlyph service={stepWord(step, 'service')} named />
      ) : (
        step.kind.replace('_', ' ')
      ),
  },
  {
    name: 'Status',
    cell: (step) => (
      <Status
        value={hasFailed(step) ? 'failed' : step.status}
        label={stepWord(step, 'status') || step.status}
      />
    ),
  },
  { name: 'Took', look: 'number quiet', cell: ({ duration_ms }) => duration(duration_ms) },
  { name: 'Changed', look: 'quiet wrap', cell: (step) => stepChanges(step).join(', ') || null },
]

/** Every step in its order; a request opens in full beside it. */
export const StepList = ({ steps, open, onOpen, chosen }: StepListProps) => {
  const place = useRef<HTMLTableRowElement>(null)
  useEffect(() => {
    if (chosen && open !== undefined) place.current?.scrollIntoView({ block: 'nearest' })
  }, [open, chosen])
  const indexes = steps.map((_, index) => index)
  useListKeys({ items: indexes, keyOf: String, open, onOpen, onEnter: undefined, show: () => {} })
  return (
    <Table
      label="Steps"
      className="steps"
      columns={columnsOf(onOpen)}
      rows={steps}
      keyOf={(step, index) => stepWord(step, 'request_id') || `${index}${step.kind}${step.name}`}
      rowClass={(_, index) => (open === String(index) ? 'is-open' : '')}
      rowRef={(_, index) => (open === String(index) ? place : null)}
    />
  )
}
