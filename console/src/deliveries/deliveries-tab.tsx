import type { TwinInstanceRecord, WorldResponse } from '@diorama/contract'
import { useState } from 'react'
import { useAsk, useChange } from '../ask.ts'
import { Chip } from '../parts/field.tsx'
import { Table } from '../parts/lists/table.tsx'
import { Moment } from '../parts/moment.tsx'
import { Payload } from '../parts/payload.tsx'
import { ServiceGlyph } from '../parts/service.tsx'
import { Answered, Empty, Failure } from '../parts/states.tsx'
import { Status } from '../parts/status.tsx'
import { useAddress } from '../search.ts'
import { DeliveryInspector } from './delivery-inspector.tsx'
import { deliveryLooks } from './looks.ts'

const lookEveryMs = 2_000

/** What the services of a world send to bots and webhooks, and the settings by which they do. */
export const DeliveriesTab = ({ world }: { world: WorldResponse }) => {
  const { search, change } = useAddress()
  const twin = world.twins.find(({ id }) => id === search.twin) ?? world.twins[0]
  if (!twin) return <Empty title="This world has no services." />
  return (
    <div className="split">
      <div className="split-main page-body">
        <div className="chips">
          {world.twins.map(({ id, service }) => (
            <Chip key={id} on={id === twin.id} onClick={() => change({ twin: id, open: undefined })}>
              <ServiceGlyph service={service} named />
            </Chip>
          ))}
        </div>
        <TwinDeliveries key={twin.id} twin={twin} />
      </div>
      {search.open ? (
        <DeliveryInspector
          worldId={world.world.id}
          twinId={twin.id}
          deliveryId={search.open}
          onClose={() => change({ open: undefined })}
        />
      ) : null}
    </div>
  )
}

const TwinDeliveries = ({ twin }: { twin: TwinInstanceRecord }) => {
  const params = { twinId: twin.id }
  const { change } = useAddress()
  const deliveries = useAsk(
    'listTwinDeliveries',
    { params, query: { limit: 100 } },
    { everyMs: lookEveryMs, keep: true },
  )
  const resend = useChange('resendTwinDelivery')
  return (
    <>
      <AppSettings twin={twin} />
      <section className="section">
        <h2>Deliveries</h2>
        {resend.error ? <Failure error={resend.error} /> : null}
        <Answered asked={deliveries}>
          {({ items }) =>
            items.length === 0 ? (
              <Empty title="Nothing has been sent yet." />
            ) : (
              <Table
                label="Deliveries"
                opens
                rows={items}
                keyOf={({ id }) => id}
                columns={[
                  {
                    name: 'What',
                    cell: ({ id, kind }) => (
                      <button type="button" className="link" onClick={() => change({ open: id })}>
                        {kind}
                      </button>
                    ),
                  },
                  {
                    name: 'Status',
                    cell: ({ status }) => <Status value={deliveryLooks[status]} label={status} />,
                  },
                  { name: 'To', cell: ({ url }) => url ?? 'socket', look: 'mono' },
                  { name: 'Attempts', cell: ({ attempts }) => attempts, look: 'number' },
                  {
                    name: 'Answer',
                    cell: ({ response_status, fault }) => response_status ?? fault ?? '',
                    look: 'quiet',
                  },
                  { name: 'When', cell: ({ created_at }) => <Moment at={created_at} form="ago" /> },
                  {
                    name: 'Resend',
                    unnamed: true,
                    cell: ({ id, kind }) => (
                      <button
                        type="button"
                        className="link"
                        onClick={() => resend.mutate({ params: { ...params, deliveryId: id } })}
                      >
                        Resend<span className="unseen"> {kind}</span>
                      </button>
                    ),
                  },
                ]}
              />
            )
          }
        </Answered>
      </section>
    </>
  )
}

/** The app of the service: its secrets are fetched and shown when somebody asks for them. */
const AppSettings = ({ twin }: { twin: TwinInstanceRecord }) => {
  const [shown, setShown] = useState(false)
  const settings = useAsk('readTwinSettings', { params: { twinId: twin.id } }, { when: shown })
  return (
    <section className="section">
      <div className="section-head">
        <h2>App and signing secret</h2>
        <button type="button" className="button" onClick={() => setShown(!shown)}>
          {shown ? 'Hide' : 'Show'}
        </button>
      </div>
      {shown ? (
        <Answered asked={settings}>
          {(data) => <Payload body={JSON.stringify(data)} label="settings of the app" />}
        </Answered>
      ) : (
        <p className="quiet">Addresses, subscribed events, signing secret and tokens of the app.</p>
      )}
    </section>
  )
}
