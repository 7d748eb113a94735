import type { TraceSummary } from '@diorama/contract'
import { useNavigate } from '@tanstack/react-router'
import { useList } from '../ask.ts'
import { Rows } from '../parts/lists/rows.tsx'
import { Moment } from '../parts/moment.tsx'
import { Empty } from '../parts/states.tsx'
import { Status } from '../parts/status.tsx'
import { useAddress } from '../search.ts'
import { count, dollars, duration } from '../words.ts'
import { TraceFilters, traceQuery } from './trace-filters.tsx'

export const TracesTab = () => {
  const go = useNavigate()
  const { search } = useAddress()
  const query = traceQuery(search)
  const traces = useList('listTraces', { query }, { everyMs: 5_000 })
  const isFiltered = Object.values(query).some((value) => value !== undefined)
  return (
    <>
      <TraceFilters />
      <Rows
        className="traces"
        listing={traces}
        label="Traces"
        keyOf={({ trace_id }) => trace_id}
        row={(trace) => <TraceRow trace={trace} />}
        onOpen={({ trace_id }) =>
          void go({ to: '/telemetry/traces/$traceId', params: { traceId: trace_id } })
        }
        heading={
          <>
            <span>Trace</span>
            <span>Agent</span>
            <span>Status</span>
            <span className="number">Took</span>
            <span className="number lesser">Spans</span>
            <span className="number">Tokens</span>
            <span className="number lesser">Cost</span>
            <span className="number">Started</span>
          </>
        }
        empty={isFiltered ? <Empty title="No trace matches these filters." /> : <NoTraces />}
      />
    </>
  )
}

const NoTraces = () => (
  <Empty title="No traces yet." command={`OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=${location.origin}/v1/traces`}>
    <p className="quiet">Point an OpenTelemetry exporter here, with the key as a bearer token.</p>
  </Empty>
)

/** A trial is known by its task: the agent has a separate column. */
const titleOf = ({ name, trial }: TraceSummary): string => trial?.task_title ?? name

const agentOf = ({ agent_name, agent_version }: TraceSummary): string =>
  agent_name === null ? '–' : agent_version === null ? agent_name : `${agent_name}@${agent_version}`

const TraceRow = ({ trace }: { trace: TraceSummary }) => (
  <>
    <span>
      <strong>{titleOf(trace)}</strong> {trace.trial ? <span className="tag">trial</span> : null}{' '}
      <span className="hint mono">{trace.trace_id.slice(-8)}</span>
    </span>
    <span className="quiet minor">{agentOf(trace)}</span>
    <span>
      <Status value={trace.status} label={trace.status === 'unset' ? 'not ended' : trace.status} />
    </span>
    <span className="number quiet second">{duration(trace.duration_ms)}</span>
    <span className="number quiet minor lesser">{count(trace.totals.spans)}</span>
    <span className="number quiet minor">
      {trace.totals.model_calls === 0 ? '–' : count(trace.totals.input_tokens + trace.totals.output_tokens)}
    </span>
    <span className="number quiet minor lesser">{dollars(trace.totals.cost_usd)}</span>
    <span className="number quiet minor">
      <Moment at={trace.started_at} form="ago" />
    </span>
  </>
)
