import type { ActivityDetail } from '@diorama/contract'
import { useAsk } from '../../ask.ts'
import { Id } from '../../parts/copy.tsx'
import { FieldDiff } from '../../parts/differences/field-diff.tsx'
import { Inspector } from '../../parts/inspector.tsx'
import { Moment, StoryMoment } from '../../parts/moment.tsx'
import { Payload } from '../../parts/payload.tsx'
import { ServiceGlyph } from '../../parts/service.tsx'
import { Answered } from '../../parts/states.tsx'
import { useEmoji } from '../../parts/text/emoji.ts'
import { duration } from '../../words.ts'
import { useReferences } from '../records/references.tsx'
import { BranchButton, type BranchSource } from './branch-button.tsx'
import { inWords } from './change-summary.tsx'

interface RequestInspectorProps {
  readonly twinId: string
  readonly requestId: string
  /** Where a world can be branched off; nowhere when left out, as from a twin on its own. */
  readonly branch?: BranchSource | undefined
  readonly onClose: () => void
}

/** One request in full: what was asked, what was answered, and each record before and after. */
export const RequestInspector = ({ twinId, requestId, branch, onClose }: RequestInspectorProps) => {
  const detail = useAsk('readTwinActivity', { params: { twinId, requestId } }, { forever: true })
  return (
    <Inspector title={detail.data?.operation ?? 'Request'} onClose={onClose}>
      <Answered asked={detail}>{(data) => <RequestBody detail={data} />}</Answered>
      {branch && detail.data ? <BranchButton source={branch} at={requestId} /> : null}
    </Inspector>
  )
}

const RequestBody = ({ detail }: { detail: ActivityDetail }) => {
  const { byId } = useReferences()
  const { withEmoji } = useEmoji(detail.service)
  return (
    <>
      <dl className="pairs">
        <dt>Service</dt>
        <dd>
          <ServiceGlyph service={detail.service} named />
        </dd>
        <dt>Actor</dt>
        <dd>{detail.actor?.name ?? 'anonymous'}</dd>
        <dt>Status</dt>
        <dd className={detail.refused === null ? '' : 'status-fail'}>
          {detail.response.status} in {duration(detail.duration_ms)}
          {detail.refused === null ? '' : `, refused: ${detail.refused}`}
        </dd>
        <dt>At</dt>
        <dd>
          <Moment at={detail.at} />, world time <StoryMoment at={detail.world_time} />
        </dd>
        <dt>Request id</dt>
        <dd>
          <Id value={detail.request_id} />
        </dd>
      </dl>
      {detail.mutations.length > 0 ? (
        <section className="section">
          <h3>Changes</h3>
          {detail.mutations.map((mutation) => (
            <div key={`${mutation.collection}:${mutation.id}:${mutation.operation}`} className="mutation">
              <p className={`operation-${mutation.operation}`}>
                {withEmoji(inWords({ ...mutation, service: detail.service }, byId))}
              </p>
              <FieldDiff before={mutation.before} after={mutation.after} />
            </div>
          ))}
        </section>
      ) : null}
      <section className="section">
        <h3>Request</h3>
        <p className="mono wrap">
          {detail.request.method} {detail.request.path}
          {detail.request.query ? `?${detail.request.query.replace(/^\?/, '')}` : ''}
        </p>
        <Payload body={detail.request.body} label="request body" truncated={detail.request.truncated} />
      </section>
      <section className="section">
        <h3>Response</h3>
        <Payload body={detail.response.body} label="response body" truncated={detail.response.truncated} />
      </section>
    </>
  )
}
