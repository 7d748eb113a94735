import { liveStatuses } from '@diorama/contract/twins'
import type { Log } from '../../storage/log.ts'
import type { Wake } from '../../storage/wake.ts'
import type { Isolate } from '../isolates/isolate.ts'
import type { IsolatePool } from '../isolates/pool.ts'
import type { Op } from '../isolates/protocol.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Registry } from '../registry.ts'
import type { TwinRow, TwinStore } from '../store.ts'
import type { Node } from './nodes.ts'
import type { OtherNodes } from './other-nodes.ts'
import { factsOf, type PlacedTwin, placedTwin } from './placed-twin.ts'

/** Sent when a twin's row was changed in a way that other nodes must see. */
export const twinChanged = 'twin'

export interface PlacementDeps {
  readonly store: TwinStore
  readonly registry: Registry
  readonly ledger: Ledger
  readonly pool: () => IsolatePool
  readonly node: Node
  readonly nodes: OtherNodes
  readonly wake: Wake
  readonly log: Log
  readonly now: () => number
}

export type Found =
  | { readonly at: 'here'; readonly twin: PlacedTwin }
  | { readonly at: 'elsewhere'; readonly address: string }
  /** Live, and for the moment without a node that answers for it. */
  | { readonly at: 'moving' }
  | { readonly at: 'ended'; readonly row: TwinRow }
  | { readonly at: 'nowhere' }

/** Which twins this node runs, and in which isolate. */
export interface Placements {
  /** The way to the nodes that run the others. */
  readonly nodes: OtherNodes
  /** The twin, where this node runs it under a valid lease; found without a turn of the event loop. */
  readonly here: (id: string) => PlacedTwin | undefined
  /** Finds the twin, and takes it over where no living node runs it. */
  readonly find: (id: string) => Promise<Found>
  /** Takes in a twin whose row was just written, from its seed. */
  readonly adopt: (row: TwinRow) => Promise<PlacedTwin>
  readonly evict: (twin: PlacedTwin) => void
  readonly forget: (id: string) => void
  readonly evictAll: () => void
  readonly all: () => readonly PlacedTwin[]
  readonly size: number
  /** The isolate is gone with its twins. The one that ended it, if any, is counted. */
  readonly isolateGone: (isolate: Isolate, culprit: Op | undefined) => void
  /** Whether the twin has ended so many isolates lately that it must rest. */
  readonly mustRest: (id: string) => boolean
  readonly announce: (id: string) => Promise<void>
  readonly close: () => void
}

/** After so many isolates within this time a twin is not run until the time has passed. */
const maxStrikes = 3
const strikesForMs = 60_000
const maxStruck = 10_000

export const openPlacements = (deps: PlacementDeps): Placements => {
  const { store, registry, ledger, pool, node, wake, log, now } = deps
  const twins = new Map<string, PlacedTwin>()
  const opening = new Map<string, Promise<Found>>()
  const strikes = createStrikes(now)

  const evict = (twin: PlacedTwin): void => {
    twin.lost = true
    if (twins.get(twin.id) !== twin) return
    twins.delete(twin.id)
    pool().count(twin.isolate, -1)
    twin.isolate.run({ kind: 'drop', twinId: twin.id }).catch(() => undefined)
  }
  const forget = (id: string): void => {
    const twin = twins.get(id)
    if (twin) evict(twin)
  }
  const evictAll = (): void => {
    for (const twin of [...twins.values()]) evict(twin)
  }
  const stopListening = wake.on(twinChanged, (payload) => {
    if (payload === undefined) return evictAll()
    const [id = '', by] = payload.split(' ')
    if (by !== node.holder) forget(id)
  })
  const announce = (id: string) => wake.send(twinChanged, `${id} ${node.holder}`)

  const place = async (row: TwinRow, from: 'seed' | 'ledger'): Promise<PlacedTwin> => {
    const isolate = await pool().choose()
    const twin = placedTwin(row, isolate, registry.require(row.service).twin)
    twin.usedAt = now()
    pool().count(isolate, 1)
    const loaded = isolate.run({ kind: 'load', twinId: row.id, twin: factsOf(row), from }).then(
      ({ nextDue }) => {
        twin.nextDue = nextDue
        twin.loading = undefined
      },
      (error) => {
        evict(twin)
        throw error
      },
    )
    loaded.catch(() => undefined)
    twin.loading = loaded
    twins.set(row.id, twin)
    return twin
  }

  const open = async (id: string): Promise<Found> => {
    const row = await store.claim(id, node.holder)
    if (!row) {
      const there = await store.findAny(id)
      if (!there) return { at: 'nowhere' }
      if (!isLive(there)) return { at: 'ended', row: there }
      const address = there.owner === null ? undefined : await node.addressOf(there.owner)
      return address === undefined ? { at: 'moving' } : { at: 'elsewhere', address }
    }
    if (!isLive(row)) return { at: 'ended', row }
    // Another node may have been the owner until now: it must not go on answering from memory.
    if (!node.isAlone) await announce(id)
    // What an earlier life of the twin in this process has answered must be in the ledger before it is read.
    await ledger.flush([id])
    const twin = await place(row, 'ledger')
    await twin.loading
    return { at: 'here', twin }
  }

  const here = (id: string): PlacedTwin | undefined => (node.isLeased() ? twins.get(id) : undefined)

  return {
    nodes: deps.nodes,
    here,
    find: async (id) => {
      const twin = here(id)
      if (twin) return { at: 'here', twin }
      if (!(await node.confirm())) return { at: 'moving' }
      const confirmed = here(id)
      if (confirmed) return { at: 'here', twin: confirmed }
      const under = opening.get(id) ?? open(id).finally(() => opening.delete(id))
      opening.set(id, under)
      return under
    },
    adopt: (row) => {
      forget(row.id)
      return place(row, 'seed')
    },
    evict,
    forget,
    evictAll,
    all: () => [...twins.values()],
    get size() {
      return twins.size
    },
    isolateGone: (isolate, culprit) => {
      if (culprit && 'twinId' in culprit) strikes.add(culprit.twinId)
      for (const twin of [...twins.values()]) if (twin.isolate === isolate) twins.delete(twin.id)
      if (culprit) log.warn({ event: 'twin.exhausted', ...strikeOf(culprit) }, 'A twin ended its isolate.')
    },
    mustRest: (id) => strikes.count(id) >= maxStrikes,
    announce,
    close: stopListening,
  }
}

const strikeOf = (op: Op) => ({ twin: op.twinId, op: op.kind })

/** Counts what happened to a twin lately. */
const createStrikes = (now: () => number) => {
  const struck = new Map<string, number[]>()
  const recent = (id: string) => (struck.get(id) ?? []).filter((at) => at > now() - strikesForMs)
  return {
    add: (id: string): void => {
      const times = [...recent(id), now()]
      struck.delete(id)
      if (struck.size >= maxStruck) struck.clear()
      struck.set(id, times)
    },
    count: (id: string): number => (struck.size === 0 ? 0 : recent(id).length),
  }
}

export const isLive = (row: Pick<TwinRow, 'status'>): boolean =>
  liveStatuses.some((status) => status === row.status)
