import { liveStatuses } from '@diorama/contract/twins'
import type { Step, TwinReply, TwinRequest } from '@diorama/twins/kernel/twin'
import type { Log } from '../storage/log.ts'
import type { Wake } from '../storage/wake.ts'
import type { Ledger } from './ledger/ledger.ts'
import { entryOf } from './ledger/ledger-entry.ts'
import { type LiveTwin, restoreTwin, worldTime } from './live.ts'
import type { Node } from './nodes.ts'
import type { Seeds } from './seeds.ts'
import type { TwinRow, TwinStore } from './store.ts'

/** Sent when a twin's row was changed in a way that other nodes must see. */
export const twinChanged = 'twin'

const snapshotEvery = 1_000

export interface HostParts {
  readonly store: TwinStore
  readonly seeds: Seeds
  readonly ledger: Ledger
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

/** Called with a step once its reply may leave. */
export type Seen = (step: Step, requestId: string) => void

/** Runs the twins that this node owns. */
export const openHost = (parts: HostParts) => {
  const { store, seeds, ledger, node, wake, log, now, makeId } = parts
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

  /** Gives the step its place in the twin's life and hands it to the ledger. */
  const append = (
    twin: LiveTwin,
    step: Step,
    { id = makeId('req'), durationMs = 0 }: { id?: string; durationMs?: number } = {},
  ): Promise<void> => {
    const isRead = step.changes.length === 0
    if (isRead) twin.reads++
    else {
      twin.writes++
      twin.changesSinceSnapshot++
    }
    const [seq, preceding] = isRead ? [twin.reads, twin.writes] : [twin.writes, twin.reads]
    const place = { id, seq, preceding, at: now(), durationMs }
    const written = ledger.append(entryOf(step, place, twin))
    if (isRead) return written
    return written.catch((error) => {
      evict(twin)
      throw error
    })
  }

  const snapshot = async (twin: LiveTwin, durable: Promise<void>) => {
    const row = {
      twin_id: twin.id,
      epoch: twin.epoch,
      seq: twin.writes,
      body: Buffer.from(JSON.stringify(twin.instance.snapshot())),
    }
    await durable
    if (!twin.lost) await store.saveSnapshot(row)
  }

  const unavailable = (twin: LiveTwin, request: TwinRequest): TwinReply =>
    twin.instance.twin.fault({ kind: 'unavailable', retryAfterSeconds: 1 }, request)

  /** Waits until the records of the twin's writes have room; refused in the vendor's shape where they have none in time. */
  const afterRoom = async (
    room: Promise<boolean>,
    { twin, request, seen }: { twin: LiveTwin; request: TwinRequest; seen: Seen | undefined },
  ): Promise<TwinReply> => {
    if ((await room) && !twin.lost) return answer(twin, request, seen)
    return unavailable(twin, request)
  }

  /** Answers from memory; a reply that changed something leaves only after its step is durable. */
  const answer = async (twin: LiveTwin, request: TwinRequest, seen: Seen | undefined): Promise<TwinReply> => {
    const began = performance.now()
    const { due, step, failure } = twin.instance.handle(request, worldTime(twin, now()))
    if (failure !== undefined)
      log.error(
        { twin: twin.id, service: twin.service, operation: step.operation, error: failure },
        'A twin failed.',
      )
    const waits = [due ? append(twin, due) : undefined]
    const id = makeId('req')
    const recorded = append(twin, step, { id, durationMs: performance.now() - began })
    const isRead = step.changes.length === 0
    if (!isRead || ledger.readsCongested(twin)) waits.push(recorded)
    else recorded.catch((error) => log.warn({ twin: twin.id, error }, 'A read was not recorded.'))
    const durable = Promise.all(waits).then(() => undefined)
    if (twin.changesSinceSnapshot >= snapshotEvery) {
      twin.changesSinceSnapshot = 0
      snapshot(twin, durable).catch((error) =>
        log.warn({ twin: twin.id, error }, 'A snapshot was not written.'),
      )
    }
    try {
      if (due !== undefined || waits.length > 1) await durable
    } catch (error) {
      log.error({ twin: twin.id, error }, 'A step was not recorded; it is taken back.')
      if (due !== undefined || !isRead) return unavailable(twin, request)
    }
    seen?.(step, id)
    return step.reply
  }

  const handle = (twin: LiveTwin, request: TwinRequest, seen?: Seen): Promise<TwinReply> => {
    const room = ledger.room(twin)
    return room ? afterRoom(room, { twin, request, seen }) : answer(twin, request, seen)
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
      if (due) await append(twin, due)
      else await ledger.flush([twin.id])
    },
    loaded: (): Iterable<LiveTwin> => twins.values(),
    get size() {
      return twins.size
    },
    close: async () => {
      stopListening()
      await ledger.drain()
    },
  }
}
export type Host = ReturnType<typeof openHost>

export const isLive = (row: Pick<TwinRow, 'status'>): boolean =>
  liveStatuses.some((status) => status === row.status)
