import type { Activity, WorldResponse } from '@diorama/contract'
import { useMemo } from 'react'
import { type Listing, useAsk, useList } from '../ask.ts'
import { Chip } from '../parts/field.tsx'
import { ServiceGlyph, serviceNames } from '../parts/icon.tsx'
import { Moment } from '../parts/moment.tsx'
import { Rows } from '../parts/rows.tsx'
import { Empty } from '../parts/states.tsx'
import { useAddress } from '../search.ts'
import { duration } from '../words.ts'
import { Deed } from './deed.tsx'
import { RequestInspector } from './request-inspector.tsx'

const headMs = 1_500

/** All requests to a world, newest first; new ones arrive on top of what was fetched before. */
const useLedger = (
  worldId: string,
  query: Readonly<Record<string, string | boolean | undefined>>,
): Listing<Activity> => {
  const list = useList('listWorldActivity', { params: { worldId }, query: { ...query, limit: 200 } })
  const head = useAsk(
    'listWorldActivity',
    { params: { worldId }, query: { ...query, limit: 100 } },
    { everyMs: headMs },
  )
  const items = useMemo(() => {
    const known = new Set(list.items.map(({ request_id }) => request_id))
    const newer = (head.data?.items ?? []).filter(({ request_id }) => !known.has(request_id))
    return [...newer, ...list.items]
  }, [list.items, head.data])
  return { ...list, items }
}

const isFailure = ({ response }: Activity) => response.status >= 400

export const LedgerTab = ({ world }: { world: WorldResponse }) => {
  const { search, change } = useAddress()
  const ledger = useLedger(world.world.id, {
    service: search.service,
    mutations_only: search.changed === 'yes' ? true : undefined,
  })
  const wanted = search.q?.toLowerCase() ?? ''
  const failedOnly = search.failed === 'yes'
  const items = useMemo(
    () =>
      ledger.items.filter(
        (item) =>
          (!failedOnly || isFailure(item)) &&
          (wanted === '' ||
            `${item.operation} ${item.actor?.name ?? ''} ${item.request.path}`
              .toLowerCase()
              .includes(wanted)),
      ),
    [ledger.items, failedOnly, wanted],
  )
  const open = items.find(({ request_id }) => request_id === search.open)
  return (
    <div className="split">
      <div className="split-main">
        <LedgerFilters services={world.twins.map(({ service }) => service)} />
        <Rows
          className="ledger"
          listing={{ ...ledger, items }}
          label="Requests"
          keyOf={({ request_id }) => request_id}
          row={(item) => <LedgerRow item={item} />}
          open={search.open}
          onOpen={({ request_id }) => change({ open: request_id })}
          heading={<Heading />}
          empty={<NoRequests filtered={Object.keys(search).length > 0} />}
        />
      </div>
      {open ? (
        <RequestInspector
          twinId={open.twin_id}
          requestId={open.request_id}
          onClose={() => change({ open: undefined })}
        />
      ) : null}
    </div>
  )
}

const NoRequests = ({ filtered }: { filtered: boolean }) => (
  <Empty title={filtered ? 'No request fits these filters.' : 'Nobody has called this world yet.'}>
    <p className="quiet">
      {filtered
        ? 'Take a filter away to see more.'
        : 'The Connect tab shows how to reach each service; requests appear here as they happen.'}
    </p>
  </Empty>
)

const LedgerFilters = ({ services }: { services: readonly string[] }) => {
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
            <span aria-hidden="true">{serviceNames[service] ?? service}</span>
          </Chip>
        ))}
        <Chip
          on={search.changed === 'yes'}
          onClick={() => change({ changed: search.changed ? undefined : 'yes' })}
        >
          Changed something
        </Chip>
        <Chip
          on={search.failed === 'yes'}
          onClick={() => change({ failed: search.failed ? undefined : 'yes' })}
        >
          Refused
        </Chip>
      </div>
      <input
        type="search"
        aria-label="Filter by operation, actor or path"
        placeholder="Operation, actor or path"
        value={search.q ?? ''}
        onChange={(event) => change({ q: event.target.value || undefined })}
      />
    </search>
  )
}

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
    <span className="quiet minor lesser">{item.actor?.name ?? 'nobody'}</span>
    <span className={isFailure(item) ? 'number status-fail' : 'number quiet'}>{item.response.status}</span>
    <span className="number quiet minor lesser">{duration(item.duration_ms)}</span>
    <span className="second">
      <Deed item={item} />
    </span>
  </>
)
