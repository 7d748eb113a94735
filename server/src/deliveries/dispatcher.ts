import type { DeliveryChannel, DeliveryRequest, Settlement } from '@diorama/twin-kit/kernel/deliveries'
import type { Log } from '../storage/log.ts'
import { GroupWriter } from '../storage/writers/group.ts'
import type { Host } from '../twins/host.ts'
import type { LedgerEntry } from '../twins/ledger/ledger-entry.ts'
import type { PlacedTwin } from '../twins/placement/placed-twin.ts'
import type { AttemptDetail, AttemptRecord, Delivery } from './delivery.ts'
import { createBacklog } from './queue/backlog.ts'
import { createQueues, type RunResult } from './queue/queues.ts'
import type { DeliveryStore } from './store.ts'
import type { Outcome, Transport } from './transport.ts'

export interface DispatcherDeps {
  readonly store: DeliveryStore
  readonly host: Host
  readonly transports: Readonly<Record<DeliveryChannel['transport'], Transport>>
  /** The time by the clock of the one who gets a twin's deliveries, where it is not ours. */
  readonly receiverTime: (twin: PlacedTwin) => number | undefined
  readonly holder: string
  /** Of what waits for one receiver. */
  readonly maxPending: number
  readonly log: Log
  readonly now: () => number
}

/** Sends what twins of this node have emitted, and records what came of it. Each twin has one node, by its lease. */
export interface Dispatcher {
  /** Takes what the ledger has just committed. */
  readonly committed: (entries: readonly LedgerEntry[]) => void
  /** Takes up what is due and not in memory: retries, what a node that ended had left, what did not fit. */
  readonly sweep: () => Promise<void>
  /** The same for one twin. */
  readonly sweepTwin: (twinId: string) => Promise<void>
  readonly size: number
  readonly running: number
  /** Starts nothing more, and waits for what runs as long as an attempt may take. What has not ended by then is sent again. */
  readonly close: () => Promise<void>
}

const usualConcurrency = 8
const maxRunning = 512
const maxRunningOfOrganization = 256
/** Of one twin in memory; the rest waits in the outbox. */
const maxHeld = 2_000
const maxTwinsPerSweep = 200
/** Shorter pauses are timed in memory, longer ones wait for a sweep. */
const maxTimerMs = 30_000
const maxKeptBytes = 65_536
/** How long attempts gather before they are recorded together. No delivery waits for its record. */
const gatherMs = 25
/** With more attempts than this unrecorded, a receiver gets no next one before the last one's record. */
const maxUnrecorded = 4_096
/** A receiver that keeps failing gets at most 20 attempts a second. */
const minFailingIntervalMs = 50
/** How long the end of the service waits for attempts under way; the few vendors that wait longer send again. */
const maxCloseMs = 6_000

export const openDispatcher = (deps: DispatcherDeps): Dispatcher => {
  const { store, host, transports, holder, log, now } = deps
  /** Ids by twin of everything in memory: waiting, running, or timed for a retry. */
  const held = new Map<string, Set<string>>()
  const timers = new Set<NodeJS.Timeout>()
  const backlog = createBacklog(store, { maxPending: deps.maxPending, now: () => performance.now() })
  /** Where the last sweep has stopped for there being more twins. */
  let sweptUntil = ''
  let closed = false
  /** What ends from now on is not recorded. */
  let abandoned = false
  const records = new GroupWriter<AttemptRecord, void>({
    flush: async (attempts) => {
      await store.record(attempts)
      return attempts.map(() => undefined)
    },
    lanes: 2,
    maxBatch: 256,
    isPatient: () => true,
    gatherMs,
  })
  const release = ({ twinId, id }: Delivery): void => {
    const ids = held.get(twinId)
    ids?.delete(id)
    if (ids?.size === 0) held.delete(twinId)
  }

  const offer = (delivery: Delivery): void => {
    const twin = host.here(delivery.twinId)
    const channel = twin?.model.channels?.[delivery.emission.channel]
    queues.add(delivery, channel?.concurrency ?? usualConcurrency)
  }

  /** Takes a delivery into memory, unless it is there already or there is no room. */
  const hold = (delivery: Delivery, afterMs = 0): void => {
    if (closed || afterMs > maxTimerMs) return
    const ids = held.get(delivery.twinId) ?? new Set()
    if (ids.has(delivery.id) || ids.size >= maxHeld) return
    held.set(delivery.twinId, ids.add(delivery.id))
    if (afterMs <= 0) {
      offer(delivery)
      return
    }
    const timer = setTimeout(() => {
      timers.delete(timer)
      offer(delivery)
    }, afterMs)
    timers.add(timer.unref())
  }

  /** Ends when the attempt has: what comes next to the receiver does not wait for its record. */
  const run = async (delivery: Delivery): Promise<RunResult> => {
    let record: Promise<unknown> | undefined
    let result: RunResult = 'not made'
    try {
      const twin = closed ? undefined : await twinOf(delivery)
      const made = twin && (await attempt(twin, delivery))
      if (made) {
        record = recorded(made.record, made.afterMs)
        result = made.isAccepted ? 'accepted' : 'failed'
      }
      if (records.queued > maxUnrecorded) await record
    } catch (error) {
      failed(delivery, error)
    } finally {
      if (!record) release(delivery)
    }
    return result
  }

  /** The twin, where it runs here and the delivery belongs to its life. */
  const twinOf = async (delivery: Delivery): Promise<PlacedTwin | undefined> => {
    const found = await host.find(delivery.twinId)
    if (found.at === 'ended') await store.drop(delivery.twinId, Number.MAX_SAFE_INTEGER)
    // Elsewhere: the twin's own node finds the delivery in the outbox.
    if (found.at !== 'here') return undefined
    if (delivery.epoch >= found.twin.epoch) return found.twin
    await store.drop(delivery.twinId, found.twin.epoch)
    return undefined
  }

  const failed = (delivery: Delivery, error: unknown): void =>
    log.error(
      { event: 'delivery.failed', twin: delivery.twinId, delivery: delivery.id, error },
      'An attempt could not be made or recorded; it is made again.',
    )

  /** Writes an attempt down; until then the delivery is in memory, so that no sweep takes it up again. */
  const recorded = async (made: AttemptRecord, afterMs: number | undefined): Promise<void> => {
    const { delivery, number, fault } = made
    try {
      await records.write(made)
      release(delivery)
      if (afterMs !== undefined) hold({ ...delivery, attempts: number, fault: fault ?? undefined }, afterMs)
    } catch (error) {
      release(delivery)
      failed(delivery, error)
    }
  }

  const attempt = async (twin: PlacedTwin, delivery: Delivery) => {
    const { emission, attempts, fault } = delivery
    const channel = twin.model.channels?.[emission.channel]
    if (!channel) throw new Error(`${twin.service} has no channel ${emission.channel}`)
    const number = attempts + 1
    const at = now()
    const began = performance.now()
    const tried = {
      number,
      at: deps.receiverTime(twin) ?? at,
      ...(fault === undefined ? {} : { after: fault }),
    }
    const request = channel.request(emission, tried)
    const outcome = await transports[channel.transport].send({
      ...{ twin, emission, channel, request },
      attempt: tried,
    })
    // The service has ended this attempt, not its receiver.
    if (abandoned) return undefined
    const durationMs = performance.now() - began
    const verdict = judged(channel, outcome, delivery)
    const afterMs = verdict === 'retry' ? channel.retryAfterMs[number - 1] : undefined
    const becomes = verdict === 'delivered' ? 'delivered' : afterMs === undefined ? 'failed' : 'pending'
    if (becomes !== 'pending')
      await settle(twin, channel, delivery, { ...outcomeOf(outcome), becomes, number })
    const record: AttemptRecord = {
      ...{ delivery, number, at, durationMs, becomes },
      status: 'answer' in outcome ? outcome.answer.status : null,
      fault: 'fault' in outcome ? outcome.fault : verdict === 'delivered' ? null : 'status',
      detail: JSON.stringify(detailOf(request, outcome)),
      nextAt: afterMs === undefined ? null : at + durationMs + afterMs,
    }
    return { record, afterMs, isAccepted: verdict === 'delivered' }
  }

  /** Before the record: after a crash in between the receiver gets it again, and the twin its answer. */
  const settle = async (
    twin: PlacedTwin,
    channel: DeliveryChannel,
    { emission }: Delivery,
    {
      becomes,
      number,
      ...rest
    }: Omit<Settlement, 'outcome' | 'attempts'> & {
      becomes: 'delivered' | 'failed'
      number: number
    },
  ): Promise<void> => {
    if (!channel.settled || !channel.settles) return
    if (channel.settles === 'failure' && becomes === 'delivered') return
    await host.settle(twin, emission, { outcome: becomes, attempts: number, ...rest })
  }

  const sweepTwin = async (twinId: string): Promise<void> => {
    const known = [...(held.get(twinId) ?? [])]
    if (known.length >= Math.min(maxHeld / 2, deps.maxPending)) await backlog.look(twinId)
    if (closed || known.length > maxHeld / 2) return
    for (const delivery of await store.due(twinId, known, maxHeld - known.length)) hold(delivery)
  }

  const queues = createQueues({
    maxRunning,
    maxRunningOfOrganization,
    minFailingIntervalMs,
    run,
    now: () => performance.now(),
  })
  return {
    committed: (entries) => {
      for (const { twin, deliveries } of entries)
        for (const { id, emission } of deliveries)
          hold(
            {
              ...{ id, emission, twinId: twin.id, organizationId: twin.organizationId, epoch: twin.epoch },
              attempts: 0,
              fault: undefined,
            },
            emission.delayMs,
          )
    },
    sweep: async () => {
      const due = await store.dueTwins(holder, { after: sweptUntil, limit: maxTwinsPerSweep })
      sweptUntil = due.length < maxTwinsPerSweep ? '' : (due.at(-1) ?? '')
      for (const twinId of due) await sweepTwin(twinId)
    },
    sweepTwin,
    get size() {
      return queues.size
    },
    get running() {
      return queues.running
    },
    close: async () => {
      closed = true
      for (const timer of timers) clearTimeout(timer)
      for (const twinId of held.keys()) for (const delivery of queues.forget(twinId)) release(delivery)
      const { promise: late, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, maxCloseMs)
      await Promise.race([queues.idle(), late])
      clearTimeout(timer)
      abandoned = true
      await records.drain()
    },
  }
}

const judged = (
  channel: DeliveryChannel,
  outcome: Outcome,
  { emission }: Delivery,
): 'delivered' | 'retry' | 'failed' => {
  if ('fault' in outcome) return 'retry'
  const { answer } = outcome
  if (channel.judge) return channel.judge(answer, emission)
  return answer.status >= 200 && answer.status < 300 ? 'delivered' : 'retry'
}

const outcomeOf = (outcome: Outcome): Pick<Settlement, 'answer' | 'fault'> =>
  'answer' in outcome ? { answer: outcome.answer } : { fault: outcome.fault }

const detailOf = ({ method, headers, body }: DeliveryRequest, outcome: Outcome): AttemptDetail => ({
  request: { method, headers: { ...headers }, body: cut(body) },
  response:
    'answer' in outcome ? { headers: { ...outcome.answer.headers }, body: cut(outcome.answer.body) } : null,
  error: 'fault' in outcome ? outcome.message : null,
})

const cut = (text: string): string => text.slice(0, maxKeptBytes).replaceAll('\0', '\ufffd').toWellFormed()
