import type { ModelCallDetail, ModelCallMessage } from '@diorama/contract'
import { useAsk } from '../../ask.ts'
import { Id } from '../../parts/copy.tsx'
import { Inspector } from '../../parts/inspector.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Payload } from '../../parts/payload.tsx'
import { Answered } from '../../parts/states.tsx'
import { Status } from '../../parts/status.tsx'
import { count, dollars, duration } from '../../words.ts'

/** One call of a model in full: the prompt message by message, the reply, and what it cost. */
export const ModelCallInspector = ({ callId, onClose }: { callId: string; onClose: () => void }) => {
  const detail = useAsk('readModelCall', { params: { callId } }, { forever: true })
  return (
    <Inspector title={detail.data?.model ?? 'Model call'} label="Model call" onClose={onClose}>
      <Answered asked={detail}>{(data) => <CallBody call={data} />}</Answered>
    </Inspector>
  )
}

const served: Readonly<Record<ModelCallDetail['served'], string>> = {
  live: 'the provider',
  cassette: 'the cassette',
  script: 'the script',
  none: 'no one: it was refused',
}

const CallBody = ({ call }: { call: ModelCallDetail }) => (
  <>
    <dl className="pairs">
      <dt>Outcome</dt>
      <dd>
        <Status
          value={call.outcome === 'succeeded' ? 'passed' : 'failed'}
          label={call.outcome.replace('_', ' ')}
        />
      </dd>
      <dt>Answered by</dt>
      <dd>
        {served[call.served]}, {call.provider} {call.operation}
      </dd>
      <dt>Tokens</dt>
      <dd>
        {count(call.input_tokens)} in, {count(call.output_tokens)} out
        {call.cached_input_tokens > 0 ? `, ${count(call.cached_input_tokens)} from the cache` : ''}
      </dd>
      <dt>Cost</dt>
      <dd>{dollars(call.cost_usd)}</dd>
      <dt>Took</dt>
      <dd>
        {duration(call.latency_ms)}
        {call.first_byte_ms === null ? '' : `, first byte after ${duration(call.first_byte_ms)}`}
      </dd>
      <dt>At</dt>
      <dd>
        <Moment at={call.started_at} />
      </dd>
      <dt>Call</dt>
      <dd>
        <Id value={call.id} />
      </dd>
    </dl>
    {call.error === null ? null : <p className="status-fail wrap">{call.error}</p>}
    <section className="section" aria-label="Prompt">
      <h3>Prompt</h3>
      {call.messages.map((message, n) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a message has no other name than its place.
        <Message key={n} message={message} />
      ))}
    </section>
    <section className="section" aria-label="Reply">
      <h3>Reply</h3>
      <Message message={{ role: 'assistant', text: call.reply.text, tool_calls: call.reply.tool_calls }} />
    </section>
    <details className="change">
      <summary>As it was sent and answered</summary>
      <Payload body={call.request} label="request" />
      <Payload body={call.response} label="response" />
    </details>
  </>
)

const Message = ({ message }: { message: ModelCallMessage }) => (
  <div className="model-message">
    <span className="tag">{message.role}</span>
    {message.text === '' ? null : <pre className="block wrap">{message.text}</pre>}
    {(message.tool_calls ?? []).map(({ id, name, input }) => (
      <pre key={id} className="block wrap">
        {name} {JSON.stringify(input, null, 1)}
      </pre>
    ))}
  </div>
)
