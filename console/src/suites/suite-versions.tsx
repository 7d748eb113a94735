import { useState } from 'react'
import { useAsk, useChange } from '../ask.ts'
import { FieldDiff } from '../parts/field-diff.tsx'
import { Failure } from '../parts/states.tsx'
import { TableScroll } from '../parts/table-scroll.tsx'
import { useAddress } from '../search.ts'
import { dateTime, plural } from '../words.ts'

/** Frozen versions, and what changed between two of them. */
export const SuiteVersions = ({ suiteId }: { suiteId: string }) => {
  const { search, change } = useAddress()
  const versions = useAsk('listSuiteVersions', { params: { suiteId } }).data?.items ?? []
  const publish = useChange('publishSuite')
  const [label, setLabel] = useState('')
  return (
    <section className="section">
      <div className="section-head">
        <h2>Versions</h2>
        <span className="chips">
          <input
            aria-label="Label of the new version"
            placeholder="Label"
            value={label}
            onChange={(event) => setLabel(event.target.value)}
          />
          <button
            type="button"
            className="button"
            disabled={publish.isPending}
            onClick={() =>
              publish.mutate(
                { params: { suiteId }, body: { label: label || null } },
                { onSuccess: () => setLabel('') },
              )
            }
          >
            Publish
          </button>
        </span>
      </div>
      {publish.error ? <Failure error={publish.error} /> : null}
      <TableScroll>
        <table className="table narrow-table">
          <tbody>
            {versions.map(({ id, number, label: name, task_count, created_at }, index) => (
              <tr key={id}>
                <th scope="row">Version {number}</th>
                <td>{name ?? ''}</td>
                <td className="quiet">{plural(task_count, 'task')}</td>
                <td className="quiet">{dateTime(created_at)}</td>
                <td>
                  {versions[index + 1] ? (
                    <button
                      type="button"
                      className="link"
                      onClick={() => change({ a: versions[index + 1]?.id, b: id })}
                    >
                      What changed<span className="unseen"> in version {number}</span>
                    </button>
                  ) : null}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableScroll>
      {search.a && search.b ? <VersionDiff suiteId={suiteId} a={search.a} b={search.b} /> : null}
    </section>
  )
}

const VersionDiff = ({ suiteId, a, b }: { suiteId: string; a: string; b: string }) => {
  const found = useAsk('compareSuiteVersions', { params: { suiteId, a, b } })
  if (found.error) return <Failure error={found.error} />
  if (!found.data) return null
  const { added, removed, changed } = found.data
  const sides = (fields: Readonly<Record<string, readonly [unknown, unknown]>>, side: 0 | 1) =>
    Object.fromEntries(Object.entries(fields).map(([name, pair]) => [name, pair[side]]))
  return (
    <div>
      <h3>
        From version {found.data.a.number} to version {found.data.b.number}
      </h3>
      {added.length + removed.length + changed.length === 0 ? (
        <p className="quiet">Nothing differs.</p>
      ) : null}
      {added.map(({ task_id, title }) => (
        <p key={task_id} className="operation-create">
          added {title}
        </p>
      ))}
      {removed.map(({ task_id, title }) => (
        <p key={task_id} className="operation-delete">
          removed {title}
        </p>
      ))}
      {changed.map(({ task_id, title, fields }) => (
        <div key={task_id}>
          <p className="operation-update">changed {title}</p>
          <FieldDiff before={sides(fields, 0)} after={sides(fields, 1)} />
        </div>
      ))}
    </div>
  )
}
