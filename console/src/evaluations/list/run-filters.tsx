import { useAll } from '../../ask.ts'
import { Chip } from '../../parts/field.tsx'
import { FilterChoice } from '../../parts/filter-choice.tsx'
import { type SearchField, useAddress } from '../../search.ts'

const verdicts = [
  ['pass', 'Passed'],
  ['fail', 'Failed'],
  ['inconclusive', 'Inconclusive'],
] as const
const times = [
  ['', 'Any time'],
  ['last_24h', 'Last 24 hours'],
  ['last_7d', 'Last 7 days'],
  ['last_30d', 'Last 30 days'],
] as const
const statuses = ['queued', 'running', 'succeeded', 'failed', 'cancelled']

export const runFilterFields: readonly SearchField[] = ['suite', 'agent', 'verdict', 'since', 'status']

/** By verdict, suite, agent and time; the state of the machinery comes last. */
export const RunFilters = () => {
  const { search, change } = useAddress()
  const suites = useAll('listSuites').data?.items ?? []
  const agents = useAll('listAgents').data?.items ?? []
  return (
    <search className="filters">
      <div className="chips">
        {verdicts.map(([verdict, label]) => (
          <Chip
            key={verdict}
            on={search.verdict === verdict}
            onClick={() => change({ verdict: search.verdict === verdict ? undefined : verdict })}
          >
            {label}
          </Chip>
        ))}
      </div>
      <FilterChoice
        label="Suite"
        field="suite"
        options={suites.map(({ id, name }) => [id, name])}
        any="All suites"
      />
      <FilterChoice
        label="Agent"
        field="agent"
        options={agents.map(({ name }) => [name, name])}
        any="All agents"
      />
      <FilterChoice label="Started" field="since" options={times.slice(1)} any="Any time" />
      <FilterChoice
        label="Status"
        field="status"
        options={statuses.map((status) => [status, status])}
        any="Any status"
      />
    </search>
  )
}
