import type { EvaluationMode } from '@diorama/contract'
import { Link, useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { useAsk, useChange } from '../ask.ts'
import { PageHead } from '../frame/page-head.tsx'
import { Field, focusFirst } from '../parts/field.tsx'
import { Failure } from '../parts/states.tsx'
import { useAddress } from '../search.ts'
import { plural } from '../words.ts'
import { AgentChoice } from './agent-choice.tsx'

const modes: Readonly<Record<EvaluationMode, string>> = {
  suite: 'Evaluate each agent separately.',
  compare: 'Compare every agent with the first one.',
  regression: 'Compare with the last finished evaluation of the same suite and agent.',
  replay: 'Replay tasks created from recorded traces.',
}
const modeNames: readonly EvaluationMode[] = ['suite', 'compare', 'regression', 'replay']
const isMode = (value: string): value is EvaluationMode => modeNames.some((mode) => mode === value)

/** Starts an evaluation: a suite, agents, a mode, how often and how many at once. */
export const NewRunPage = () => {
  const { search } = useAddress()
  const go = useNavigate()
  const suites = useAsk('listSuites', { query: { limit: 100 } })
  const start = useChange('startJob')
  const [suite, setSuite] = useState(search.suite ?? '')
  const [agents, setAgents] = useState<readonly string[]>(search.agent ? [search.agent] : [])
  const [mode, setMode] = useState<EvaluationMode>('suite')
  const [repeats, setRepeats] = useState('1')
  const [concurrency, setConcurrency] = useState('4')
  const [name, setName] = useState('')
  const suiteId = suite || (suites.data?.items[0]?.id ?? '')
  const tasks = suites.data?.items.find(({ id }) => id === suiteId)?.task_count ?? 0
  const trials = tasks * agents.length * Number(repeats)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const body = {
      task_suite_id: suiteId,
      agents: [...agents],
      mode,
      trials_per_task: Number(repeats),
      concurrency: Number(concurrency),
      name: name.trim() || null,
    }
    start.mutate(
      { body },
      { onSuccess: ({ id }) => go({ to: '/evaluations/$jobId', params: { jobId: id } }) },
    )
  }
  return (
    <>
      <PageHead title="Start an evaluation" crumbs={<Link to="/evaluations">Evaluations</Link>} />
      <form className="page-body form" onSubmit={submit}>
        <Field label="Suite">
          {(id) => (
            <select
              id={id}
              ref={focusFirst}
              value={suiteId}
              onChange={(event) => setSuite(event.target.value)}
            >
              {suites.data?.items.map(({ id: value, name, task_count }) => (
                <option key={value} value={value}>
                  {name} ({plural(task_count, 'task')})
                </option>
              ))}
            </select>
          )}
        </Field>
        <AgentChoice chosen={agents} setChosen={setAgents} mode={mode} />
        <Field label="Mode" hint={modes[mode]}>
          {(id) => (
            <select
              id={id}
              value={mode}
              onChange={(event) => setMode(isMode(event.target.value) ? event.target.value : 'suite')}
            >
              {modeNames.map((name) => (
                <option key={name} value={name}>
                  {name.charAt(0).toUpperCase() + name.slice(1)}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field label="Name" hint="Defaults to the name of the suite.">
          {(id) => (
            <input id={id} maxLength={200} value={name} onChange={(event) => setName(event.target.value)} />
          )}
        </Field>
        <div className="form-pair">
          <Field label="Trials per task">
            {(id) => (
              <input
                id={id}
                type="number"
                min={1}
                max={20}
                value={repeats}
                onChange={(event) => setRepeats(event.target.value)}
              />
            )}
          </Field>
          <Field label="Concurrent trials">
            {(id) => (
              <input
                id={id}
                type="number"
                min={1}
                max={32}
                value={concurrency}
                onChange={(event) => setConcurrency(event.target.value)}
              />
            )}
          </Field>
        </div>
        {start.error ? <Failure error={start.error} /> : null}
        <div className="form-foot">
          <button type="submit" className="button is-primary" disabled={trials === 0 || start.isPending}>
            {start.isPending ? 'Starting…' : 'Start'}
          </button>
          <span className="quiet" aria-live="polite">
            {trials > 0
              ? `${plural(trials, 'trial')}, each in a fresh copy of the world`
              : 'Choose a suite with tasks and at least one agent.'}
          </span>
        </div>
      </form>
    </>
  )
}
