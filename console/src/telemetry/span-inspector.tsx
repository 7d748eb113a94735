import type { GenAi, Span } from '@diorama/contract'
import { Id } from '../parts/copy.tsx'
import { Inspector } from '../parts/inspector.tsx'
import { Moment } from '../parts/moment.tsx'
import { Payload } from '../parts/payload.tsx'
import { count, dollars, duration } from '../words.ts'

/** One span in full: what it was, what it cost, what went in and came out. */
export const SpanInspector = ({ span, onClose }: { span: Span; onClose: () => void }) => (
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
      {span.gen_ai?.model ? <ModelFacts genAi={span.gen_ai} model={span.gen_ai.model} /> : null}
      <dt>Span id</dt>
      <dd>
        <Id value={span.span_id} />
      </dd>
    </dl>
    <Part title="Input" value={span.gen_ai?.input ?? span.gen_ai?.tool_arguments} />
    <Part title="Output" value={span.gen_ai?.output ?? span.gen_ai?.tool_result} />
    <section className="section">
      <h3>Attributes</h3>
      <Payload body={JSON.stringify(span.attributes)} label="attributes" />
    </section>
  </Inspector>
)

const ModelFacts = ({ genAi, model }: { genAi: GenAi; model: string }) => (
  <>
    <dt>Model</dt>
    <dd>{model}</dd>
    <dt>Tokens</dt>
    <dd>
      {count(genAi.input_tokens ?? 0)} in, {count(genAi.output_tokens ?? 0)} out
      {genAi.cache_read_tokens ? `, ${count(genAi.cache_read_tokens)} from the cache` : ''}
    </dd>
    <dt>Cost</dt>
    <dd>{dollars(genAi.cost_usd)}</dd>
  </>
)

const Part = ({ title, value }: { title: string; value: unknown }) =>
  value === null || value === undefined ? null : (
    <section className="section">
      <h3>{title}</h3>
      <Payload body={typeof value === 'string' ? value : JSON.stringify(value)} label={title.toLowerCase()} />
    </section>
  )
