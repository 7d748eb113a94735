import type { WorldResponse } from '@diorama/contract'
import { Link, useParams } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { useChange } from '../ask.ts'
import { DeliveriesTab } from '../deliveries/deliveries-tab.tsx'
import { PageHead } from '../frame/page-head.tsx'
import { Confirmation } from '../parts/confirmation.tsx'
import { Moment } from '../parts/moment.tsx'
import { kindOf } from '../parts/service.tsx'
import { AnsweredPage, Empty, Failure } from '../parts/states.tsx'
import { Status } from '../parts/status.tsx'
import { useAddress } from '../search.ts'
import { plural } from '../words.ts'
import { ActAs } from './acting/act-as.tsx'
import { ConnectTab } from './connect-tab.tsx'
import { DiffTab } from './diff-tab.tsx'
import { LedgerTab } from './ledger/ledger-tab.tsx'
import { type LiveWorld, twinOf, useLiveWorld } from './live-world.ts'
import { ReferenceProvider } from './records/references.tsx'
import { hasView, viewOf } from './records/views.ts'
import { StoryTab } from './story-tab.tsx'
import { WorldClockButton } from './world-clock.tsx'
import { WorldLabels } from './world-labels.tsx'
import { WorldSnapshots } from './world-snapshots.tsx'

export const WorldPage = () => {
  const { worldId, tab } = useParams({ from: '/worlds/$worldId/$tab' })
  const { world, part } = useLiveWorld(worldId, tab)
  return (
    <AnsweredPage asked={world}>
      {(data) => (
        <>
          <WorldHead world={data} />
          <WorldTabs live={part(data)} current={tab} />
          {data.launchError ? <Failure error={new Error(data.launchError)} /> : null}
          <ReferenceProvider place={{ worldId }} twins={data.twins}>
            <WorldTab tab={tab} live={part(data)} />
          </ReferenceProvider>
        </>
      )}
    </AnsweredPage>
  )
}

const WorldHead = ({ world }: { world: WorldResponse }) => {
  const ends = world.twins.map(({ expiresAt }) => expiresAt).find((at) => at !== null)
  const alive = world.status !== 'retired' && world.status !== 'failed'
  return (
    <PageHead
      title={world.world.name}
      crumbs={<Link to="/worlds">Worlds</Link>}
      facts={
        <>
          <Status value={world.status} />
          <WorldClockButton world={world} alive={alive} />
          {ends && alive ? (
            <span>
              expires <Moment at={ends} form="ago" />
            </span>
          ) : null}
          <span>version {world.version.number}</span>
          {world.world.tags.map((tag) => (
            <Link key={tag} to="/worlds" search={{ tag }} className="tag">
              {tag}
            </Link>
          ))}
          {world.world.archived ? <span>archived</span> : null}
        </>
      }
    >
      <WorldActions world={world} alive={alive} />
    </PageHead>
  )
}

const WorldActions = ({ world, alive }: { world: WorldResponse; alive: boolean }) => {
  const [asking, setAsking] = useState<'reset' | 'stop'>()
  const reset = useChange('resetWorld')
  const stop = useChange('stopWorld')
  const params = { worldId: world.world.id }
  const doing = asking === 'stop' ? stop : reset
  const confirm = () => doing.mutate({ params }, { onSuccess: () => setAsking(undefined) })
  const twins = plural(world.twins.length, 'service')
  return (
    <>
      <WorldLabels world={world} />
      <WorldSnapshots world={world} />
      <Link to="/worlds/new" search={{ from: world.world.id }} className="button">
        New version
      </Link>
      <button type="button" className="button" disabled={!alive} onClick={() => setAsking('reset')}>
        Reset
      </button>
      <button type="button" className="button is-danger" disabled={!alive} onClick={() => setAsking('stop')}>
        Stop
      </button>
      <Confirmation
        title={asking === 'stop' ? 'Stop this world?' : 'Reset this world?'}
        about={
          asking === 'stop'
            ? `Its ${twins} stop immediately and can't be restarted. The story, ledger and diff stay readable.`
            : `Its ${twins} return to their initial state and all changes are undone. The ledger is kept.`
        }
        yes={asking === 'stop' ? 'Stop the world' : 'Reset the world'}
        doing={doing}
        onYes={confirm}
        onClose={() => setAsking(undefined)}
        open={asking !== undefined}
      />
    </>
  )
}

const WorldTabs = ({ live, current }: { live: LiveWorld; current: string }) => {
  const { world } = live.world
  const { search } = useAddress()
  const services = world.twins.map(({ service }) => service)
  const tabs = ['story', ...services, 'ledger', 'deliveries', 'diff', 'connect']
  const label = (tab: string) => kindOf(tab)?.label ?? tab.charAt(0).toUpperCase() + tab.slice(1)
  const place = useRef<HTMLElement>(null)
  // On a narrow screen the tab that is open may lie outside of the strip.
  useEffect(() => {
    if (current)
      place.current
        ?.querySelector('[aria-current="page"]')
        ?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [current])
  return (
    <nav ref={place} className="tabs" aria-label="World">
      {tabs.map((tab) => (
        <Link
          key={tab}
          to="/worlds/$worldId/$tab"
          params={{ worldId: world.id, tab }}
          search={search.person ? { person: search.person } : {}}
          activeOptions={{ includeSearch: false }}
          className="tab"
        >
          {label(tab)}
          {tab === 'diff' && live.changes.size > 0 ? <span className="tag">{live.changes.size}</span> : null}
          {live.news.has(tab) ? (
            <span className="tab-dot">
              <span className="unseen">new changes</span>
            </span>
          ) : null}
        </Link>
      ))}
    </nav>
  )
}

const WorldTab = ({ tab, live }: { tab: string; live: LiveWorld }) => {
  if (tab === 'story') return <StoryTab live={live} />
  if (tab === 'ledger')
    return <LedgerTab source={live.source} services={live.world.twins.map(({ service }) => service)} />
  if (tab === 'deliveries') return <DeliveriesTab world={live.world} />
  if (tab === 'diff') return <DiffTab live={live} />
  if (tab === 'connect') return <ConnectTab twins={live.world.twins} />
  const twin = twinOf(live.world, tab)
  if (!twin) return <Empty title="This world doesn't have that service." />
  const View = viewOf(tab)
  return (
    <>
      {hasView(tab) ? <ActAs twin={twin} /> : null}
      <View live={live} twin={twin} />
    </>
  )
}
