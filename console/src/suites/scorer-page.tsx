import type { Scorer } from '@diorama/contract'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useAsk, useChange } from '../ask.ts'
import { PageHead } from '../frame/page-head.tsx'
import { Field } from '../parts/field.tsx'
import { LazyEditor } from '../parts/lazy-editor.tsx'
import { Answered, Failure } from '../parts/states.tsx'
import { ScorerBench } from './scorer-bench.tsx'
import { type Draft, draftOf, emptyDraft, starters } from './scorer-draft.ts'

/** A scorer and its test bench: change the code on the left, see the score on the right. */
export const ScorerPage = () => {
  const { scorerId } = useParams({ from: '/scorers/$scorerId' })
  const scorer = useAsk('readScorer', { params: { scorerId } }, { when: scorerId !== 'new' })
  if (scorerId === 'new') return <Editing draft={emptyDraft} scorer={undefined} />
  return (
    <Answered asked={scorer}>
      {(data) => <Editing key={data.version} draft={draftOf(data)} scorer={data} />}
    </Answered>
  )
}

const Editing = ({ draft, scorer }: { draft: Draft; scorer: Scorer | undefined }) => {
  const [now, setNow] = useState(draft)
  const set = (part: Partial<Draft>) => setNow((before) => ({ ...before, ...part }))
  return (
    <>
      <PageHead
        title={scorer?.name ?? 'New scorer'}
        crumbs={<Link to="/suites">Suites</Link>}
        facts={
          scorer ? <span>version {scorer.version}; tasks keep the version they were bound to</span> : null
        }
      >
        <Save draft={now} scorer={scorer} />
      </PageHead>
      <div className="bench">
        <div className="bench-code">
          <div className="bench-fields">
            <Field label="Name">
              {(id) => (
                <input id={id} value={now.name} onChange={(event) => set({ name: event.target.value })} />
              )}
            </Field>
            <Field label="Kind">
              {(id) => (
                <select
                  id={id}
                  value={now.kind}
                  onChange={(event) =>
                    set({ kind: event.target.value === 'llm-judge' ? 'llm-judge' : 'code' })
                  }
                >
                  <option value="code">code</option>
                  <option value="llm-judge">LLM judge</option>
                </select>
              )}
            </Field>
            {now.kind === 'code' ? (
              <Field label="Language">
                {(id) => (
                  <select
                    id={id}
                    value={now.language}
                    onChange={(event) => {
                      const language = event.target.value === 'typescript' ? 'typescript' : 'python'
                      set({
                        language,
                        code: Object.values(starters).includes(now.code) ? starters[language] : now.code,
                      })
                    }}
                  >
                    <option value="python">Python</option>
                    <option value="typescript">TypeScript</option>
                  </select>
                )}
              </Field>
            ) : null}
            <Field label="Passes from">
              {(id) => (
                <input
                  id={id}
                  type="number"
                  min={0}
                  max={1}
                  step={0.05}
                  value={now.threshold}
                  onChange={(event) => set({ threshold: event.target.value })}
                />
              )}
            </Field>
          </div>
          {now.kind === 'code' ? (
            <LazyEditor
              key={now.language}
              initial={now.code}
              onChange={(code) => set({ code })}
              language={now.language}
              label="Code of the scorer"
            />
          ) : (
            <Field
              label="Prompt"
              hint="{{input}}, {{output}} and {{expected}} are filled in. Choices are label = score, one a line."
            >
              {(id) => (
                <>
                  <textarea
                    id={id}
                    rows={12}
                    value={now.prompt}
                    onChange={(event) => set({ prompt: event.target.value })}
                  />
                  <textarea
                    aria-label="Choices"
                    rows={4}
                    value={now.choices}
                    onChange={(event) => set({ choices: event.target.value })}
                  />
                </>
              )}
            </Field>
          )}
        </div>
        <ScorerBench draft={now} />
      </div>
    </>
  )
}

const Save = ({ draft, scorer }: { draft: Draft; scorer: Scorer | undefined }) => {
  const go = useNavigate()
  const create = useChange('createScorer')
  const update = useChange('updateScorer')
  const body = {
    name: draft.name,
    kind: draft.kind,
    passThreshold: draft.threshold === '' ? null : Number(draft.threshold),
    description: scorer?.description ?? null,
    ...(scorer ? { slug: scorer.slug } : {}),
    ...(draft.kind === 'code'
      ? { code: draft.code, language: draft.language }
      : { prompt: draft.prompt, choiceScores: draft.choices.split('\n').flatMap(choiceIn) }),
  }
  const save = () =>
    scorer
      ? update.mutate({ params: { scorerId: scorer.id }, body })
      : create.mutate(
          { body },
          { onSuccess: ({ id }) => go({ to: '/scorers/$scorerId', params: { scorerId: id } }) },
        )
  const error = create.error ?? update.error
  return (
    <>
      {error ? <Failure error={error} /> : null}
      <button
        type="button"
        className="button is-primary"
        disabled={draft.name === '' || create.isPending || update.isPending}
        onClick={save}
      >
        {scorer ? 'Save a new version' : 'Save'}
      </button>
    </>
  )
}

const choiceIn = (line: string): { label: string; score: number }[] => {
  const found = /^(.+?)\s*=\s*([\d.]+)$/.exec(line.trim())
  return found ? [{ label: found[1] ?? '', score: Number(found[2]) }] : []
}
