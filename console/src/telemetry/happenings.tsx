import type { DiffEntry, Happening } from '@diorama/contract'
import { isRecord } from '@diorama/contract/records'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { changedFields } from '../parts/differences/field-diff.tsx'
import { Moment } from '../parts/moment.tsx'
import { Payload } from '../parts/payload.tsx'
import { serviceName } from '../parts/service.tsx'
import { brief, duration, text } from '../words.ts'
import { ChangeCard } from '../worlds/records/change-card.tsx'
import { fieldLabel } from '../worlds/records/record-name.ts'
import { Entities } from './events-tab.tsx'

const kinds: Readonly<Record<string, string>> = { event: 'event', span: 'span', change: 'change in a twin' }

/** Where it comes from; the collection of a record is named as people do. */
const placeOf = ({ kind, source, topic }: Happening): string =>
  kind === 'change' ? `${serviceName(source)} · ${fieldLabel(topic)}` : `${source} · ${topic}`

/** Events, spans and changes as one list of cards in time. */
export const Happenings = ({ items }: { items: readonly Happening[] }) => (
  <ol className="happenings">
    {items.map((item) => (
      <li key={item.id}>
        <span className="mono quiet">
          <Moment at={item.event_time} />
        </span>
        <article className="happening">
          <p className="happening-head">
            {item.kind === 'change' ? null : <strong>{item.event_type}</strong>}
            <span className="tag">{kinds[item.kind] ?? item.kind}</span>
            <span className="quiet">{placeOf(item)}</span>
            <Way item={item} />
          </p>
          {item.kind === 'change' ? (
            <Change item={item} />
          ) : item.kind === 'span' ? (
            <SpanFacts payload={item.payload} />
          ) : (
            <Facts record={item.payload} />
          )}
          <Entities entities={item.entities} />
        </article>
      </li>
    ))}
  </ol>
)

/** The way to where it happened: the trace of a span, the ledger of a change. */
const Way = ({ item: { kind, payload } }: { item: Happening }) => {
  const traceId = text(payload, 'trace_id')
  if (kind === 'span' && traceId)
    return (
      <Link
        to="/telemetry/traces/$traceId"
        params={{ traceId }}
        search={{ open: text(payload, 'span_id') }}
        className="happening-way"
      >
        Open the trace
      </Link>
    )
  const [worldId, twinId] = [text(payload, 'world_id'), text(payload, 'twin_id')]
  if (kind !== 'change' || !twinId) return null
  const search = { open: text(payload, 'request_id') }
  return worldId ? (
    <Link
      to="/worlds/$worldId/$tab"
      params={{ worldId, tab: 'ledger' }}
      search={search}
      className="happening-way"
    >
      Open the request
    </Link>
  ) : (
    <Link
      to="/twins/$twinId/$tab"
      params={{ twinId, tab: 'ledger' }}
      search={search}
      className="happening-way"
    >
      Open the request
    </Link>
  )
}

const recordAt = (payload: Happening['payload'], field: string) => {
  const value = payload[field]
  return isRecord(value) ? value : null
}
const operations = ['create', 'update', 'delete'] as const

const Change = ({ item }: { item: Happening }) => {
  const { payload } = item
  const [before, after] = [recordAt(payload, 'before'), recordAt(payload, 'after')]
  const entry: DiffEntry = {
    service: item.source,
    collection: item.topic,
    operation: operations.find((one) => one === item.event_type) ?? 'update',
    key: text(payload, 'key') || null,
    id: text(payload, 'record_id'),
    before,
    after,
    changed: Object.fromEntries(
      changedFields(before, after).map((field) => [field, [before?.[field], after?.[field]]]),
    ),
  }
  return <ChangeCard entries={[entry]} fresh={false} />
}

const SpanFacts = ({ payload }: { payload: Happening['payload'] }) => {
  const took = payload['duration_ms']
  const status = text(payload, 'status')
  const facts = {
    ...(typeof took === 'number' ? { took: duration(took) } : {}),
    ...(status ? { status: `${status} ${text(payload, 'status_message')}`.trim() } : {}),
    ...recordAt(payload, 'attributes'),
  }
  return <Facts record={facts} whole={payload} />
}

const maxFacts = 6

/** The fields of a record, the plain ones first; all of it on demand. */
const Facts = ({
  record,
  whole = record,
}: {
  record: Readonly<Record<string, unknown>>
  whole?: Readonly<Record<string, unknown>>
}) => {
  const [all, setAll] = useState(false)
  const told = Object.entries(record)
    .filter(([, value]) => value !== null && value !== undefined && value !== '')
    .toSorted(([, a], [, b]) => Number(typeof a === 'object') - Number(typeof b === 'object'))
  if (told.length === 0) return null
  return (
    <>
      <dl className="sentences">
        {told.slice(0, maxFacts).map(([name, value]) => (
          <div key={name}>
            <dt>{name.includes('.') ? name : fieldLabel(name)}</dt>
            <dd>{brief(value, 240)}</dd>
          </div>
        ))}
      </dl>
      {all ? <Payload body={JSON.stringify(whole)} label="payload" /> : null}
      <button type="button" className="link" aria-expanded={all} onClick={() => setAll(!all)}>
        {all ? 'Hide the payload' : told.length > maxFacts ? `All ${told.length} fields` : 'Payload'}
      </button>
    </>
  )
}
