import type { Score, Trial } from '@diorama/contract'
import { Failure } from '../parts/states.tsx'
import { Verdict } from '../parts/status.tsx'
import { TableScroll } from '../parts/table-scroll.tsx'

const rank = ({ passed }: Score) => (passed === false ? 0 : passed === null ? 2 : 1)

/** Each scorer with its score, threshold and reason; what failed comes first. */
export const VerdictTable = ({ trial }: { trial: Pick<Trial, 'scores' | 'error' | 'cause'> }) => (
  <>
    {trial.error ? (
      <Failure
        error={
          new Error(
            `${trial.cause === 'platform' ? 'The platform failed' : 'The agent failed'}: ${trial.error}`,
          )
        }
      />
    ) : null}
    <TableScroll>
      <table className="table verdict">
        <thead>
          <tr>
            <th scope="col">Scorer</th>
            <th scope="col">Verdict</th>
            <th scope="col" className="number">
              Score
            </th>
            <th scope="col" className="number">
              Needs
            </th>
            <th scope="col">Reason</th>
          </tr>
        </thead>
        <tbody>
          {trial.scores
            .toSorted((a, b) => rank(a) - rank(b))
            .map((score) => (
              <tr key={score.scorer_id + score.name}>
                <th scope="row">{score.name}</th>
                <td>
                  <Verdict passed={score.passed} />
                </td>
                <td className="number">{score.score === null ? '–' : score.score.toFixed(2)}</td>
                <td className="number">{score.threshold === null ? '–' : score.threshold.toFixed(2)}</td>
                <td className="prose">{score.error ?? score.reason ?? ''}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </TableScroll>
    {trial.scores.length === 0 ? <p className="quiet">Not scored yet.</p> : null}
  </>
)
