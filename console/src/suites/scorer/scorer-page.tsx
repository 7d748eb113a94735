import type { Scorer } from '@diorama/contract'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useAsk, useChange } from '../../ask.ts'
import { PageHead } from '../../frame/page-head.tsx'
import { LazyEditor } from '../../parts/editor/lazy-editor.tsx'
import { Field, focusFirst } from '../../parts/field.tsx'
import { AnsweredPage, Failure } from '../../parts/states.tsx'
import { Calibrations } from './calibrations.tsx'
import { JudgeFields } from './judge-fields.tsx'
import { ScorerBench } from './scorer-bench.tsx'
import { type Draft, draftOf, emptyDraft, gradingOf, starters } from './scorer-draft.ts'

/** A scorer and its test bench: change the code on the left, see the score on the right. */
export const ScorerPage = () => {
  const { scorerId } = useParams({ from: '/scorers/$scorerId' })
  const scorer = useAsk('readScorer', { params: { scorerId } }, { when: scorerId !== 'new' })
  if (scorerId === 'new') return <Editing draft={emptyDraft} scorer={undefined} />
  return (
    <AnsweredPage asked={scorer}>
      {(data) => <Editing key={data.version} draft={draftOf(data)} scorer={data} />}
    </AnsweredPage>
  )
}

const Editing = ({ draft, scorer }: { draft: Draft; scorer: Scorer | undefined }) => {
  const [now, setNow] = useState(draft)
  const [error, setError] = useState<Error>()
  const set = (part: Partial<Draft>) => setNow((before) => ({ ...before, ...part }))
  return (
    <>
      <PageHead
        title={scorer?.name ?? 'New scorer'}
        crumbs={<Link to="/suites">Suites</Link>}
        facts={
          scorer ? (
            <>
              <span>version {scorer.version}; tasks keep the version they were bound to</span>
              <code>{scorer.slug}</code>
            </>
          ) : null
        }
      >
        <Save draft={now} scorer={scorer} onError={setError} />
      </PageHead>
      {error ? (
        <div className="page-body">
          <Failure error={error} />
        </div>
      ) : null}
      <div className="bench">
        <div className="bench-code">
          <ScorerFields draft={now} set={set} />
          {now.kind === 'code' ? (
            <LazyEditor
              key={now.language}
              initial={now.code}
              onChange={(code) => set({ code })}
              language={now.language}
              label="Code of the scorer"
            />
          ) : (
            <JudgeFields draft={now} set={set} />
          )}
          {scorer?.kind === 'llm-judge' && now.kind === 'llm-judge' ? <Calibrations scorer={scorer} /> : null}
        </div>
        <ScorerBench draft={now} />
      </div>
    </>
  )
}

const ScorerFields = ({ draft, set }: { draft: Draft; set: (part: Partial<Draft>) => void }) => (
  <div className="bench-fields">
    <Field label="Name">
      {(id) => (
        <input
          id={id}
          ref={focusFirst}
          value={draft.name}
          onChange={(event) => set({ name: event.target.value })}
        />
      )}
    </Field>
    <Field label="Kind">
      {(id) => (
        <select
          id={id}
          value={draft.kind}
          onChange={(event) => set({ kind: event.target.value === 'llm-judge' ? 'llm-judge' : 'code' })}
        >
          <option value="code">code</option>
          <option value="llm-judge">LLM judge</option>
        </select>
      )}
    </Field>
    {draft.kind === 'code' ? (
      <Field label="Language">
        {(id) => (
          <select
            id={id}
            value={draft.language}
            onChange={(event) => {
              const language = event.target.value === 'typescript' ? 'typescript' : 'python'
              set({
                language,
                code: Object.values(starters).includes(draft.code) ? starters[language] : draft.code,
              })
            }}
          >
            <option value="python">Python</option>
            <option value="typescript">TypeScript</option>
          </select>
        )}
      </Field>
    ) : null}
    <Field label="Pass threshold">
      {(id) => (
        <input
          id={id}
          type="number"
          min={0}
          max={1}
          step={0.05}
          placeholder="no threshold"
          value={draft.threshold}
          onChange={(event) => set({ threshold: event.target.value })}
        />
      )}
    </Field>
  </div>
)

interface SaveProps {
  readonly draft: Draft
  readonly scorer: Scorer | undefined
  readonly onError: (error: Error | undefined) => void
}

const Save = ({ draft, scorer, onError }: SaveProps) => {
  const go = useNavigate()
  const create = useChange('createScorer')
  const update = useChange('updateScorer')
  const body = {
    name: draft.name,
    passThreshold: draft.threshold === '' ? null : Number(draft.threshold),
    description: draft.description || null,
    ...(scorer ? { slug: scorer.slug } : {}),
    ...gradingOf(draft),
  }
  const save = () => {
    onError(undefined)
    if (scorer) update.mutate({ params: { scorerId: scorer.id }, body }, { onError })
    else
      create.mutate(
        { body },
        {
          onError,
          onSuccess: ({ id }) => go({ to: '/scorers/$scorerId', params: { scorerId: id } }),
        },
      )
  }
  return (
    <button
      type="button"
      data-saves=""
      className="button is-primary"
      disabled={draft.name === '' || create.isPending || update.isPending}
      onClick={save}
    >
      {scorer ? 'Save a new version' : 'Save'}
    </button>
  )
}
