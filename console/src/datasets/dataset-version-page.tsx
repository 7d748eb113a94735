import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { addressOf, type Reply } from '../api.ts'
import { useAsk, useChange } from '../ask.ts'
import { PageHead } from '../frame/page-head.tsx'
import { Confirmation } from '../parts/confirmation.tsx'
import { Moment } from '../parts/moment.tsx'
import { AnsweredPage, Failure } from '../parts/states.tsx'
import { saveFrom } from '../save-file.ts'
import { count, plural } from '../words.ts'
import { CollectionRows } from './collection-rows.tsx'

type Version = Reply<'readDatasetVersion'>

/** One version of a dataset: what it holds, row by row, before a world is launched from it. */
export const DatasetVersionPage = () => {
  const { versionId } = useParams({ from: '/datasets/$versionId' })
  const version = useAsk('readDatasetVersion', { params: { versionId } })
  return (
    <AnsweredPage asked={version}>
      {(data) => (
        <>
          <VersionHead version={data} />
          <div className="page-body">
            {data.warnings.length > 0 ? <Warnings warnings={data.warnings} /> : null}
            {data.pseudonyms ? <Replaced replaced={data.pseudonyms} /> : null}
            <CollectionRows version={data} />
          </div>
        </>
      )}
    </AnsweredPage>
  )
}

const VersionHead = ({ version }: { version: Version }) => (
  <PageHead
    title={version.name}
    crumbs={<Link to="/datasets">Datasets</Link>}
    facts={
      <>
        <VersionChoice version={version} />
        <span>{version.organization.name}</span>
        {version.people_count > 0 ? <span>{plural(version.people_count, 'person', 'people')}</span> : null}
        <span>
          world time <Moment at={version.clock} />
        </span>
        {version.source.world_id === null ? (
          <span>{version.source.format}</span>
        ) : (
          <Link to="/worlds/$worldId/$tab" params={{ worldId: version.source.world_id, tab: 'story' }}>
            snapshot of a world
          </Link>
        )}
      </>
    }
  >
    <VersionActions version={version} />
  </PageHead>
)

const VersionChoice = ({ version }: { version: Version }) => {
  const go = useNavigate()
  const params = { datasetId: version.dataset_id }
  const versions = useAsk('listDatasetVersions', { params, query: { limit: 50 } }).data?.items ?? [version]
  if (versions.length < 2) return <span>version {version.number}</span>
  return (
    <select
      aria-label="Version"
      value={version.id}
      onChange={(event) => void go({ to: '/datasets/$versionId', params: { versionId: event.target.value } })}
    >
      {versions.map(({ id, number }) => (
        <option key={id} value={id}>
          version {number}
        </option>
      ))}
    </select>
  )
}

const VersionActions = ({ version }: { version: Version }) => {
  const go = useNavigate()
  const [asking, setAsking] = useState(false)
  const [unsaved, setUnsaved] = useState<Error>()
  const launch = useChange('launchWorld')
  const remove = useChange('deleteDatasetVersion')
  const params = { versionId: version.id }
  const start = () =>
    launch.mutate(
      { body: { datasetVersionId: version.id } },
      {
        onSuccess: ({ world }) =>
          go({
            to: '/worlds/$worldId/$tab',
            params: { worldId: world.id, tab: version.services[0]?.service ?? 'story' },
          }),
      },
    )
  const save = () => {
    setUnsaved(undefined)
    const address = addressOf('/v1/dataset-versions/{versionId}/export', params)
    saveFrom(address, `${version.name}-${version.number}.ndjson`).catch(setUnsaved)
  }
  const failure = launch.error ?? unsaved
  return (
    <>
      <button type="button" className="button" onClick={save}>
        Export
      </button>
      <button type="button" className="button is-danger" onClick={() => setAsking(true)}>
        Delete
      </button>
      <button type="button" className="button is-primary" disabled={launch.isPending} onClick={start}>
        {launch.isPending ? 'Launching…' : 'Launch a world'}
      </button>
      {failure ? <Failure error={failure} /> : null}
      <Confirmation
        title="Delete this version?"
        about={`Version ${version.number} of ${version.name} is deleted with its rows. It cannot be undone.`}
        yes="Delete the version"
        doing={remove}
        onYes={() => remove.mutate({ params }, { onSuccess: () => go({ to: '/datasets' }) })}
        onClose={() => setAsking(false)}
        open={asking}
      />
    </>
  )
}

const Warnings = ({ warnings }: { warnings: readonly string[] }) => (
  <section aria-label="Warnings">
    <h2>{plural(warnings.length, 'warning')}</h2>
    <ul>
      {warnings.map((warning) => (
        <li key={warning}>{warning}</li>
      ))}
    </ul>
  </section>
)

const Replaced = ({ replaced }: { replaced: Readonly<Record<string, number>> }) => (
  <p>
    Replaced:{' '}
    {Object.entries(replaced)
      .map(([what, number]) => `${count(number)} ${what.replaceAll('_', ' ')}`)
      .join(', ')}
    .
  </p>
)
