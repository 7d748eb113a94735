import { Link, useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { ApiError } from '../api.ts'
import { queryClient, useAsk } from '../ask.ts'
import { PageHead } from '../frame/page-head.tsx'
import { Field, focusFirst } from '../parts/field.tsx'
import { Failure } from '../parts/states.tsx'
import { percent } from '../words.ts'
import { uploadDataset } from './dataset-upload.ts'
import { RowFaults } from './row-faults.tsx'

interface Draft {
  readonly name: string
  readonly format: string
  readonly organization: string
  readonly clock: string
  readonly actsAs: string
  readonly pseudonymize: boolean
}

const empty: Draft = {
  name: '',
  format: 'rows',
  organization: '',
  clock: '',
  actsAs: '',
  pseudonymize: false,
}

const given = (text: string): string | undefined => (text.trim() === '' ? undefined : text.trim())

/** Imports rows, or another service's export, as a new version of a dataset. */
export const NewDatasetPage = () => {
  const go = useNavigate()
  const [draft, setDraft] = useState(empty)
  const [file, setFile] = useState<File>()
  const [share, setShare] = useState<number>()
  const [error, setError] = useState<Error>()
  const set = (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }))
  const send = async (chosen: File) => {
    setError(undefined)
    setShare(0)
    try {
      const query = {
        ...{ name: draft.name.trim(), format: draft.format, organization: given(draft.organization) },
        ...{ clock: given(draft.clock), acts_as: given(draft.actsAs) },
        ...(draft.pseudonymize ? { pseudonymize: 'true' as const } : {}),
      }
      const { id } = await uploadDataset(chosen, query, setShare)
      await queryClient.invalidateQueries()
      await go({ to: '/datasets/$versionId', params: { versionId: id } })
    } catch (failure) {
      setError(failure instanceof Error ? failure : new Error(String(failure)))
    } finally {
      setShare(undefined)
    }
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (file) void send(file)
  }
  return (
    <>
      <PageHead title="Import a dataset" crumbs={<Link to="/datasets">Datasets</Link>} />
      <form className="page-body form" onSubmit={submit}>
        <Source draft={draft} set={set} onFile={setFile} />
        <Company draft={draft} set={set} />
        {error instanceof ApiError ? <RowFaults error={error} /> : error ? <Failure error={error} /> : null}
        <div className="form-foot">
          <button
            type="submit"
            className="button is-primary"
            disabled={!file || draft.name.trim() === '' || share !== undefined}
          >
            {share === undefined ? 'Import' : 'Importing…'}
          </button>
          {share === undefined ? null : <Progress share={share} />}
        </div>
      </form>
    </>
  )
}

const Progress = ({ share }: { share: number }) => (
  <span aria-live="polite">
    <progress className="progress" max={1} value={share} aria-label="Share of the file that was sent" />{' '}
    {share < 1 ? `${percent(share)} sent` : 'Checking every row…'}
  </span>
)

interface PartProps {
  readonly draft: Draft
  readonly set: (part: Partial<Draft>) => void
}

const Source = ({ draft, set, onFile }: PartProps & { onFile: (file: File | undefined) => void }) => {
  const formats = useAsk('listDatasetFormats').data?.items ?? []
  return (
    <>
      <Field label="Name" hint="A dataset of this name gets a new version.">
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
      <Field label="Format">
        {(id) => (
          <select id={id} value={draft.format} onChange={(event) => set({ format: event.target.value })}>
            {formats.map(({ format, service, label }) => (
              <option key={format} value={format}>
                {service === null ? label : `${service}: ${label}`}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label="File" hint="It is checked row by row, and imported whole or not at all.">
        {(id) => <input id={id} type="file" required onChange={(event) => onFile(event.target.files?.[0])} />}
      </Field>
    </>
  )
}

const Company = ({ draft, set }: PartProps) => (
  <>
    <div className="form-pair">
      <Field label="Company" hint="Where the data does not contain its name.">
        {(id) => (
          <input
            id={id}
            value={draft.organization}
            maxLength={120}
            onChange={(event) => set({ organization: event.target.value })}
          />
        )}
      </Field>
      <Field
        label="Clock"
        hint="The world's now, such as 2026-03-02T09:00:00Z; else just after the last record."
      >
        {(id) => (
          <input
            id={id}
            value={draft.clock}
            maxLength={40}
            onChange={(event) => set({ clock: event.target.value })}
          />
        )}
      </Field>
    </div>
    <Field
      label="Acts as"
      hint="The person that the twin's token acts as: an id, a handle or an e-mail address."
    >
      {(id) => (
        <input
          id={id}
          value={draft.actsAs}
          maxLength={200}
          onChange={(event) => set({ actsAs: event.target.value })}
        />
      )}
    </Field>
    <label className="check">
      <input
        type="checkbox"
        checked={draft.pseudonymize}
        onChange={(event) => set({ pseudonymize: event.target.checked })}
      />{' '}
      Replace people, e-mail addresses, domains and telephone numbers
    </label>
  </>
)
