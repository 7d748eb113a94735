import { Link } from '@tanstack/react-router'
import { useAll, useAsk } from '../ask.ts'
import { Field } from '../parts/field.tsx'
import { dateTime } from '../words.ts'
import { useHome } from './environment-home.ts'

/** The world that a task starts from, and which version of it. */
export const EnvironmentName = ({ versionId }: { versionId: string | null }) => {
  const home = useHome(versionId).data
  if (versionId === null) return <span>none</span>
  if (!home) return <code>{versionId}</code>
  const { environment, version } = home
  return (
    <Link
      to="/worlds/$worldId/$tab"
      params={{ worldId: version.world_id, tab: 'story' }}
      className="touchpoint"
    >
      {environment.name}{' '}
      <span className="hint">
        version {version.number}
        {environment.latest_version_id === versionId ? '' : ', not the newest'}
      </span>
    </Link>
  )
}

interface EnvironmentChoiceProps {
  readonly versionId: string | null
  readonly onChange: (versionId: string | null) => void
}

/** The world that each trial of a task gets a fresh copy of, and which version of it. */
export const EnvironmentChoice = ({ versionId, onChange }: EnvironmentChoiceProps) => {
  const environments = useAll('listEnvironments').data?.items ?? []
  const home = useHome(versionId).data?.environment.id ?? ''
  const versions =
    useAsk(
      'listEnvironmentVersions',
      { params: { environmentId: home }, query: { limit: 200 } },
      { when: home !== '' },
    ).data?.items ?? []
  const pick = (id: string) => onChange(environments.find((one) => one.id === id)?.latest_version_id ?? null)
  return (
    <div className="form-pair">
      <Field label="World" hint="Each trial runs in a fresh copy.">
        {(id) => (
          <select id={id} value={home} onChange={(event) => pick(event.target.value)}>
            <option value="">none</option>
            {environments.map((one) => (
              <option key={one.id} value={one.id} disabled={one.latest_version_id === null}>
                {one.name}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Version of the world">
        {(id) => (
          <select
            id={id}
            value={versionId ?? ''}
            disabled={versions.length === 0}
            onChange={(event) => onChange(event.target.value || null)}
          >
            {versions.length === 0 ? <option value={versionId ?? ''}>–</option> : null}
            {versions.map((one) => (
              <option key={one.id} value={one.id}>
                {one.number}, launched {dateTime(one.created_at)}
              </option>
            ))}
          </select>
        )}
      </Field>
    </div>
  )
}
