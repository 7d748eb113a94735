import type { Trial, TrialDetail } from '@diorama/contract'
import { useState } from 'react'
import { useAsk, useChange } from '../../ask.ts'
import { Field } from '../../parts/field.tsx'
import { Failure } from '../../parts/states.tsx'
import { Status } from '../../parts/status.tsx'
import { duration, score as scoreText } from '../../words.ts'
import { type Draft, gradingOf, readsWorld } from './scorer-draft.ts'

/** Runs the scorer as it stands on a sample, or on what a stored trial answered. */
export const ScorerBench = ({ draft }: { draft: Draft }) => {
  const test = useChange('testScorer')
  const [input, setInput] = useState('Find the open case about drifting readings.')
  const [output, setOutput] = useState('The case is 00001001.')
  const [expected, setExpected] = useState('00001001')
  const [place, setPlace] = useState<Place>({ kind: 'none' })
  const fill = (trial: TrialDetail) => {
    setInput(trial.instruction)
    setOutput(trial.output ?? '')
    setExpected(trial.expected_outcome)
    setPlace({ kind: 'trial', id: trial.id, name: `${trial.agent}: ${trial.task_title}` })
  }
  const run = () =>
    test.mutate({
      body: {
        ...gradingOf(draft),
        input,
        output,
        expected,
        ...(place.kind === 'trial' ? { trial_id: place.id } : {}),
        ...(place.kind === 'world' ? { world_id: place.id } : {}),
      },
    })
  return (
    <aside className="bench-side" aria-label="Try it">
      <h2>Try it</h2>
      <StoredTrial fill={fill} />
      <Field label="Input">
        {(id) => (
          <textarea id={id} rows={3} value={input} onChange={(event) => setInput(event.target.value)} />
        )}
      </Field>
      <Field label="Output">
        {(id) => (
          <textarea id={id} rows={3} value={output} onChange={(event) => setOutput(event.target.value)} />
        )}
      </Field>
      <Field label="Expected">
        {(id) => (
          <textarea id={id} rows={2} value={expected} onChange={(event) => setExpected(event.target.value)} />
        )}
      </Field>
      <SeenWorld place={place} setPlace={setPlace} />
      {readsWorld(draft) && place.kind === 'none' ? (
        <p className="status-warning">This scorer reads the world. Choose one.</p>
      ) : null}
      <button type="button" className="button is-primary" disabled={test.isPending} onClick={run}>
        {test.isPending ? 'Running…' : 'Run the scorer'}
      </button>
      <div aria-live="polite" className="bench-result">
        {test.error ? <Failure error={test.error} /> : null}
        {test.data ? <Outcome result={test.data} draft={draft} /> : null}
      </div>
    </aside>
  )
}

/** Which world the scorer sees. */
type Place =
  | { readonly kind: 'none' }
  | { readonly kind: 'trial'; readonly id: string; readonly name: string }
  | { readonly kind: 'world'; readonly id: string }

const SeenWorld = ({ place, setPlace }: { place: Place; setPlace: (place: Place) => void }) => {
  const worlds = useAsk('listWorlds', { query: { limit: 50 } }).data?.items ?? []
  const choose = (chosen: string) => {
    if (chosen === '') setPlace({ kind: 'none' })
    else if (place.kind !== 'trial' || chosen !== place.id) setPlace({ kind: 'world', id: chosen })
  }
  return (
    <Field label="World">
      {(id) => (
        <select
          id={id}
          value={place.kind === 'none' ? '' : place.id}
          onChange={(event) => choose(event.target.value)}
        >
          <option value="">None</option>
          {place.kind === 'trial' ? <option value={place.id}>As it was left by {place.name}</option> : null}
          {worlds.map(({ id: worldId, name }) => (
            <option key={worldId} value={worldId}>
              {name}, as it is now
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

interface OutcomeProps {
  readonly result: {
    score: number | null
    error: string | null
    reason: string | null
    printed: string
    duration_ms: number
  }
  readonly draft: Draft
}

const Outcome = ({ result, draft }: OutcomeProps) => {
  if (result.error) return <Failure error={new Error(result.error)} />
  const { score } = result
  const chosen = draft.kind === 'code' ? [] : draft.choices.filter((one) => Number(one.score) === score)
  return (
    <>
      <p className="bench-score">
        {scoreText(score)}{' '}
        {score === null ? (
          <Status value="skipped" label="abstained" />
        ) : draft.threshold === '' ? (
          <Status value="unscored" label="no threshold" />
        ) : (
          <Status value={score >= Number(draft.threshold) ? 'passed' : 'failed'} />
        )}
      </p>
      {chosen.length > 0 ? (
        <p className="chips">
          <span className="hint">Choice</span>
          {chosen.map(({ key, label }) => (
            <span key={key} className="tag">
              {label}
            </span>
          ))}
        </p>
      ) : null}
      {result.reason ? <p>{result.reason}</p> : null}
      {result.printed ? <pre className="block">{result.printed}</pre> : null}
      <p className="hint">{duration(result.duration_ms)}</p>
    </>
  )
}

/** Takes the sample from a trial that was run. */
const StoredTrial = ({ fill }: { fill: (trial: TrialDetail) => void }) => {
  const [jobId, setJobId] = useState('')
  const [chosen, setChosen] = useState('')
  const jobs = useAsk('listJobs', { query: { limit: 20 } }).data?.items ?? []
  const trials: readonly Trial[] =
    useAsk('listTrials', { params: { jobId }, query: { limit: 200 } }, { when: jobId !== '' }).data?.items ??
    []
  const trial = useAsk('readTrial', { params: { jobId, trialId: chosen } }, { when: chosen !== '' })
  if (jobs.length === 0) return null
  return (
    <details className="change">
      <summary>Load a sample from a trial</summary>
      <div className="form">
        <select aria-label="Run" value={jobId} onChange={(event) => setJobId(event.target.value)}>
          <option value="">Choose an evaluation</option>
          {jobs.map(({ id, name, agents }) => (
            <option key={id} value={id}>
              {name}: {agents.join(', ')}
            </option>
          ))}
        </select>
        <select
          aria-label="Trial"
          value={chosen}
          onChange={(event) => setChosen(event.target.value)}
          disabled={jobId === ''}
        >
          <option value="">Choose a trial</option>
          {trials.map(({ id, agent, task_title, repetition }) => (
            <option key={id} value={id}>
              {agent}: {task_title} ({repetition})
            </option>
          ))}
        </select>
        <button
          type="button"
          className="button"
          disabled={!trial.data}
          onClick={() => trial.data && fill(trial.data)}
        >
          Load
        </button>
      </div>
    </details>
  )
}
