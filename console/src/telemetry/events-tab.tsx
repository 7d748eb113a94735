import type { Event } from '@diorama/contract'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useList } from '../ask.ts'
import { Id } from '../parts/copy.tsx'
import { Chip } from '../parts/field.tsx'
import { FilterText } from '../parts/filter-choice.tsx'
import { Inspector } from '../parts/inspector.tsx'
import { Rows } from '../parts/lists/rows.tsx'
import { Moment } from '../parts/moment.tsx'
import { Payload } from '../parts/payload.tsx'
import { Empty } from '../parts/states.tsx'
import { type SearchField, useAddress } from '../search.ts'
import { brief } from '../words.ts'
import { fieldLabel } from '../worlds/records/record-name.ts'
import { useLiveEvents } from './live-events.ts'

const filterFields: readonly (readonly [SearchField & ('source' | 'topic' | 'event_type'), string])[] = [
  ['source', 'Source'],
  ['topic', 'Topic'],
  ['event_type', 'Type'],
]

export const EventsTab = () => {
  const { search, change } = useAddress()
  const [tail, setTail] = useState(true)
  const filters = { source: search.source, topic: search.topic, event_type: search.event_type }
  const list = useList('listEvents', { query: filters })
  const live = useLiveEvents(tail, filters)
  const known = new Set(list.items.map(({ id }) => id))
  const items = [...live.events.filter(({ id }) => !known.has(id)), ...list.items]
  const open = items.find(({ id }) => id === search.open)
  return (
    <div className="split">
      <div className="split-main">
        <search className="filters">
          <Chip on={tail} onClick={() => setTail(!tail)}>
            Live tail
          </Chip>
          <span className="hint" role="status">
            {tail ? (live.connected ? 'listening' : 'connecting…') : 'paused'}
          </span>
          {filterFields.map(([field, label]) => (
            <FilterText key={field} field={field} label={label} />
          ))}
        </search>
        <Rows
          className="events"
          listing={{ ...list, items }}
          label="Events"
          keyOf={({ id }) => id}
          row={(event) => <EventRow event={event} />}
          open={search.open}
          onOpen={({ id }) => change({ open: id })}
          empty={<NoEvents />}
          heading={
            <>
              <span>Time</span>
              <span>Source</span>
              <span className="lesser">Topic</span>
              <span>Type</span>
              <span>Content</span>
            </>
          }
        />
      </div>
      {open ? <EventInspector event={open} onClose={() => change({ open: undefined })} /> : null}
    </div>
  )
}

const NoEvents = () => (
  <Empty
    title="No events."
    command={`curl -X POST ${location.origin}/v1/events -H "Authorization: Bearer $DIORAMA_API_KEY" -H "Content-Type: application/json" -d '{"source":"shell","topic":"hello","event_type":"said"}'`}
  >
    <p className="quiet">Events that agents and systems send appear here, live when the tail is on.</p>
  </Empty>
)

const EventRow = ({ event }: { event: Event }) => (
  <>
    <span className="mono quiet minor">
      <Moment at={event.event_time} form="clock" />
    </span>
    <span className="minor">{event.source}</span>
    <span className="quiet minor lesser">{event.topic}</span>
    <span>{event.event_type}</span>
    <span className="quiet second">
      {Object.entries(event.entities).map(([type, id]) => `${type} ${id} `)}
      {Object.entries(event.payload)
        .map(([name, value]) => `${fieldLabel(name)}: ${brief(value, 60)}`)
        .join(', ')}
    </span>
  </>
)

export const EventInspector = ({ event, onClose }: { event: Event; onClose: () => void }) => (
  <Inspector title={event.event_type} onClose={onClose}>
    <dl className="pairs">
      <dt>When</dt>
      <dd>
        <Moment at={event.event_time} />
      </dd>
      <dt>Source</dt>
      <dd>{event.source}</dd>
      <dt>Topic</dt>
      <dd>{event.topic}</dd>
      <dt>About</dt>
      <dd>
        <Entities entities={event.entities} />
      </dd>
      <dt>Id</dt>
      <dd>
        <Id value={event.id} />
      </dd>
    </dl>
    <Payload body={JSON.stringify(event.payload)} label="payload" />
    {event.signals.map((signal) => (
      <p key={signal.id}>
        <span className="tag">signal</span> {signal.signal_name} <code>{brief(signal.properties)}</code>
      </p>
    ))}
  </Inspector>
)

export const Entities = ({ entities }: { entities: Event['entities'] }) => (
  <span className="chips">
    {Object.entries(entities).map(([type, id]) => (
      <Link key={type + id} to="/telemetry/entities/$type/$id" params={{ type, id }} className="touchpoint">
        {type} {id}
      </Link>
    ))}
    {Object.keys(entities).length === 0 ? '–' : null}
  </span>
)
