import { Link, useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { useChange } from '../ask.ts'
import { PageHead } from '../frame/page-head.tsx'
import { Field } from '../parts/field.tsx'
import { Failure } from '../parts/states.tsx'
import { plural } from '../words.ts'
import { type AgentFiles, likelyCommand, readAgentFiles } from './agent-upload.ts'

const kinds = {
  files: 'Files and a command',
  command: 'A command alone',
} as const
type Kind = keyof typeof kinds
const isKind = (text: string): text is Kind => text in kinds

/** The form was asked for, so its first field takes the focus. */
const focusFirst = (field: HTMLInputElement | null) => field?.focus()

/** Registers an agent: its files or a command, and how it is started. */
export const NewAgentPage = () => {
  const go = useNavigate()
  const register = useChange('registerAgent')
  const [kind, setKind] = useState<Kind>('files')
  const [name, setName] = useState('')
  const [version, setVersion] = useState('1.0.0')
  const [command, setCommand] = useState('')
  const [files, setFiles] = useState<AgentFiles>({})
  const [unread, setUnread] = useState<Error>()
  const choose = (list: FileList | null) => {
    setUnread(undefined)
    readAgentFiles([...(list ?? [])]).then(
      (found) => {
        setFiles(found)
        setCommand((before) => before || likelyCommand(found))
      },
      (error: Error) => setUnread(error),
    )
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const body = {
      name,
      version,
      files: kind === 'files' ? files : {},
      run: { command, timeout_seconds: 600, env: {}, network: 'world' as const },
    }
    register.mutate(
      { body },
      { onSuccess: (made) => go({ to: '/agents/$name', params: { name: made.name } }) },
    )
  }
  const count = Object.keys(files).length
  const isReady = name !== '' && version !== '' && command !== '' && (kind === 'command' || count > 0)
  return (
    <>
      <PageHead title="Register an agent" crumbs={<Link to="/agents">Agents</Link>} />
      <form className="page-body form" onSubmit={submit}>
        <div className="form-pair">
          <Field label="Name">
            {(id) => (
              <input
                id={id}
                value={name}
                maxLength={120}
                required
                ref={focusFirst}
                onChange={(event) => setName(event.target.value)}
              />
            )}
          </Field>
          <Field label="Version">
            {(id) => (
              <input
                id={id}
                value={version}
                maxLength={120}
                required
                onChange={(event) => setVersion(event.target.value)}
              />
            )}
          </Field>
        </div>
        <Field label="Kind">
          {(id) => (
            <select
              id={id}
              value={kind}
              onChange={(event) => setKind(isKind(event.target.value) ? event.target.value : 'files')}
            >
              {Object.entries(kinds).map(([value, label]) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </select>
          )}
        </Field>
        {kind === 'files' ? (
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
              {(id) => (
                <input id={id} type="file" multiple onChange={(event) => choose(event.target.files)} />
              )}
            </Field>
          </div>
        ) : null}
        {count > 0 && kind === 'files' ? (
          <p className="quiet" role="status">
            {plural(count, 'file')}: {Object.keys(files).slice(0, 8).join(', ')}
            {count > 8 ? '…' : ''}
          </p>
        ) : null}
        {unread ? <Failure error={unread} /> : null}
        <Field
          label="Command"
          hint="Runs in the agent's folder. It reads the file $INSTRUCTION_PATH and writes its answer to $WORK_DIR/output.txt."
        >
          {(id) => (
            <input
              id={id}
              className="mono"
              value={command}
              required
              placeholder="node agent.mjs"
              onChange={(event) => setCommand(event.target.value)}
            />
          )}
        </Field>
        {register.error ? <Failure error={register.error} /> : null}
        <div className="form-foot">
          <button type="submit" className="button is-primary" disabled={!isReady || register.isPending}>
            {register.isPending ? 'Registering…' : 'Register'}
          </button>
        </div>
      </form>
    </>
  )
}
