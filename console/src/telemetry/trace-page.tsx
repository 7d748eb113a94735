import type { Span, Trace } from '@diorama/contract'
import { Link, useParams } from '@tanstack/react-router'
import { useAsk } from '../ask.ts'
import { PageHead } from '../frame/page-head.tsx'
import { Id } from '../parts/copy.tsx'
import { Rows } from '../parts/lists/rows.tsx'
import { AnsweredPage, Empty } from '../parts/states.tsx'
import { Status } from '../parts/status.tsx'
import { useAddress } from '../search.ts'
import { count, dollars, duration, plural } from '../words.ts'
import { SpanInspector } from './span-inspector.tsx'

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
      <TraceHead trace={trace} />
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
                <span className="number">Tokens</span>
                <span className="number">Cost</span>
                <span className="waterfall-scale">
                  <span>0</span>
                  <span>{duration(length / 2)}</span>
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

const TraceHead = ({ trace }: { trace: Trace }) => (
  <PageHead
    title={trace.trial?.task_title ?? trace.name}
    crumbs={
      <Link to="/telemetry" search={{ tab: 'traces' }}>
        Traces
      </Link>
    }
    facts={
      <>
        <Status value={trace.status} label={trace.status === 'unset' ? 'not ended' : trace.status} />
        <span>{duration(trace.duration_ms)}</span>
        <span>{plural(trace.totals.spans, 'span')}</span>
        <span>{plural(trace.totals.model_calls, 'model call')}</span>
        <span>{plural(trace.totals.input_tokens + trace.totals.output_tokens, 'token')}</span>
        {trace.totals.cost_usd === null ? null : <span>{dollars(trace.totals.cost_usd)}</span>}
        {trace.agent_name ? (
          <Link to="/agents/$name" params={{ name: trace.agent_name }}>
            {trace.agent_name}
          </Link>
        ) : null}
        {trace.trial?.job_id ? (
          <Link
            to="/evaluations/$jobId/trials/$trialId"
            params={{ jobId: trace.trial.job_id, trialId: trace.trial.trial_id }}
          >
            Trial
          </Link>
        ) : null}
        <Id value={trace.trace_id} />
        {trace.truncated ? <span>only the first 10,000 spans</span> : null}
      </>
    }
  />
)

const kinds = { fail: 'failed', tool: 'tool', model: 'model', agent: '' } as const
const kindOf = ({ gen_ai, status }: Span): keyof typeof kinds =>
  status === 'error' ? 'fail' : gen_ai?.tool_name ? 'tool' : gen_ai?.model ? 'model' : 'agent'
const tones = { fail: 'fail', tool: 'crm', model: 'model', agent: 'agent' } as const

const tokensOf = ({ gen_ai }: Span): string =>
  gen_ai === null || (gen_ai.input_tokens === null && gen_ai.output_tokens === null)
    ? ''
    : count((gen_ai.input_tokens ?? 0) + (gen_ai.output_tokens ?? 0))

const SpanRow = ({ span, start, length }: { span: Span; start: number; length: number }) => {
  const kind = kindOf(span)
  return (
    <>
      <span style={{ paddingLeft: `${Math.min(span.depth, 12) * 1.4}rem` }}>
        {span.name} {kinds[kind] ? <span className="tag">{kinds[kind]}</span> : null}
      </span>
      <span className="number quiet">{duration(span.duration_ms)}</span>
      <span className="number quiet minor">{tokensOf(span)}</span>
      <span className="number quiet minor">
        {span.gen_ai?.cost_usd == null ? '' : dollars(span.gen_ai.cost_usd)}
      </span>
      <span className="waterfall-lane second">
        <span
          className={`waterfall-bar tone-${tones[kind]}`}
          style={{
            left: `${((Date.parse(span.started_at) - start) / length) * 100}%`,
            width: `${((span.duration_ms ?? 0) / length) * 100}%`,
          }}
        />
      </span>
    </>
  )
}
