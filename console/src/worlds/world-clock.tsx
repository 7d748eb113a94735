import type { ClockMove, WorldClock, WorldResponse } from '@diorama/contract'
import { type FormEvent, useState } from 'react'
import { useAsk, useChange } from '../ask.ts'
import { Field } from '../parts/field.tsx'
import { Icon } from '../parts/icon.tsx'
import { Modal } from '../parts/modal.tsx'
import { Failure } from '../parts/states.tsx'
import { count, storyDay, storyMinute } from '../words.ts'
import { storyClock } from './story-clock.ts'

const moment = (at: string): string => `${storyDay(Date.parse(at))}, ${storyMinute(Date.parse(at))} UTC`

/** Whether the blueprint says anything of how the world moves; a world of which it says nothing gets no clock by a look. */
export const moves = ({ world }: WorldResponse): boolean => {
  const scenario = world.blueprint['scenario']
  if (typeof scenario !== 'object' || scenario === null) return false
  const { time, events, coworkers } = scenario as Record<string, unknown>
  const isFilled = (list: unknown) => Array.isArray(list) && list.length > 0
  return (time !== undefined && time !== null) || isFilled(events) || isFilled(coworkers)
}

/** The world's time, and the way to move it. */
export const WorldClockButton = ({ world, alive }: { world: WorldResponse; alive: boolean }) => {
  const [open, setOpen] = useState(false)
  const params = { worldId: world.world.id }
  const clock = useAsk(
    'readWorldClock',
    { params },
    { everyMs: open ? 2_000 : 5_000, when: alive && (open || moves(world)) },
  )
  const shown = clock.data ? moment(clock.data.now) : storyClock(world)
  if (!alive)
    return (
      <span className="glyph">
        <Icon name="clock" size={14} /> World time {shown}
      </span>
    )
  return (
    <>
      <button type="button" className="link glyph" onClick={() => setOpen(true)}>
        <Icon name="clock" size={14} /> World time {shown}
      </button>
      <Modal
        title="World clock"
        about="Whatever comes due on the way happens, in order, in all services."
        open={open}
        onClose={() => setOpen(false)}
      >
        {clock.error ? <Failure error={clock.error} /> : null}
        {clock.data ? <ClockForm worldId={params.worldId} clock={clock.data} /> : null}
      </Modal>
    </>
  )
}

const ClockForm = ({ worldId, clock }: { worldId: string; clock: WorldClock }) => {
  const move = useChange('moveWorldClock')
  const [length, setLength] = useState('1h')
  const [to, setTo] = useState('')
  const send = (body: ClockMove) => move.mutate({ params: { worldId }, body })
  const advance = (event: FormEvent) => {
    event.preventDefault()
    send({ advance: length })
  }
  const set = (event: FormEvent) => {
    event.preventDefault()
    send({ to: `${to.length === 16 ? `${to}:00` : to}Z` })
  }
  return (
    <div className="form">
      <ClockFacts clock={clock} />
      <div aria-live="polite">
        {move.error ? <Failure error={move.error} /> : null}
        {clock.error ? <p className="status-warning">{clock.error}</p> : null}
      </div>
      <form className="form" onSubmit={advance}>
        <Field label="Advance by" hint="Such as 90s, 2h or 1h30m.">
          {(id) => (
            <input id={id} value={length} onChange={(event) => setLength(event.target.value)} required />
          )}
        </Field>
        <div className="chips">
          <button type="submit" className="button is-primary" disabled={move.isPending}>
            Advance
          </button>
          <button
            type="button"
            className="button"
            disabled={move.isPending || clock.next_due === null}
            onClick={() => (clock.next_due === null ? undefined : send({ to: clock.next_due }))}
          >
            Go to what is next
          </button>
        </div>
      </form>
      <form className="form" onSubmit={set}>
        <Field label="Set to (UTC)" hint="The clock never goes back.">
          {(id) => (
            <input
              id={id}
              type="datetime-local"
              step={1}
              value={to}
              onChange={(event) => setTo(event.target.value)}
              required
            />
          )}
        </Field>
        <button type="submit" className="button" disabled={move.isPending}>
          Set the clock
        </button>
      </form>
      <ClockMode clock={clock} isBusy={move.isPending} send={send} />
    </div>
  )
}

const ClockFacts = ({ clock }: { clock: WorldClock }) => (
  <dl className="pairs">
    <dt>Now</dt>
    <dd>{moment(clock.now)}</dd>
    <dt>Next</dt>
    <dd>{clock.next_due === null ? 'nothing is due' : moment(clock.next_due)}</dd>
    <dt>Happened</dt>
    <dd>
      {count(clock.fired)}, {count(clock.pending)} to come
    </dd>
  </dl>
)

interface ClockModeProps {
  readonly clock: WorldClock
  readonly isBusy: boolean
  readonly send: (move: ClockMove) => void
}

const ClockMode = ({ clock, isBusy, send }: ClockModeProps) => (
  <Field
    label="Time passes"
    hint={
      clock.mode === 'story'
        ? `Each request costs ${count(clock.request_cost_seconds)} s.`
        : `At ${clock.factor} times real speed.`
    }
  >
    {(id) => (
      <select
        id={id}
        value={clock.mode}
        disabled={isBusy}
        onChange={(event) => send({ mode: event.target.value === 'story' ? 'story' : 'wall' })}
      >
        <option value="story">by requests and by hand</option>
        <option value="wall">as on the wall</option>
      </select>
    )}
  </Field>
)
