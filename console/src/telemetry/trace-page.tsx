import type { Span, Trace } from '@diorama/contract'
import { Link, useParams } from '@tanstack/react-router'
import { useAsk } from '../ask.ts'
import { PageHead } from '../frame/page-head.tsx'
import { Id } from '../parts/copy.tsx'
import { Inspector } from '../parts/inspector.tsx'
import { Rows } from '../parts/lists/rows.tsx'
import { Moment } from '../parts/moment.tsx'
import { Payload } from '../parts/payload.tsx'
import { AnsweredPage, Empty } from '../parts/states.tsx'
import { Status } from '../parts/status.tsx'
import { useAddress } from '../search.ts'
import { duration, plural } from '../words.ts'

/** A trace as a waterfall. */
export const TracePage = () => {
  const params = useParams({ from: '/telemetry/traces/$traceId' })
  const trace = useAsk('readTrace', { params })
  return <AnsweredPage asked={trace}>{(data) => <Waterfall trace={data} />}</AnsweredPage>
}

const Waterfall = ({ trace }: { trace: Trace }) => {
  const { search, change } = useAddress()
  const start = Date.parse(trace.started_at)
  const length = Math.max(
    trace.duration_ms ?? 0,
    ...trace.spans.map((span) => Date.parse(span.started_at) - start + (span.duration_ms ?? 0)),
    1,
  )
  const open = trace.spans.find(({ span_id }) => span_id === search.open)
  return (
    <>
      <PageHead
        title={trace.name}
        crumbs={
          <Link to="/telemetry" search={{ tab: 'traces' }}>
            Traces
          </Link>
        }
        facts={
          <>
            <Status value={trace.status} />
            <span>{duration(trace.duration_ms)}</span>
            <span>{plural(trace.totals.spans, 'span')}</span>
            <span>{plural(trace.totals.model_calls, 'model call')}</span>
            <span>{plural(trace.totals.input_tokens + trace.totals.output_tokens, 'token')}</span>
            {trace.agent_name ? <span>{trace.agent_name}</span> : null}
          </>
        }
      />
      <div className="split">
        <div className="split-main">
          <Rows
            className="waterfall"
            listing={{ items: trace.spans, error: null, loading: false, retry: () => {}, more: () => {} }}
            label="Spans"
            heading={
              <>
                <span>Span</span>
                <span className="number">Took</span>
                <span className="waterfall-scale">
                  <span>0</span>
                  <span>{duration(length)}</span>
                </span>
              </>
            }
            keyOf={({ span_id }) => span_id}
            row={(span) => <SpanRow span={span} start={start} length={length} />}
            open={search.open}
            onOpen={({ span_id }) => change({ open: span_id })}
            empty={<Empty title="This trace has no spans." />}
          />
        </div>
        {open ? <SpanInspector span={open} onClose={() => change({ open: undefined })} /> : null}
      </div>
    </>
  )
}

const toneOf = ({ gen_ai, status }: Span): string =>
  status === 'error' ? 'fail' : gen_ai?.tool_name ? 'crm' : gen_ai?.model ? 'model' : 'agent'

const SpanRow = ({ span, start, length }: { span: Span; start: number; length: number }) => (
  <>
    <span style={{ paddingLeft: `${Math.min(span.depth, 12) * 1.4}rem` }}>{span.name}</span>
    <span className="number quiet">{duration(span.duration_ms)}</span>
    <span className="waterfall-lane second">
      <span
        className={`waterfall-bar tone-${toneOf(span)}`}
        style={{
          left: `${((Date.parse(span.started_at) - start) / length) * 100}%`,
          width: `${((span.duration_ms ?? 0) / length) * 100}%`,
        }}
      />
    </span>
  </>
)

const SpanInspector = ({ span, onClose }: { span: Span; onClose: () => void }) => (
  <Inspector title={span.name} onClose={onClose}>
    <dl className="pairs">
      <dt>Started</dt>
      <dd>
        <Moment at={span.started_at} />
      </dd>
      <dt>Took</dt>
      <dd>{duration(span.duration_ms)}</dd>
      <dt>Status</dt>
      <dd>
        {span.status ?? 'unset'} {span.status_message ?? ''}
      </dd>
      {span.gen_ai?.model ? (
        <>
          <dt>Model</dt>
          <dd>
            {span.gen_ai.model}, {span.gen_ai.input_tokens ?? 0} in, {span.gen_ai.output_tokens ?? 0} out
          </dd>
        </>
      ) : null}
      <dt>Span id</dt>
      <dd>
        <Id value={span.span_id} />
      </dd>
    </dl>
    <Payload body={JSON.stringify(span.attributes)} label="attributes" />
  </Inspector>
)
