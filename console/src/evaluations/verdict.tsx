import type { Score, Trial } from '@diorama/contract'
import { Table, type TableColumn } from '../parts/lists/table.tsx'
import { Failure } from '../parts/states.tsx'
import { Verdict } from '../parts/status.tsx'
import { plural, score as scoreText } from '../words.ts'

const rank = ({ passed }: Score) => (passed === false ? 0 : passed === null ? 2 : 1)

const columns: readonly TableColumn<Score>[] = [
  { name: 'Scorer', cell: ({ name }) => name },
  { name: 'Verdict', cell: ({ passed }) => <Verdict passed={passed} /> },
  { name: 'Score', look: 'number', cell: ({ score }) => scoreText(score) },
  { name: 'Threshold', look: 'number', cell: ({ threshold }) => scoreText(threshold) },
  { name: 'Weight', cell: ({ weight }) => weight },
  { name: 'Reason', look: 'prose', cell: ({ error, reason }) => error ?? reason ?? null },
]

const causeWords = {
  agent: 'The agent failed',
  budget: 'The budget is spent',
  scorer: 'A scorer failed',
  model_provider: 'A model provider failed',
  platform: 'The platform failed',
} as const

/** Each scorer with its score, threshold and reason; what failed comes first. */
export const VerdictTable = ({
  trial,
}: {
  trial: Pick<Trial, 'scores' | 'error' | 'cause' | 'unasked_changes'>
}) => (
  <>
    {trial.unasked_changes && trial.unasked_changes.total > 0 ? (
      <p className="status-warning">
        {plural(trial.unasked_changes.total, 'unexpected change')}:{' '}
        {trial.unasked_changes.items
          .slice(0, 5)
          .map(
            ({ operation, service, collection, key, id }) =>
              `${operation} of ${service} ${collection} ${key ?? id}`,
          )
          .join('; ')}
      </p>
    ) : null}
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
