import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useChange } from '../ask.ts'
import { PageHead } from '../frame/page-head.tsx'
import { Confirmation } from '../parts/confirmation.tsx'
import { Id } from '../parts/copy.tsx'
import { Moment } from '../parts/moment.tsx'
import { ServiceGlyph, serviceName } from '../parts/service.tsx'
import { AnsweredPage } from '../parts/states.tsx'
import { TwinStatus } from '../parts/status.tsx'
import { ActAs } from '../worlds/acting/act-as.tsx'
import { ConnectTab } from '../worlds/connect-tab.tsx'
import { DiffTab } from '../worlds/diff-tab.tsx'
import { LedgerTab } from '../worlds/ledger/ledger-tab.tsx'
import { useLiveTwin } from '../worlds/live-world.ts'
import { ReferenceProvider } from '../worlds/records/references.tsx'
import { hasView, viewOf } from '../worlds/records/views.ts'

const tabs = ['records', 'ledger', 'diff', 'connect'] as const
const tabNames = { records: 'Records', ledger: 'Ledger', diff: 'Diff', connect: 'Connect' }

/** A twin of no world: its records, its ledger and how to reach it. */
export const TwinPage = () => {
  const { twinId, tab } = useParams({ from: '/twins/$twinId/$tab' })
  const { twin, live } = useLiveTwin(twinId)
  return (
    <AnsweredPage asked={twin}>
      {(data) => {
        const View = viewOf(data.service)
        return (
          <>
            <PageHead
              title={serviceName(data.service)}
              crumbs={<Link to="/worlds">Worlds</Link>}
              facts={
                <>
                  <ServiceGlyph service={data.service} />
                  <TwinStatus value={data.status} />
                  <Id value={data.id} />
                  <span>
                    created <Moment at={data.createdAt} form="ago" />
                  </span>
                  {data.expiresAt ? (
                    <span>
                      expires <Moment at={data.expiresAt} form="ago" />
                    </span>
                  ) : null}
                </>
              }
            >
              <TwinActions twinId={twinId} alive={data.status === 'running'} />
            </PageHead>
            <nav className="tabs" aria-label="Twin">
              {tabs.map((name) => (
                <Link key={name} to="/twins/$twinId/$tab" params={{ twinId, tab: name }} className="tab">
                  {tabNames[name]}
                </Link>
              ))}
            </nav>
            <ReferenceProvider place={{ twinId }} twins={[data]}>
              {tab === 'ledger' ? (
                <LedgerTab source={{ twinId }} services={[data.service]} />
              ) : tab === 'diff' ? (
                <DiffTab live={live} />
              ) : tab === 'connect' ? (
                <ConnectTab twins={[data]} />
              ) : (
                <>
                  {hasView(data.service) ? <ActAs twin={data} /> : null}
                  <View live={live} twin={data} />
                </>
              )}
            </ReferenceProvider>
          </>
        )
      }}
    </AnsweredPage>
  )
}

const TwinActions = ({ twinId, alive }: { twinId: string; alive: boolean }) => {
  const [asking, setAsking] = useState<'reset' | 'stop'>()
  const reset = useChange('resetTwin')
  const stop = useChange('stopTwin')
  const doing = asking === 'stop' ? stop : reset
  return (
    <>
      <button type="button" className="button" disabled={!alive} onClick={() => setAsking('reset')}>
        Reset
      </button>
      <button type="button" className="button is-danger" disabled={!alive} onClick={() => setAsking('stop')}>
        Stop
      </button>
      <Confirmation
        title={asking === 'stop' ? 'Stop this twin?' : 'Reset this twin?'}
        about={
          asking === 'stop'
            ? "It stops immediately and can't be restarted. Its ledger and diff stay readable."
            : 'It returns to its initial state and all changes are undone. The ledger is kept.'
        }
        yes={asking === 'stop' ? 'Stop the twin' : 'Reset the twin'}
        doing={doing}
        onYes={() => doing.mutate({ params: { twinId } }, { onSuccess: () => setAsking(undefined) })}
        onClose={() => setAsking(undefined)}
        open={asking !== undefined}
      />
    </>
  )
}
