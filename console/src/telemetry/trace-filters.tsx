import { useAll } from '../ask.ts'
import { FilterChoice, FilterText } from '../parts/filter-choice.tsx'
import type { Search } from '../search.ts'

const statuses = [
  ['ok', 'ok'],
  ['error', 'error'],
  ['unset', 'not ended'],
] as const
const times = [
  ['last_1h', 'Last hour'],
  ['last_24h', 'Last 24 hours'],
  ['last_7d', 'Last 7 days'],
] as const

/** Durations as the address has them: the least and the most milliseconds. */
const durations = [
  ['-1000', 'Under 1 s'],
  ['1000-10000', '1 to 10 s'],
  ['10000-60000', '10 s to 1 min'],
  ['60000-', 'Over 1 min'],
] as const

/** The query for what the address asks for. */
export const traceQuery = (search: Search): Readonly<Record<string, string | number | undefined>> => {
  const [least, most] = search.duration?.split('-') ?? []
  return {
    agent: search.agent,
    task: search.task,
    status: search.status,
    min_duration_ms: least ? Number(least) : undefined,
    max_duration_ms: most ? Number(most) : undefined,
    attribute: search.attribute,
    since: search.since,
  }
}

export const TraceFilters = () => {
  const agents = useAll('listAgents').data?.items ?? []
  return (
    <search className="filters">
      <FilterChoice
        label="Agent"
        field="agent"
        options={agents.map(({ name }) => [name, name])}
        any="All agents"
      />
      <FilterChoice label="Status" field="status" options={statuses} any="Any status" />
      <FilterChoice label="Duration" field="duration" options={durations} any="Any duration" />
      <FilterChoice label="Started" field="since" options={times} any="Any time" />
      <FilterText label="Task" field="task" />
      <FilterText label="Attribute" field="attribute" placeholder="attribute=value" />
    </search>
  )
}
