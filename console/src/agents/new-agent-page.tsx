import { Link, useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { useAsk, useChange } from '../ask.ts'
import { PageHead } from '../frame/page-head.tsx'
import { Field, focusFirst } from '../parts/field.tsx'
import { Failure } from '../parts/states.tsx'
import { plural } from '../words.ts'
import {
  type AgentDraft,
  asksFor,
  emptyDraft,
  isComplete,
  isKind,
  kinds,
  registration,
} from './agent-kinds.ts'
import { likelyCommand, readAgentFiles } from './agent-upload.ts'

interface PartProps {
  readonly draft: AgentDraft
  readonly set: (part: Partial<AgentDraft>) => void
}

/** Registers an agent: its kind, and what that kind is started with. */
export const NewAgentPage = () => {
  const go = useNavigate()
  const register = useChange('registerAgent')
  const [draft, setDraft] = useState(emptyDraft)
  const set = (part: Partial<AgentDraft>) => setDraft((before) => ({ ...before, ...part }))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    register.mutate(
      { body: registration(draft) },
      { onSuccess: (made) => go({ to: '/agents/$name', params: { name: made.name } }) },
    )
  }
  const { kind } = draft
  return (
    <>
      <PageHead title="Register an agent" crumbs={<Link to="/agents">Agents</Link>} />
      <form className="page-body form" onSubmit={submit}>
        <Identity draft={draft} set={set} />
        {asksFor(kind, 'files') ? <Files draft={draft} set={set} /> : null}
        {asksFor(kind, 'command') ? (
          <Line
            {...{ draft, set, field: 'command', label: 'Command', placeholder: 'node agent.mjs' }}
            hint="Runs in the agent's folder. It reads the file $INSTRUCTION_PATH and writes its answer to $WORK_DIR/output.txt."
          />
        ) : null}
        {asksFor(kind, 'image') ? (
          <Line
            {...{ draft, set, field: 'image', label: 'Image', placeholder: 'support-agent:1.4' }}
            hint="A name in the image folder of the deployment. Upload other images by the command line."
          />
        ) : null}
        {asksFor(kind, 'url') ? (
          <Line
            {...{ draft, set, field: 'url', label: 'URL', placeholder: 'https://agents.example/run' }}
            hint="Its origin must be one that the deployment allows."
          />
        ) : null}
        {asksFor(kind, 'model') ? <Model draft={draft} set={set} /> : null}
        {register.error ? <Failure error={register.error} /> : null}
        <div className="form-foot">
          <button
            type="submit"
            className="button is-primary"
            disabled={!isComplete(draft) || register.isPending}
          >
            {register.isPending ? 'Registering…' : 'Register'}
          </button>
        </div>
      </form>
    </>
  )
}

const Identity = ({ draft, set }: PartProps) => (
  <>
    <div className="form-pair">
      <Field label="Name">
        {(id) => (
          <input
            id={id}
            value={draft.name}
            maxLength={120}
            required
            ref={focusFirst}
            onChange={(event) => set({ name: event.target.value })}
          />
        )}
      </Field>
      <Field label="Version">
        {(id) => (
          <input
            id={id}
            value={draft.version}
            maxLength={120}
            required
            onChange={(event) => set({ version: event.target.value })}
          />
        )}
      </Field>
    </div>
    <Field label="Kind">
      {(id) => (
        <select
          id={id}
          value={draft.kind}
          onChange={(event) => set({ kind: isKind(event.target.value) ? event.target.value : 'files' })}
        >
          {Object.entries(kinds).map(([value, { label }]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      )}
    </Field>
  </>
)

const Files = ({ draft, set }: PartProps) => {
  const [unread, setUnread] = useState<Error>()
  const choose = (list: FileList | null) => {
    setUnread(undefined)
    readAgentFiles([...(list ?? [])]).then(
      (files) => set({ files, command: draft.command || likelyCommand(files) }),
      (error: Error) => setUnread(error),
    )
  }
  const paths = Object.keys(draft.files)
  return (
    <>
      <div className="form-pair">
        <Field label="Folder" hint="All text files in it, without node_modules and the like.">
          {(id) => (
            <input
              id={id}
              ref={(element) => element?.setAttribute('webkitdirectory', '')}
              type="file"
              multiple
              onChange={(event) => choose(event.target.files)}
            />
          )}
        </Field>
        <Field label="Zip file, or single files">
          {(id) => <input id={id} type="file" multiple onChange={(event) => choose(event.target.files)} />}
        </Field>
      </div>
      {paths.length > 0 ? (
        <p className="quiet" role="status">
          {plural(paths.length, 'file')}: {paths.slice(0, 8).join(', ')}
          {paths.length > 8 ? '…' : ''}
        </p>
      ) : null}
      {unread ? <Failure error={unread} /> : null}
    </>
  )
}

interface LineProps extends PartProps {
  readonly field: 'command' | 'image' | 'url'
  readonly label: string
  readonly placeholder: string
  readonly hint: string
}

const Line = ({ draft, set, field, label, placeholder, hint }: LineProps) => (
  <Field label={label} hint={hint}>
    {(id) => (
      <input
        id={id}
        className="mono"
        value={draft[field]}
        required
        placeholder={placeholder}
        onChange={(event) => set({ [field]: event.target.value })}
      />
    )}
  </Field>
)

const Model = ({ draft, set }: PartProps) => {
  const providers = useAsk('listModelProviders').data?.items ?? []
  return (
    <>
      <div className="form-pair">
        <Field label="Provider">
          {(id) => (
            <select
              id={id}
              value={draft.provider}
              onChange={(event) => set({ provider: event.target.value })}
            >
              <option value="">Choose a provider</option>
              {providers.map(({ name }) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field label="Model">
          {(id) => (
            <input
              id={id}
              className="mono"
              value={draft.model}
              required
              onChange={(event) => set({ model: event.target.value })}
            />
          )}
        </Field>
      </div>
      <Field label="Instructions">
        {(id) => (
          <textarea
            id={id}
            rows={6}
            value={draft.instructions}
            onChange={(event) => set({ instructions: event.target.value })}
          />
        )}
      </Field>
    </>
  )
}
