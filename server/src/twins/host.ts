import { liveStatuses } from '@diorama/contract/twins'
import type { Step, TwinReply, TwinRequest } from '@diorama/twins/kernel/twin'
import type { Log } from '../storage/log.ts'
import type { Wake } from '../storage/wake.ts'
import type { Journal } from './journal.ts'
import { type LiveTwin, restoreTwin, worldTime } from './live.ts'
import type { Node } from './nodes.ts'
import type { Seeds } from './seeds.ts'
import type { TwinRow, TwinStore } from './store.ts'

/** Sent when a twin's row was changed in a way that other nodes must see. */
export const twinChanged = 'twin'

const snapshotEvery = 1_000
/** Above this many waiting records a read waits for its own, so that the queue stays bounded. */
const readsWaitAbove = 5_000

export interface HostParts {
  readonly store: TwinStore
  readonly seeds: Seeds
  readonly journal: Journal
  readonly node: Node
  readonly wake: Wake
  readonly log: Log
  readonly now: () => number
  readonly makeId: (prefix: string) => string
}

export type Found =
  | { readonly at: 'here'; readonly twin: LiveTwin }
  | { readonly at: 'elsewhere'; readonly address: string }
  | { readonly at: 'ended'; readonly row: TwinRow }
  | { readonly at: 'nowhere' }

/** Runs the twins that this node owns. */
export const openHost = (parts: HostParts) => {
  const { store, seeds, journal, node, wake, log, now, makeId } = parts
  const twins = new Map<string, LiveTwin>()
  const opening = new Map<string, Promise<Found>>()

  const evict = (twin: LiveTwin) => {
    twin.lost = true
    if (twins.get(twin.id) === twin) twins.delete(twin.id)
  }
  const forget = (id: string) => {
    const twin = twins.get(id)
    if (twin) evict(twin)
  }
  const stopListening = wake.on(twinChanged, (payload) => {
    if (payload === undefined) for (const twin of [...twins.values()]) evict(twin)
    else {
      const [id = '', by] = payload.split(' ')
      if (by !== node.holder) forget(id)
    }
  })

  const open = async (id: string): Promise<Found> => {
    const row = await store.claim(id, node.holder)
    if (!row) {
      const there = await store.findAny(id)
      if (!there) return { at: 'nowhere' }
      if (!isLive(there)) return { at: 'ended', row: there }
      const address = there.owner === null ? undefined : await node.addressOf(there.owner)
      return address === undefined ? { at: 'nowhere' } : { at: 'elsewhere', address }
    }
    if (!isLive(row)) return { at: 'ended', row }
    const twin = await restoreTwin(row, await seeds.load(row.seed_sha256), store)
    twins.set(id, twin)
    return { at: 'here', twin }
  }

  const here = (id: string): Found | undefined => {
    const twin = twins.get(id)
    return twin && { at: 'here', twin }
  }

  const find = async (id: string): Promise<Found> => {
    const found = here(id)
    if (found) return found
    const under = opening.get(id) ?? open(id).finally(() => opening.delete(id))
    opening.set(id, under)
    return under
  }

  const append = (twin: LiveTwin, step: Step, durationMs: number, id = makeId('req')): Promise<void> => {
    twin.seq++
    const entry = { id, seq: twin.seq, at: now(), durationMs, step, twin }
    if (step.changes.length > 0) twin.changesSinceSnapshot++
    const written = journal.append(entry).catch((error) => {
      evict(twin)
      throw error
    })
    twin.written = written
    return written
  }

  const snapshot = async (twin: LiveTwin, durable: Promise<void>) => {
    const row = {
      twin_id: twin.id,
      epoch: twin.epoch,
      seq: twin.seq,
      body: Buffer.from(JSON.stringify(twin.instance.snapshot())),
    }
    await durable
    if (!twin.lost) await store.saveSnapshot(row)
  }

  /** Answers from memory; a reply that changed something leaves only after its step is durable. */
  const handle = async (
    twin: LiveTwin,
    request: TwinRequest,
    seen?: (step: Step, requestId: string) => void,
  ): Promise<TwinReply> => {
    const began = performance.now()
    const { due, step, failure } = twin.instance.handle(request, worldTime(twin, now()))
    if (failure !== undefined)
      log.error(
        { twin: twin.id, service: twin.service, operation: step.operation, error: failure },
        'A twin failed.',
      )
    const first = due && append(twin, due, 0)
    const id = makeId('req')
    seen?.(step, id)
    const last = append(twin, step, performance.now() - began, id)
    const written = first ? Promise.all([first, last]).then(() => undefined) : last
    if (twin.changesSinceSnapshot >= snapshotEvery) {
      twin.changesSinceSnapshot = 0
      snapshot(twin, written).catch((error) =>
        log.warn({ twin: twin.id, error }, 'A snapshot was not written.'),
      )
    }
    const waits = due !== undefined || step.changes.length > 0 || journal.queued > readsWaitAbove
    if (!waits) {
      written.catch((error) => log.warn({ twin: twin.id, error }, 'A read was not recorded.'))
      return step.reply
    }
    try {
      await written
    } catch (error) {
      log.error({ twin: twin.id, error }, 'A step was not recorded; it is taken back.')
      return twin.instance.twin.fault({ kind: 'unavailable', retryAfterSeconds: 1 }, request)
    }
    return step.reply
  }

  return {
    /** The twin, where it is in this process's memory; found without a turn of the event loop. */
    here,
    find,
    handle,
    evict,
    forget,
    /** Takes in a twin that was just created here. */
    adopt: (twin: LiveTwin) => {
      twins.set(twin.id, twin)
    },
    evictAll: () => {
      for (const twin of [...twins.values()]) evict(twin)
    },
    /** Lets what has come due happen, and what was recorded be durable, before somebody looks. */
    settle: async (twin: LiveTwin): Promise<void> => {
      const due = twin.instance.due(worldTime(twin, now()))
      if (due) await append(twin, due, 0)
      // A read that was not recorded has been warned of by itself, and its twin is let go.
      else await Promise.all([journal.hurry(), twin.written.catch(() => undefined)])
    },
    loaded: (): Iterable<LiveTwin> => twins.values(),
    get size() {
      return twins.size
    },
    close: async () => {
      stopListening()
      await journal.drain()
    },
  }
}
export type Host = ReturnType<typeof openHost>

export const isLive = (row: Pick<TwinRow, 'status'>): boolean =>
  liveStatuses.some((status) => status === row.status)
