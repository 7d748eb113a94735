import type { TwinInstanceRecord } from '@diorama/contract'
import { Link } from '@tanstack/react-router'
import { useList } from '../ask.ts'
import { Table, type TableColumn } from '../parts/lists/table.tsx'
import { Moment } from '../parts/moment.tsx'
import { ServiceGlyph, serviceName } from '../parts/service.tsx'
import { TwinStatus } from '../parts/status.tsx'
import { useAddress } from '../search.ts'

const columns: readonly TableColumn<TwinInstanceRecord>[] = [
  {
    name: 'Twin',
    cell: ({ id, service }) => (
      <>
        <ServiceGlyph service={service} />{' '}
        <Link to="/twins/$twinId/$tab" params={{ twinId: id, tab: 'records' }}>
          {serviceName(service)}
        </Link>
      </>
    ),
  },
  { name: 'Id', look: 'mono quiet', cell: ({ id }) => id },
  { name: 'Status', cell: ({ status }) => <TwinStatus value={status} /> },
  {
    name: 'Created',
    look: 'number quiet',
    cell: ({ createdAt }) => <Moment at={createdAt} form="ago" />,
  },
  {
    name: 'Expires',
    look: 'number quiet',
    cell: ({ expiresAt }) => (expiresAt ? <Moment at={expiresAt} form="ago" /> : '–'),
  },
]

/** Twins of no world. Those that have ended are out of the way, as stopped worlds are. */
export const StandaloneTwins = () => {
  const twins = useList('listTwins', { query: { standalone: true } }, { everyMs: 10_000 })
  const { search } = useAddress()
  const shown = search.archived
    ? twins.items
    : twins.items.filter(({ status }) => status !== 'stopped' && status !== 'expired')
  if (shown.length === 0) return null
  return (
    <section className="section">
      <h2>Standalone twins</h2>
      <Table label="Standalone twins" opens columns={columns} rows={shown} keyOf={({ id }) => id} />
    </section>
  )
}
