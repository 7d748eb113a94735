import type { Score, Trial } from '@diorama/contract'
import { Table, type TableColumn } from '../parts/lists/table.tsx'
import { serviceName } from '../parts/service.tsx'
import { Failure } from '../parts/states.tsx'
import { Verdict } from '../parts/status.tsx'
import { plural, score as scoreText, weightName } from '../words.ts'
import { fieldLabel, isNoise } from '../worlds/records/record-name.ts'
import { useReferences } from '../worlds/records/references.tsx'

const rank = ({ passed }: Score) => (passed === false ? 0 : passed === null ? 2 : 1)

const columns: readonly TableColumn<Score>[] = [
  { name: 'Scorer', cell: ({ name }) => name },
  { name: 'Verdict', cell: ({ passed }) => <Verdict passed={passed} /> },
  { name: 'Score', look: 'number', cell: ({ score }) => scoreText(score) },
  { name: 'Threshold', look: 'number', cell: ({ threshold }) => scoreText(threshold) },
  { name: 'Weight', cell: ({ weight }) => weightName(weight) },
  { name: 'Reason', look: 'prose', cell: ({ error, reason }) => error ?? reason ?? null },
]

const causeWords = {
  agent: 'The agent failed',
  budget: 'The budget is spent',
  scorer: 'A scorer failed',
  model_provider: 'A model provider failed',
  platform: 'The platform failed',
} as const

const verbs = { create: 'created', update: 'updated', delete: 'deleted' } as const
const maxNamed = 5

/** "1 unexpected change: updated CRM case 00001002 (status)" */
const UnexpectedChanges = ({ changes }: { changes: NonNullable<Trial['unasked_changes']> }) => {
  const { byId } = useReferences()
  const told = changes.items.slice(0, maxNamed).map(({ operation, service, collection, key, id, fields }) => {
    const what = `${verbs[operation]} ${serviceName(service)} ${fieldLabel(collection).toLowerCase()}`
    const named = fields.filter((field) => !isNoise(service, collection, field)).map(fieldLabel)
    const where = operation === 'update' && named.length > 0 ? ` (${named.join(', ').toLowerCase()})` : ''
    return `${what} ${byId.get(id)?.name ?? key ?? id}${where}`
  })
  return (
    <p className="status-warning">
      {plural(changes.total, 'unexpected change')}: {told.join('; ')}
      {changes.total > told.length ? ` and ${changes.total - told.length} more` : ''}
    </p>
  )
}

/** "The twin lacked: Chat dialog.open (2×)": a failure with such calls may not be the agent's. */
const Lacked = ({ missing }: { missing: Trial['not_emulated'] }) => (
  <p className="status-warning">
    The twin lacked:{' '}
    {missing
      .slice(0, maxNamed)
      .map(({ service, operation, count }) => `${serviceName(service)} ${operation} (${count}×)`)
      .join('; ')}
    {missing.length > maxNamed ? ` and ${missing.length - maxNamed} more` : ''}
  </p>
)

/** Each scorer with its score, threshold and reason; what failed comes first. */
export const VerdictTable = ({
  trial,
}: {
  trial: Pick<Trial, 'scores' | 'error' | 'cause' | 'unasked_changes' | 'not_emulated'>
}) => (
  <>
    {trial.unasked_changes && trial.unasked_changes.total > 0 ? (
      <UnexpectedChanges changes={trial.unasked_changes} />
    ) : null}
    {trial.not_emulated.length > 0 ? <Lacked missing={trial.not_emulated} /> : null}
    {trial.error ? (
      <Failure
        error={new Error(`${trial.cause ? causeWords[trial.cause] : 'The agent failed'}: ${trial.error}`)}
      />
    ) : null}
    {trial.scores.length === 0 ? (
      <p className="quiet">Not scored yet.</p>
    ) : (
      <Table
        label="Scores"
        className="verdict"
        columns={columns}
        rows={trial.scores.toSorted((a, b) => rank(a) - rank(b))}
        keyOf={({ scorer_id, name }) => scorer_id + name}
      />
    )}
  </>
)
