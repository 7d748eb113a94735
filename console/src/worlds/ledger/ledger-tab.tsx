import type { Activity } from '@diorama/contract'
import { useEffect, useRef, useState } from 'react'
import { Chip } from '../../parts/field.tsx'
import { Rows } from '../../parts/lists/rows.tsx'
import { Moment } from '../../parts/moment.tsx'
import { ServiceGlyph, serviceName } from '../../parts/service.tsx'
import { Empty } from '../../parts/states.tsx'
import { type SearchField, useAddress } from '../../search.ts'
import { duration } from '../../words.ts'
import type { RecordSource } from '../live-world.ts'
import { ChangeSummary } from './change-summary.tsx'
import { useLedger } from './ledger.ts'
import { RequestInspector } from './request-inspector.tsx'

const filterFields: readonly SearchField[] = ['service', 'changed', 'refused', 'status', 'operation', 'q']

interface LedgerTabProps {
  readonly source: RecordSource
  /** The services to choose between; one alone needs no choice. */
  readonly services: readonly string[]
}

export const LedgerTab = ({ source, services }: LedgerTabProps) => {
  const { search, change } = useAddress()
  const ledger = useLedger(source, {
    service: 'worldId' in source ? search.service : undefined,
    mutations_only: search.changed === 'yes' ? true : undefined,
    refused: search.refused === 'yes' ? true : undefined,
    status: search.status,
    operation: search.operation,
    q: search.q,
  })
  const { items } = ledger
  const open = items.find(({ request_id }) => request_id === search.open)
  return (
    <div className="split">
      <div className="split-main">
        <LedgerFilters
          services={services.length > 1 ? services : []}
          items={items}
          connected={ledger.connected}
        />
        <Rows
          className="ledger"
          listing={ledger}
          label="Requests"
          keyOf={({ request_id }) => request_id}
          row={(item) => <LedgerRow item={item} />}
          open={search.open}
          onOpen={({ request_id }) => change({ open: request_id })}
          heading={<Heading />}
          empty={<NoRequests filtered={filterFields.some((field) => search[field] !== undefined)} />}
        />
      </div>
      {open ? (
        <RequestInspector
          twinId={open.twin_id}
          requestId={open.request_id}
          branch={'worldId' in source ? { worldId: source.worldId } : undefined}
          onClose={() => change({ open: undefined })}
        />
      ) : null}
    </div>
  )
}

const NoRequests = ({ filtered }: { filtered: boolean }) => (
  <Empty title={filtered ? 'No requests match these filters.' : 'No requests yet.'}>
    <p className="quiet">
      {filtered
        ? 'Remove a filter to see more.'
        : 'The Connect tab shows how to call each service. Requests appear here as they arrive.'}
    </p>
  </Empty>
)

interface LedgerFiltersProps {
  readonly services: readonly string[]
  readonly items: readonly Activity[]
  readonly connected: boolean | undefined
}

const LedgerFilters = ({ services, items, connected }: LedgerFiltersProps) => {
  const { search, change } = useAddress()
  return (
    <search className="filters">
      <div className="chips">
        {services.map((service) => (
          <Chip
            key={service}
            on={search.service === service}
            onClick={() => change({ service: search.service === service ? undefined : service })}
          >
            <ServiceGlyph service={service} />
            <span aria-hidden="true">{serviceName(service)}</span>
          </Chip>
        ))}
        <Chip
          on={search.changed === 'yes'}
          onClick={() => change({ changed: search.changed ? undefined : 'yes' })}
        >
          Writes
        </Chip>
        <Chip
          on={search.refused === 'yes'}
          onClick={() => change({ refused: search.refused ? undefined : 'yes' })}
        >
          Refused
        </Chip>
      </div>
      <StatusChoice />
      <OperationChoice items={items} />
      <TextFilter />
      <span className="hint" role="status">
        {connected === undefined ? 'connecting…' : connected ? 'live' : 'reconnecting…'}
      </span>
    </search>
  )
}

const statuses = [
  ['', 'Any status'],
  ['2xx', '2xx success'],
  ['3xx', '3xx redirect'],
  ['4xx', '4xx client error'],
  ['5xx', '5xx server error'],
  ['failed', 'All failures'],
] as const

const StatusChoice = () => {
  const { search, change } = useAddress()
  const { status = '' } = search
  return (
    <select
      aria-label="Status"
      value={status}
      onChange={(event) => change({ status: event.target.value || undefined })}
    >
      {statuses.map(([value, words]) => (
        <option key={value} value={value}>
          {words}
        </option>
      ))}
      {statuses.some(([value]) => value === status) ? null : <option value={status}>{status}</option>}
    </select>
  )
}

/** One operation by its name; those that were seen here are offered. */
const OperationChoice = ({ items }: { items: readonly Activity[] }) => {
  const { search, change } = useAddress()
  const seen = useRef(new Set<string>())
  for (const { operation } of items.slice(0, offeredFrom)) seen.current.add(operation)
  const names = [...seen.current].sort()
  const { operation = '' } = search
  const pick = (text: string) => {
    if (text !== operation) change({ operation: text || undefined })
  }
  return (
    <>
      <input
        key={operation}
        aria-label="Operation"
        placeholder="Operation"
        list="operations"
        defaultValue={operation}
        onChange={({ target }) => (names.includes(target.value) ? pick(target.value) : undefined)}
        onBlur={({ target }) => pick(target.value)}
        onKeyDown={(event) => (event.key === 'Enter' ? event.currentTarget.blur() : undefined)}
      />
      <datalist id="operations">
        {names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  )
}
const offeredFrom = 500

/** Asks for what was typed once the typing pauses. */
const TextFilter = () => {
  const { search, change } = useAddress()
  const { q = '' } = search
  const [typed, setTyped] = useState(q)
  const latest = useRef(change)
  latest.current = change
  useEffect(() => setTyped(q), [q])
  useEffect(() => {
    if (typed === q) return
    const timer = setTimeout(() => latest.current({ q: typed || undefined }), typingPauseMs)
    return () => clearTimeout(timer)
  }, [typed, q])
  return (
    <input
      type="search"
      aria-label="Filter by operation, actor or path"
      placeholder="Filter"
      maxLength={200}
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
    />
  )
}
const typingPauseMs = 250

const Heading = () => (
  <>
    <span>Time</span>
    <span />
    <span>Operation</span>
    <span className="lesser">Actor</span>
    <span className="number">Status</span>
    <span className="number lesser">Took</span>
    <span>What it did</span>
  </>
)

export const LedgerRow = ({ item }: { item: Activity }) => (
  <>
    <span className="mono quiet minor">
      <Moment at={item.at} form="clock" />
    </span>
    <span className="minor fits">
      <ServiceGlyph service={item.service} />
    </span>
    <span>{item.operation}</span>
    <span className="quiet minor lesser">{item.actor?.name ?? 'anonymous'}</span>
    <span className={item.refused === null ? 'number quiet' : 'number status-fail'}>
      {item.response.status}
    </span>
    <span className="number quiet minor lesser">{duration(item.duration_ms)}</span>
    <span className="second">
      <ChangeSummary item={item} />
    </span>
  </>
)
