import type { Reply } from '../api.ts'
import { useAsk } from '../ask.ts'
import { Inspector } from '../parts/inspector.tsx'
import { Moment } from '../parts/moment.tsx'
import { Payload } from '../parts/payload.tsx'
import { Answered } from '../parts/states.tsx'
import { Status } from '../parts/status.tsx'
import { duration } from '../words.ts'
import { deliveryLooks } from './looks.ts'

interface DeliveryInspectorProps {
  readonly worldId: string
  readonly twinId: string
  readonly deliveryId: string
  readonly onClose: () => void
}

/** One delivery in full: what was sent, the request that caused it, and every attempt with its answer. */
export const DeliveryInspector = ({ worldId, twinId, deliveryId, onClose }: DeliveryInspectorProps) => {
  const delivery = useAsk('readTwinDelivery', { params: { twinId, deliveryId } }, { keep: true })
  return (
    <Inspector title={delivery.data?.kind ?? 'Delivery'} onClose={onClose}>
      <Answered asked={delivery}>
        {(detail) => (
          <>
            <dl className="pairs">
              <dt>Status</dt>
              <dd>
                <Status value={deliveryLooks[detail.status]} label={detail.status} />
              </dd>
              <dt>To</dt>
              <dd className="mono">{detail.url ?? 'socket'}</dd>
              <dt>Created</dt>
              <dd>
                <Moment at={detail.created_at} />
              </dd>
              {detail.next_attempt_at ? (
                <>
                  <dt>Next attempt</dt>
                  <dd>
                    <Moment at={detail.next_attempt_at} />
                  </dd>
                </>
              ) : null}
              <dt>Caused by</dt>
              <dd>
                <a href={`/worlds/${worldId}/ledger?open=${encodeURIComponent(detail.cause)}`}>
                  {detail.cause}
                </a>
              </dd>
            </dl>
            <Payload body={JSON.stringify(detail.payload)} label="payload" />
            {detail.tries.map((attempt) => (
              <Attempt key={attempt.number} attempt={attempt} />
            ))}
          </>
        )}
      </Answered>
    </Inspector>
  )
}

const Attempt = ({ attempt }: { attempt: Reply<'readTwinDelivery'>['tries'][number] }) => (
  <section>
    <h3>Attempt {attempt.number}</h3>
    <p className="quiet">
      <Moment at={attempt.at} />, {duration(attempt.duration_ms)}
      {attempt.response ? `, answered ${attempt.response.status}` : ''}
      {attempt.error ? `: ${attempt.error}` : ''}
    </p>
    {attempt.response?.body ? (
      <Payload body={attempt.response.body} label={`answer to attempt ${attempt.number}`} />
    ) : null}
  </section>
)
