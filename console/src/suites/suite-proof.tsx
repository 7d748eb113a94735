import { useChange } from '../ask.ts'
import { Failure } from '../parts/states.tsx'
import { Status } from '../parts/status.tsx'

/** A suite is worth something when doing nothing fails it and its scorers agree with themselves. */
export const SuiteProof = ({ suiteId }: { suiteId: string }) => {
  const check = useChange('checkSuite')
  return (
    <section className="section">
      <div className="section-head">
        <h2>Validation</h2>
        <button
          type="button"
          className="button"
          disabled={check.isPending}
          onClick={() => check.mutate({ params: { suiteId } })}
        >
          {check.isPending ? 'Validating…' : 'Validate'}
        </button>
      </div>
      <p className="quiet">
        Checks that an agent that does nothing fails every task and that scorers give the same score twice.
        Publishes a version.
      </p>
      {check.error ? <Failure error={check.error} /> : null}
      <ul aria-live="polite" className="plain-list">
        {check.data?.tasks.map(({ task_id, title, ok, problems }) => (
          <li key={task_id}>
            <Status value={ok ? 'passed' : 'failed'} label={title} />{' '}
            <span className="quiet">{problems.join(' ')}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
