import type { SuiteVersion, Task } from '@diorama/contract'
import { useState } from 'react'
import { useAll, useChange } from '../ask.ts'
import { Field } from '../parts/field.tsx'
import { Table } from '../parts/lists/table.tsx'
import { Moment } from '../parts/moment.tsx'
import { Failure } from '../parts/states.tsx'
import { useAddress } from '../search.ts'
import { FrozenVersion, Unpublished, VersionComparison } from './version-changes.tsx'

interface SuiteVersionsProps {
  readonly suiteId: string
  readonly tasks: readonly Task[]
}

/** Frozen versions, what changed between two of them, and what changed since the newest. */
export const SuiteVersions = ({ suiteId, tasks }: SuiteVersionsProps) => {
  const { search, change } = useAddress()
  const versions = useAll('listSuiteVersions', { params: { suiteId } })
  const items = versions.data?.items ?? []
  const newest = items[0]
  return (
    <section className="section">
      <div className="section-head">
        <h2>Versions</h2>
        <Publish suiteId={suiteId} />
      </div>
      {versions.error ? <Failure error={versions.error} retry={() => void versions.refetch()} /> : null}
      {versions.data && !newest ? (
        <p className="quiet">
          Not published yet. Every evaluation freezes a version; publishing also gives it a label.
        </p>
      ) : null}
      {newest ? <Unpublished suiteId={suiteId} newest={newest} tasks={tasks} /> : null}
      {newest ? (
        <VersionTable
          versions={items}
          onShow={(id) => change({ open: id, a: undefined, b: undefined })}
          onCompare={(a, b) => change({ a, b, open: undefined })}
        />
      ) : null}
      {items.length > 1 ? <Comparing versions={items} /> : null}
      {search.a && search.b ? <VersionComparison suiteId={suiteId} a={search.a} b={search.b} /> : null}
      {search.open && items.some(({ id }) => id === search.open) ? (
        <FrozenVersion suiteId={suiteId} versionId={search.open} />
      ) : null}
    </section>
  )
}

const Publish = ({ suiteId }: { suiteId: string }) => {
  const publish = useChange('publishSuite')
  const [label, setLabel] = useState('')
  const send = () =>
    publish.mutate({ params: { suiteId }, body: { label: label || null } }, { onSuccess: () => setLabel('') })
  return (
    <span className="publish">
      {publish.error ? <Failure error={publish.error} /> : null}
      <input
        aria-label="Label of the new version"
        placeholder="Version label"
        value={label}
        maxLength={200}
        onChange={(event) => setLabel(event.target.value)}
      />
      <button type="button" className="button" disabled={publish.isPending} onClick={send}>
        Publish
      </button>
    </span>
  )
}

interface VersionTableProps {
  readonly versions: readonly SuiteVersion[]
  readonly onShow: (id: string) => void
  readonly onCompare: (a: string, b: string) => void
}

const VersionTable = ({ versions, onShow, onCompare }: VersionTableProps) => (
  <Table
    label="Versions"
    rows={versions}
    keyOf={({ id }) => id}
    columns={[
      {
        name: 'Version',
        cell: ({ id, number }) => (
          <button type="button" className="plain" onClick={() => onShow(id)}>
            Version {number}
          </button>
        ),
      },
      { name: 'Label', cell: ({ label }) => label },
      { name: 'Tasks', look: 'number', cell: ({ task_count }) => task_count },
      { name: 'Published', look: 'quiet', cell: ({ created_at }) => <Moment at={created_at} /> },
      {
        name: 'Difference',
        unnamed: true,
        look: 'number',
        cell: ({ id, number }, index) => {
          const before = versions[index + 1]
          return before ? (
            <button type="button" className="link" onClick={() => onCompare(before.id, id)}>
              What changed<span className="unseen"> in version {number}</span>
            </button>
          ) : null
        },
      },
    ]}
  />
)

/** Any two versions side by side. */
const Comparing = ({ versions }: { versions: readonly SuiteVersion[] }) => {
  const { search, change } = useAddress()
  const names = (label: string, value: string | undefined, pick: (id: string) => void) => (
    <Field label={label}>
      {(id) => (
        <select id={id} value={value ?? ''} onChange={(event) => pick(event.target.value)}>
          <option value="">–</option>
          {versions.map((one) => (
            <option key={one.id} value={one.id}>
              {one.number} {one.label ?? ''}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
  return (
    <div className="form-pair compared">
      {names('Compare version', search.a, (a) => change({ a: a || undefined, open: undefined }))}
      {names('with version', search.b, (b) => change({ b: b || undefined, open: undefined }))}
    </div>
  )
}
