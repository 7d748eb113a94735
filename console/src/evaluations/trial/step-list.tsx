import type { TrialDetail, TrialStep } from '@diorama/contract'
import { useEffect, useRef } from 'react'
import { useListKeys } from '../../parts/lists/list-keys.ts'
import { Table, type TableColumn } from '../../parts/lists/table.tsx'
import { Moment } from '../../parts/moment.tsx'
import { ServiceGlyph } from '../../parts/service.tsx'
import { Status, Verdict } from '../../parts/status.tsx'
import { duration, score } from '../../words.ts'
import { fieldLabel } from '../../worlds/records/record-name.ts'
import { useReferences } from '../../worlds/records/references.tsx'
import { hasFailed, mutationsOf, stepWord } from './steps.ts'

interface StepListProps {
  readonly trial: TrialDetail
  readonly open: string | undefined
  readonly onOpen: (index: number) => void
  /** A step that somebody chose is brought into sight; one that the page chose on its own is not. */
  readonly chosen: boolean
}

const columnsOf = (
  trial: TrialDetail,
  onOpen: (index: number) => void,
): readonly TableColumn<TrialStep>[] => [
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
    cell: (step) => <StepStatus step={step} trial={trial} />,
  },
  { name: 'Took', look: 'number quiet', cell: ({ duration_ms }) => duration(duration_ms) },
  { name: 'Changed', look: 'quiet wrap', cell: (step) => <Changed step={step} /> },
]

/** A scorer's step shows its verdict, every other step how it ended. */
const StepStatus = ({ step, trial }: { step: TrialStep; trial: TrialDetail }) => {
  const scored = step.kind === 'scoring' ? trial.scores.find(({ name }) => name === step.name) : undefined
  if (scored)
    return (
      <>
        <Verdict passed={scored.passed} /> <span className="hint">{score(scored.score)}</span>
      </>
    )
  return (
    <Status
      value={hasFailed(step) ? 'failed' : step.status}
      label={stepWord(step, 'status') || step.status}
    />
  )
}

/** Changed records as people name them. */
const Changed = ({ step }: { step: TrialStep }) => {
  const { byId } = useReferences()
  const words = { create: 'created', update: 'updated', delete: 'deleted' }
  return mutationsOf(step)
    .map(
      ({ operation, collection, id }) =>
        `${words[operation] ?? operation} ${fieldLabel(collection)} ${byId.get(id)?.name ?? id}`,
    )
    .join(', ')
}

/** Every step in its order; a request opens in full beside it. */
export const StepList = ({ trial, open, onOpen, chosen }: StepListProps) => {
  const { steps } = trial
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
      opens
      columns={columnsOf(trial, onOpen)}
      rows={steps}
      keyOf={(step, index) => stepWord(step, 'request_id') || `${index}${step.kind}${step.name}`}
      rowClass={(_, index) => (open === String(index) ? 'is-open' : '')}
      rowRef={(_, index) => (open === String(index) ? place : null)}
    />
  )
}
