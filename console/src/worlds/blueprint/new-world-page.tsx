import type { EditorView } from '@codemirror/view'
import type { Validation } from '@diorama/contract'
import { Link, useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useMemo, useState } from 'react'
import { useAsk, useChange } from '../../ask.ts'
import { PageHead } from '../../frame/page-head.tsx'
import { Chip, Field } from '../../parts/field.tsx'
import { ServiceGlyph } from '../../parts/service.tsx'
import { AnsweredPage, Failure, Skeleton } from '../../parts/states.tsx'
import { Status } from '../../parts/status.tsx'
import { useAddress } from '../../search.ts'
import { plural } from '../../words.ts'
import { pointerIn } from './pointer.ts'

const BlueprintForm = lazy(() =>
  import('./blueprint-form.tsx').then((module) => ({ default: module.BlueprintForm })),
)

const BlueprintEditor = lazy(() =>
  import('./blueprint-editor.tsx').then((module) => ({ default: module.BlueprintEditor })),
)

type Blueprint = Readonly<Record<string, unknown>>

/** A new world, or a new version of one: the blueprint on the left, what it makes on the right. */
export const NewWorldPage = () => {
  const { search } = useAddress()
  const from = search.from
  const source = useAsk('readWorld', { params: { worldId: from ?? '' } }, { when: from !== undefined })
  const slug = search.source
  const plain = from === undefined && slug === undefined
  const sample = useAsk('readSampleBlueprint', {}, { when: plain, forever: true })
  const shipped = useAsk(
    'readSample',
    { params: { slug: slug ?? '' } },
    { when: from === undefined && slug !== undefined, forever: true },
  )
  const asked = plain
    ? sample
    : from === undefined
      ? shipped
      : { ...source, data: source.data?.world.blueprint }
  return (
    <AnsweredPage asked={asked}>
      {(blueprint: Blueprint) => <Drafting blueprint={blueprint} sourceWorldId={from} />}
    </AnsweredPage>
  )
}

/** Debounces typing. */
const useSettled = (text: string, ms: number): string => {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), ms)
    return () => clearTimeout(timer)
  }, [text, ms])
  return settled
}

const parse = (text: string): { value: unknown } | { fault: string } => {
  try {
    return { value: JSON.parse(text) }
  } catch (cause) {
    return { fault: cause instanceof Error ? cause.message : String(cause) }
  }
}

const draftValue = (text: string): unknown => {
  const parsed = parse(text)
  return 'value' in parsed ? parsed.value : {}
}

const Drafting = ({
  blueprint,
  sourceWorldId,
}: {
  blueprint: Blueprint
  sourceWorldId: string | undefined
}) => {
  const initial = useMemo(() => JSON.stringify(blueprint, null, 2), [blueprint])
  const [text, setText] = useState(initial)
  const [view, setView] = useState<EditorView>()
  const { search, change } = useAddress()
  const asForm = search.view === 'form'
  const settled = useSettled(text, 500)
  const parsed = useMemo(() => parse(settled), [settled])
  const body = { blueprint: 'value' in parsed ? parsed.value : null }
  const checked = useAsk('validateBlueprint', { body }, { when: 'value' in parsed, keep: true })
  const schema = useAsk('readBlueprintSchema', {}, { forever: true })
  const validation = 'value' in parsed ? checked.data : undefined
  return (
    <>
      <PageHead
        title={sourceWorldId ? 'New version' : 'Launch a world'}
        crumbs={<Link to="/worlds">Worlds</Link>}
        facts={
          <span>A blueprint describes a company: its people, its story and the records in each service.</span>
        }
      >
        <div className="chips">
          <Chip on={asForm} onClick={() => change({ view: 'form' })}>
            Form
          </Chip>
          <Chip on={!asForm} onClick={() => change({ view: undefined })}>
            JSON
          </Chip>
        </div>
      </PageHead>
      <div className="blueprint">
        <Suspense fallback={<Skeleton rows={14} />}>
          {schema.data && asForm ? (
            <BlueprintForm
              schema={schema.data}
              value={draftValue(text)}
              onChange={(value) => setText(JSON.stringify(value, null, 2))}
            />
          ) : schema.data ? (
            <BlueprintEditor
              initial={text}
              onChange={setText}
              schema={schema.data}
              validation={validation}
              fault={'fault' in parsed ? parsed.fault : undefined}
              onReady={setView}
            />
          ) : (
            <Skeleton rows={14} />
          )}
        </Suspense>
        <aside className="blueprint-side" aria-label="Preview of the blueprint">
          <Launch text={text} ready={validation?.valid === true} sourceWorldId={sourceWorldId} />
          {'fault' in parsed ? <Failure error={new Error(`Invalid JSON: ${parsed.fault}`)} /> : null}
          {checked.error && 'value' in parsed ? <Failure error={checked.error} /> : null}
          {validation ? <Effect validation={validation} view={view} /> : null}
        </aside>
      </div>
    </>
  )
}

const Launch = ({
  text,
  ready,
  sourceWorldId,
}: {
  text: string
  ready: boolean
  sourceWorldId: string | undefined
}) => {
  const go = useNavigate()
  const launch = useChange('launchWorld')
  const [hours, setHours] = useState('72')
  const start = () => {
    const body = {
      blueprint: JSON.parse(text),
      ttlHours: Number(hours),
      ...(sourceWorldId ? { sourceWorldId } : {}),
    }
    launch.mutate(
      { body },
      {
        onSuccess: ({ world }) =>
          go({ to: '/worlds/$worldId/$tab', params: { worldId: world.id, tab: 'story' } }),
      },
    )
  }
  return (
    <div className="section">
      <Field label="Expires after (hours)">
        {(id) => (
          <input
            id={id}
            type="number"
            min={1}
            max={720}
            value={hours}
            onChange={(event) => setHours(event.target.value)}
          />
        )}
      </Field>
      <button
        type="button"
        className="button is-primary"
        disabled={!ready || launch.isPending}
        onClick={start}
      >
        {launch.isPending ? 'Launching…' : sourceWorldId ? 'Launch the new version' : 'Launch'}
      </button>
      {launch.error ? <Failure error={launch.error} /> : null}
    </div>
  )
}

const Effect = ({ validation, view }: { validation: Validation; view: EditorView | undefined }) => {
  const show = async (pointer: string) => {
    if (!view) return
    const { placeOfPointer } = await import('./json-places.ts')
    const { from } = placeOfPointer(view.state, pointer)
    view.dispatch({ selection: { anchor: from }, scrollIntoView: true })
    view.focus()
  }
  return (
    <div aria-live="polite">
      <section className="section">
        <Status
          value={validation.valid ? 'ok' : 'failed'}
          label={validation.valid ? 'Valid blueprint' : plural(validation.errors.length, 'error')}
        />
        <ul className="faults">
          {validation.errors.slice(0, 50).map(({ pointer, message }) => (
            <li key={pointer + message}>
              <button type="button" onClick={() => void show(pointer)}>
                <code>{pointer}</code> {message}
              </button>
            </li>
          ))}
          {validation.warnings.slice(0, 50).map((warning) => (
            <li key={warning}>
              <button type="button" className="is-warning" onClick={() => void show(pointerIn(warning))}>
                {warning}
              </button>
            </li>
          ))}
        </ul>
      </section>
      {validation.summary ? (
        <section className="section">
          <h2>Preview</h2>
          <ul className="services">
            {validation.summary.services.map(({ service, entityCount }) => (
              <li key={service}>
                <ServiceGlyph service={service} named />
                <span className="quiet">{plural(entityCount, 'record')}</span>
              </li>
            ))}
          </ul>
          <p className="quiet">
            {plural(validation.summary.people, 'person', 'people')},{' '}
            {plural(validation.summary.tasks, 'task')}
          </p>
        </section>
      ) : null}
    </div>
  )
}
