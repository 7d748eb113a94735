import type { ChatTurn } from '@diorama/contract'
import { Link, useParams } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { useAsk, useChange } from '../ask.ts'
import { PageHead } from '../frame/page-head.tsx'
import { Moment } from '../parts/moment.tsx'
import { AnsweredPage, Empty, Failure } from '../parts/states.tsx'
import { Status } from '../parts/status.tsx'
import { duration } from '../words.ts'

/** A conversation with an agent, and beside it what it did for each reply. */
export const ChatPage = () => {
  const params = useParams({ from: '/agents/$name/chat/$sessionId' })
  const chat = useAsk('readChat', { params }, { everyMs: 3_000 })
  return (
    <AnsweredPage asked={chat}>
      {(data) => (
        <>
          <PageHead
            title={`Chat with ${data.agent}`}
            crumbs={
              <>
                <Link to="/agents">Agents</Link>
                <Link to="/agents/$name" params={{ name: params.name }}>
                  {params.name}
                </Link>
              </>
            }
          />
          <div className="split agent-chat">
            <section className="split-main" aria-label="Conversation">
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard. */}
              <div className="chat-messages agent-messages" role="log" tabIndex={0} aria-label="Messages">
                {data.messages.length === 0 ? <Empty title="Say something to the agent." /> : null}
                {data.messages.map(({ role, text, created_at }) => (
                  <div key={created_at + role} className={`bubble bubble-${role}`}>
                    <p className="hint">
                      {role === 'user' ? 'You' : data.agent} <Moment at={created_at} form="clock" />
                    </p>
                    <p className="prose">{text}</p>
                  </div>
                ))}
              </div>
              <Say params={params} busy={data.busy} />
            </section>
            <aside className="inspector" aria-label="Steps">
              <header className="inspector-head">
                <h2>Steps</h2>
              </header>
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard. */}
              <div className="inspector-body" tabIndex={0}>
                {data.turns.length === 0 ? (
                  <p className="quiet">What the agent does for each reply appears here.</p>
                ) : null}
                {data.turns.map((turn) => (
                  <Turn key={turn.id} turn={turn} />
                ))}
              </div>
            </aside>
          </div>
        </>
      )}
    </AnsweredPage>
  )
}

const Turn = ({ turn }: { turn: ChatTurn }) => (
  <div>
    <p>
      <Status value={turn.status} />{' '}
      <Link to="/telemetry/traces/$traceId" params={{ traceId: turn.trace_id }}>
        Trace
      </Link>
    </p>
    {turn.error ? <p className="status-fail wrap">{turn.error}</p> : null}
    <ol className="turn-steps">
      {turn.steps.map((step) => (
        <li key={`${step.started_at}${step.kind}${step.name}`}>
          <span className="tag">{step.kind.replace('_', ' ')}</span> {step.name}{' '}
          <span className="hint">{duration(step.duration_ms)}</span>
        </li>
      ))}
    </ol>
  </div>
)

const Say = ({ params, busy }: { params: { name: string; sessionId: string }; busy: boolean }) => {
  const send = useChange('sendChatMessage')
  const [text, setText] = useState('')
  const say = (event: FormEvent) => {
    event.preventDefault()
    send.mutate({ params, body: { text } }, { onSuccess: () => setText('') })
  }
  return (
    <form className="say" onSubmit={say}>
      {send.error ? <Failure error={send.error} /> : null}
      <textarea
        aria-label="Message"
        rows={2}
        value={text}
        onChange={(event) => setText(event.target.value)}
        placeholder="Message"
      />
      <button
        type="submit"
        className="button is-primary"
        disabled={text.trim() === '' || send.isPending || busy}
      >
        {send.isPending || busy ? 'Answering…' : 'Send'}
      </button>
    </form>
  )
}
