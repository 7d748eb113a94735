import type { ChatTurn } from '@diorama/contract'
import { Link, useParams } from '@tanstack/react-router'
import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react'
import type { Reply } from '../api.ts'
import { useAsk, useChange } from '../ask.ts'
import { PageHead } from '../frame/page-head.tsx'
import { Moment } from '../parts/moment.tsx'
import { AnsweredPage, Empty, Failure } from '../parts/states.tsx'
import { Status } from '../parts/status.tsx'
import { dollars, duration, plural } from '../words.ts'

type History = Reply<'readChat'>

/** A conversation with an agent, and beside it what it did for each reply. */
export const ChatPage = () => {
  const params = useParams({ from: '/agents/$name/chat/$sessionId' })
  const chat = useAsk('readChat', { params }, { everyMs: 3_000 })
  const send = useChange('sendChatMessage')
  const [said, setSaid] = useState<string>()
  const say = (text: string) => {
    setSaid(text)
    send.mutate({ params, body: { text } }, { onSettled: () => setSaid(undefined) })
  }
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
            facts={
              <>
                <span>{plural(data.messages.length, 'message')}</span>
                {data.world_id ? (
                  <Link to="/worlds/$worldId/$tab" params={{ worldId: data.world_id, tab: 'ledger' }}>
                    In a world
                  </Link>
                ) : (
                  <span>without a world</span>
                )}
              </>
            }
          />
          <div className="split agent-chat">
            <section className="split-main" aria-label="Conversation">
              <Messages chat={data} said={send.isPending ? said : undefined} />
              <Say busy={send.isPending || data.busy} error={send.error} onSay={say} />
            </section>
            <Steps turns={data.turns} />
          </div>
        </>
      )}
    </AnsweredPage>
  )
}

const Messages = ({ chat, said }: { chat: History; said: string | undefined }) => {
  const end = useRef<HTMLDivElement>(null)
  const count = chat.messages.length
  useEffect(() => {
    if (count > 0 || said !== undefined) end.current?.scrollIntoView({ block: 'nearest' })
  }, [count, said])
  // The service may know of a message before its answer is there.
  const isKnown = chat.messages.at(-1)?.role === 'user'
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
    <div className="chat-messages agent-messages" role="log" tabIndex={0} aria-label="Messages">
      {count === 0 && said === undefined ? (
        <Empty title="Send a message to start.">
          <p className="quiet">Model calls and tool calls appear beside the conversation.</p>
        </Empty>
      ) : null}
      {chat.messages.map(({ role, text, created_at }) => (
        <div key={created_at + role} className={`bubble bubble-${role}`}>
          <p className="hint">
            {role === 'user' ? 'You' : chat.agent} <Moment at={created_at} form="clock" />
          </p>
          <p className="prose">{text}</p>
        </div>
      ))}
      {said !== undefined && !isKnown ? (
        <div className="bubble bubble-user is-pending">
          <p className="hint">You, just now</p>
          <p className="prose">{said}</p>
        </div>
      ) : null}
      {said !== undefined || chat.busy ? <Status value="running" label="answering" /> : null}
      <div ref={end} />
    </div>
  )
}

const Steps = ({ turns }: { turns: readonly ChatTurn[] }) => (
  <aside className="inspector" aria-label="Steps">
    <header className="inspector-head">
      <h2>Steps</h2>
    </header>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard. */}
    <div className="inspector-body" tabIndex={0}>
      {turns.length === 0 ? <p className="quiet">The steps behind each reply appear here.</p> : null}
      {turns.map((turn, index) => (
        <Turn key={turn.id} turn={turn} number={index + 1} />
      ))}
    </div>
  </aside>
)

const Turn = ({ turn, number }: { turn: ChatTurn; number: number }) => (
  <section aria-label={`Reply ${number}`}>
    <div className="section-head">
      <h3>Reply {number}</h3>
      <span className="chips">
        <Status value={turn.status} />
        <Link to="/telemetry/traces/$traceId" params={{ traceId: turn.trace_id }}>
          Trace
        </Link>
      </span>
    </div>
    {turn.error ? <p className="status-fail wrap">{turn.error}</p> : null}
    <ol className="turn-steps">
      {turn.steps.map((step) => (
        <li key={`${step.started_at}${step.kind}${step.name}`}>
          <span className="tag">{step.kind.replace('_', ' ')}</span>
          <span className="wrap">{step.name}</span>
          <span className="hint number">{duration(step.duration_ms)}</span>
        </li>
      ))}
    </ol>
    <p className="hint">
      {plural(turn.usage.input_tokens + turn.usage.output_tokens, 'token')}
      {turn.cost_usd === null ? '' : `, ${dollars(turn.cost_usd)}`}
    </p>
  </section>
)

interface SayProps {
  readonly busy: boolean
  readonly error: Error | null
  readonly onSay: (text: string) => void
}

const Say = ({ busy, error, onSay }: SayProps) => {
  const [text, setText] = useState('')
  const say = (event: FormEvent | KeyboardEvent) => {
    event.preventDefault()
    if (busy || text.trim() === '') return
    onSay(text)
    setText('')
  }
  return (
    <form className="say" onSubmit={say}>
      {error ? <Failure error={error} /> : null}
      <textarea
        aria-label="Message"
        rows={2}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => (event.key === 'Enter' && !event.shiftKey ? say(event) : undefined)}
        placeholder="Message (Enter to send, Shift+Enter for a new line)"
      />
      <button type="submit" className="button is-primary" disabled={text.trim() === '' || busy}>
        {busy ? 'Answering…' : 'Send'}
      </button>
    </form>
  )
}
