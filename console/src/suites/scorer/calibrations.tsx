import type { Calibration, CalibrationExample, Scorer } from '@diorama/contract'
import { useState } from 'react'
import { useAsk, useChange } from '../../ask.ts'
import { Field } from '../../parts/field.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Answered, Failure } from '../../parts/states.tsx'
import { percent, plural, score } from '../../words.ts'

/** How far a judge agrees with people: the newest report, and a place to make another. */
export const Calibrations = ({ scorer }: { scorer: Scorer }) => {
  const listed = useAsk('listCalibrations', { params: { scorerId: scorer.id }, query: { limit: 10 } })
  return (
    <section className="section calibration" aria-label="Calibration">
      <h2>Calibration</h2>
      <p className="quiet">
        Grade some answers yourself, and see how far the judge agrees. The saved version {scorer.version} is
        asked.
      </p>
      <Answered asked={listed} rows={2}>
        {({ items }) => (
          <>
            {items[0] ? <Report calibration={items[0]} /> : <p className="quiet">Not calibrated yet.</p>}
            <Earlier items={items.slice(1)} />
          </>
        )}
      </Answered>
      <Calibrate scorer={scorer} />
    </section>
  )
}

const range = (interval: Calibration['kappa_interval'], show: (value: number) => string): string =>
  interval === null ? '' : ` (${show(interval.low)} to ${show(interval.high)})`

const Report = ({ calibration }: { calibration: Calibration }) => {
  const { labels, confusion, disagreements } = calibration
  return (
    <>
      <dl className="pairs">
        <dt>Agreement</dt>
        <dd data-testid="agreement">
          {percent(calibration.agreement)}
          <span className="quiet">{range(calibration.agreement_interval, percent)}</span>
        </dd>
        <dt>Cohen's kappa</dt>
        <dd data-testid="kappa">
          {score(calibration.kappa)}
          <span className="quiet">{range(calibration.kappa_interval, score)}</span>
        </dd>
        <dt>Examples</dt>
        <dd>
          {calibration.answered} of {calibration.examples} decided
        </dd>
        <dt>Judge</dt>
        <dd>
          version {calibration.scorer_version}, {calibration.model ?? 'no model'},{' '}
          <Moment at={calibration.created_at} form="ago" />
        </dd>
      </dl>
      <table className="table confusion" aria-label="Confusion matrix">
        <thead>
          <tr>
            <th scope="col">People say ↓, the judge says →</th>
            {labels.map((label) => (
              <th key={label} scope="col" className="number">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {confusion.map((row, n) => (
            <tr key={labels[n]}>
              <th scope="row">{labels[n]}</th>
              {row.map((cell, column) => (
                <td key={labels[column]} className={n === column ? 'number' : 'number is-apart'}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {disagreements.length === 0 ? null : (
        <details className="change">
          <summary>{plural(disagreements.length, 'disagreement')}</summary>
          <ul className="plain-list">
            {disagreements.map((one) => (
              <li key={one.example} className="wrap">
                Example {one.example + 1}: people say {one.label}, the judge {one.judged ?? 'nothing'}.{' '}
                <span className="quiet">{one.error ?? one.reason}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}

const Earlier = ({ items }: { items: readonly Calibration[] }) =>
  items.length === 0 ? null : (
    <details className="change">
      <summary>{plural(items.length, 'earlier calibration')}</summary>
      <ul className="plain-list">
        {items.map((one) => (
          <li key={one.id}>
            <Moment at={one.created_at} form="ago" />: version {one.scorer_version}, agreement{' '}
            {percent(one.agreement)}, kappa {score(one.kappa)}
          </li>
        ))}
      </ul>
    </details>
  )

/** Lines of JSON as examples; the service checks their fields, and names the one that is wrong. */
const examplesIn = (text: string): CalibrationExample[] =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line))

const Calibrate = ({ scorer }: { scorer: Scorer }) => {
  const calibrate = useChange('calibrateScorer')
  const [lines, setLines] = useState('')
  const [fault, setFault] = useState<Error>()
  const label = scorer.choiceScores[0]?.label ?? 'pass'
  const run = () => {
    try {
      setFault(undefined)
      const examples = examplesIn(lines)
      calibrate.mutate({ params: { scorerId: scorer.id }, body: { examples } })
    } catch {
      setFault(new Error('Each line must be one object of JSON.'))
    }
  }
  const error = fault ?? calibrate.error
  return (
    <div className="form">
      <Field
        label="Graded answers"
        hint={`One object of JSON on each line, such as {"output": "…", "expected": "…", "label": "${label}"}. A trial_id instead of the output takes what a trial left.`}
      >
        {(id) => (
          <textarea id={id} rows={5} value={lines} onChange={(event) => setLines(event.target.value)} />
        )}
      </Field>
      {error ? <Failure error={error} /> : null}
      <div>
        <button
          type="button"
          className="button"
          disabled={lines.trim() === '' || calibrate.isPending}
          onClick={run}
        >
          {calibrate.isPending ? 'Asking the judge…' : 'Calibrate'}
        </button>
      </div>
    </div>
  )
}
