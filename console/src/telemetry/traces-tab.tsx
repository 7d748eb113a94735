import type { TraceSummary } from '@diorama/contract'
import { useNavigate } from '@tanstack/react-router'
import { useList } from '../ask.ts'
import { Rows } from '../parts/lists/rows.tsx'
import { Moment } from '../parts/moment.tsx'
import { Empty } from '../parts/states.tsx'
import { Status } from '../parts/status.tsx'
import { duration } from '../words.ts'

export const TracesTab = () => {
  const go = useNavigate()
  const traces = useList('listTraces', {}, { everyMs: 5_000 })
  return (
    <Rows
      className="traces"
      listing={traces}
      label="Traces"
      keyOf={({ trace_id }) => trace_id}
      row={(trace) => <TraceRow trace={trace} />}
      onOpen={({ trace_id }) => void go({ to: '/telemetry/traces/$traceId', params: { traceId: trace_id } })}
      heading={
        <>
          <span>Trace</span>
          <span>Status</span>
          <span className="number">Took</span>
          <span className="number">Spans</span>
          <span className="number">Model calls</span>
          <span className="number">Started</span>
        </>
      }
      empty={
        <Empty
          title="No traces yet."
          command={`OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=${location.origin}/v1/traces`}
        >
          <p className="quiet">Point an OpenTelemetry exporter here, with the key as a bearer token.</p>
        </Empty>
      }
    />
  )
}

const TraceRow = ({ trace }: { trace: TraceSummary }) => (
  <>
    <strong>{trace.name}</strong>
    <span>
      <Status value={trace.status} />
    </span>
    <span className="number quiet second">{duration(trace.duration_ms)}</span>
    <span className="number quiet minor">{trace.totals.spans}</span>
    <span className="number quiet minor">{trace.totals.model_calls}</span>
    <span className="number quiet minor">
      <Moment at={trace.started_at} form="ago" />
    </span>
  </>
)
