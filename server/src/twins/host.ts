import type { Emission, Settlement } from '@diorama/twin-kit/kernel/deliveries'
import { internalRequest } from '@diorama/twin-kit/kernel/instance'
import type { TwinRequest } from '@diorama/twin-kit/kernel/twin'
import type { Log } from '../storage/log.ts'
import { createHolds } from './holds.ts'
import type { Inspected, Inspection } from './isolates/inspect.ts'
import { IsolateGone } from './isolates/isolate.ts'
import type { Handled, Movement, RecordOptions, StepTime, Taken, WorldSteps } from './isolates/movement.ts'
import type { IsolatePool } from './isolates/pool.ts'
import type { Answered, Controlled, RequestOp } from './isolates/protocol.ts'
import { TwinNotLoaded } from './isolates/runner.ts'
import type { Ledger } from './ledger/ledger.ts'
import type { LedgerEntry, PlainEntry } from './ledger/ledger-entry.ts'
import { factsOf, type PlacedTwin } from './placement/placed-twin.ts'
import { isLive, type Placements } from './placement/placements.ts'
import { createRequestLimits, type RequestLimits } from './request-limits.ts'
import type { TwinRow } from './store.ts'

export interface HostDeps {
  readonly placements: Placements
  readonly pool: () => IsolatePool
  readonly ledger: Ledger
  /** Worlds whose twins share a clock. */
  readonly movement: (steps: WorldSteps) => Movement
  readonly log: Log
  readonly now: () => number
  readonly makeId: (prefix: string) => string
}

/** The one door to running twins. */
export interface Host extends Placements {
  /** Answers in the twin's isolate; a reply that changed something leaves only after its step is durable. */
  readonly handle: (twin: PlacedTwin, request: TwinRequest, signal?: AbortSignal) => Promise<Handled>
  readonly limit: RequestLimits['limit']
  /** Answers every request whose reply is held back, and holds back no more. */
  readonly release: () => void
  /** Runs one of the twin's controls; its step is durable when this resolves. */
  readonly control: (twin: PlacedTwin, order: ControlOrder) => Promise<Controlled>
  /** Lets the twin act on the end of a delivery; what it changed is durable when this resolves. */
  readonly settle: (twin: PlacedTwin, emission: Emission, settlement: Settlement) => Promise<void>
  /** Reads the state of a twin: where it runs, after what has come due; or, of one that has ended, from its records. */
  readonly inspect: <I extends Inspection>(row: TwinRow, inspection: I) => Promise<Inspected[I['what']]>
  /** The same of its state after so many of its writes, from its records. */
  readonly inspectAt: <I extends Inspection>(
    row: TwinRow,
    writes: number,
    inspection: I,
  ) => Promise<Inspected[I['what']]>
  /** Whether the twin can answer: the failure, if it cannot. */
  readonly probe: (twin: PlacedTwin) => Promise<string | undefined>
  /** Evicts idle twins from memory. */
  readonly unloadIdle: (unusedMs: number) => void
  readonly drain: () => Promise<void>
}

export interface ControlOrder {
  readonly name: string
  readonly input: unknown
  /** Where the twin is reached. */
  readonly baseUrl: string
}

const limitRetrySeconds = 60

const unavailable = (twin: PlacedTwin, request: TwinRequest): Handled => ({
  reply: twin.model.fault({ kind: 'unavailable', retryAfterSeconds: 1 }, request),
  summary: undefined,
  isPlatformFault: true,
})

/** The client asked too often; nothing was done, and no other party caused it. */
const overLimit = (twin: PlacedTwin, request: TwinRequest): Handled => ({
  reply: twin.model.fault({ kind: 'rate_limited', retryAfterSeconds: limitRetrySeconds }, request),
  summary: undefined,
  isPlatformFault: false,
})

const snapshotEvery = 1_000
const noRequest = internalRequest('POST')
const plainRecord: RecordOptions = { sets: null, durableReads: false }
const maxTries = 3

export const openHost = (deps: HostDeps): Host => {
  const { placements, pool, ledger, log, now, makeId } = deps
  const holds = createHolds()
  const limits = createRequestLimits()

  const append = (
    twin: PlacedTwin,
    entry: PlainEntry,
    more?: Pick<LedgerEntry, 'sets' | 'isDurable'>,
    sent?: string,
  ): Promise<void> => {
    const written = ledger.append({ ...entry, twin, ...more }, sent)
    if (entry.isRead) return written
    return written.then(
      () => {
        holds.written(twin)
        saveWhenDue(twin, entry.seq)
      },
      (error) => {
        placements.evict(twin)
        throw error
      },
    )
  }

  /** A snapshot holds durable writes only. Nobody waits for it. */
  const saveWhenDue = (twin: PlacedTwin, seq: number): void => {
    twin.unsavedWrites++
    if (twin.unsavedWrites < snapshotEvery || twin.isSaving || twin.lost) return
    twin.unsavedWrites = 0
    twin.isSaving = true
    twin.isolate
      .run({ kind: 'snapshot', twinId: twin.id, seq })
      .catch((error) =>
        log.warn({ event: 'snapshot.failed', twin: twin.id, error }, 'A snapshot was not written.'),
      )
      .finally(() => {
        twin.isSaving = false
      })
  }

  /** Hands the steps to the ledger, and resolves when the reply may leave. */
  const recorded = async (
    twin: PlacedTwin,
    { reply, entries }: Answered,
    { sets, durableReads }: RecordOptions,
  ): Promise<void> => {
    const waits: Promise<void>[] = []
    const isDurable = durableReads || sets !== null
    for (const [n, entry] of entries.entries()) {
      const last = n === entries.length - 1
      const written = append(
        twin,
        entry,
        { sets: last ? sets : null, isDurable },
        typeof reply.body === 'string' ? reply.body : undefined,
      )
      if (!entry.isRead || isDurable || ledger.readsCongested(twin)) waits.push(written)
      else
        written.catch((error) =>
          log.warn({ event: 'read.unrecorded', twin: twin.id, error }, 'A read was not recorded.'),
        )
    }
    if (waits.length > 0) await Promise.all(waits)
  }

  const finish = async (
    { twin, answered }: Taken,
    request: TwinRequest,
    options: RecordOptions = plainRecord,
  ): Promise<Handled> => {
    const { reply, summary, failure } = answered
    if (failure !== undefined)
      log.error(
        { event: 'twin.failed', twin: twin.id, service: twin.service, operation: summary.operation, failure },
        'A twin failed.',
      )
    const isRead = answered.entries.every((entry) => entry.isRead)
    try {
      await recorded(twin, answered, options)
    } catch (error) {
      log.error({ event: 'step.lost', twin: twin.id, error }, 'A step was not recorded; it is taken back.')
      if (!isRead) return unavailable(twin, request)
    }
    // Memory runs ahead of the database: what a read has shown must not be taken back by a failure.
    const settled = isRead ? ledger.settled(twin) : undefined
    if (settled) {
      await settled
      if (twin.lost) return unavailable(twin, request)
    }
    return { reply, summary, isPlatformFault: false }
  }

  const requestOp = (twin: PlacedTwin, request: TwinRequest, at?: StepTime): RequestOp => ({
    kind: 'request',
    twinId: twin.id,
    request,
    ...at,
    now: now(),
    requestId: makeId('req'),
    dueId: twin.model.due ? makeId('req') : '',
  })

  /** A request that ended its isolate is answered in the vendor's shape, and recorded once the twin is back. */
  const refuse = async (twin: PlacedTwin, op: RequestOp): Promise<Taken | Handled> => {
    const { request, requestId } = op
    const reply = twin.model.fault({ kind: 'internal', requestId }, request)
    const found = placements.mustRest(twin.id) ? undefined : await placements.find(twin.id)
    if (found?.at !== 'here') return { reply, summary: undefined, isPlatformFault: false }
    return { twin: found.twin, answered: await found.twin.isolate.run({ ...op, kind: 'refuse', reply }) }
  }

  /** Has the twin take the step; where it cannot, there is only something to answer with. */
  const take = async (
    twin: PlacedTwin,
    request: TwinRequest,
    tries: number,
    at?: StepTime,
  ): Promise<Taken | Handled> => {
    const op = requestOp(twin, request, at)
    try {
      if (twin.loading) await twin.loading
      return { twin, answered: await twin.isolate.run(op) }
    } catch (error) {
      if (error instanceof IsolateGone && error.isCulprit && error.op === op) return refuse(twin, op)
      const isGone = error instanceof IsolateGone || error instanceof TwinNotLoaded
      if (!isGone) log.error({ event: 'isolate.failed', twin: twin.id, error }, 'An isolate failed.')
      if (!isGone || tries >= maxTries || placements.mustRest(twin.id)) return unavailable(twin, request)
      if (placements.here(twin.id) === twin) placements.evict(twin)
      const found = await placements.find(twin.id)
      return found.at === 'here' ? take(found.twin, request, tries + 1, at) : unavailable(twin, request)
    }
  }

  /** Where the world cannot be moved, nothing was done, and the client may ask again. */
  const inWorld = async (twin: PlacedTwin, clockId: string, request: TwinRequest): Promise<Handled> => {
    try {
      return await movement.handle(clockId, twin, request)
    } catch (error) {
      log.error({ event: 'world.unavailable', twin: twin.id, error }, 'A world could not be moved.')
      return unavailable(twin, request)
    }
  }

  const once = async (twin: PlacedTwin, request: TwinRequest): Promise<Handled> => {
    twin.usedAt = now()
    if (placements.mustRest(twin.id)) return unavailable(twin, request)
    const room = ledger.room(twin)
    if (room && !((await room) && !twin.lost)) return unavailable(twin, request)
    if (twin.row.clock_id !== null) return inWorld(twin, twin.row.clock_id, request)
    const taken = await take(twin, request, 1)
    return 'answered' in taken ? finish(taken, request) : taken
  }

  /** Answers, and where the service would hold the reply back (long polling), asks again after each write. */
  const handle: Host['handle'] = async (twin, request, signal) => {
    const began = now()
    if (!limits.admits(twin.id, request.body?.length ?? 0)) return overLimit(twin, request)
    for (;;) {
      const { writes } = twin
      const handled = await once(twin, request)
      const { hold } = handled.reply
      if (!hold || handled.isPlatformFault || signal?.aborted) return handled
      const ms = began + hold.maxMs - now()
      const how = await holds.wait(twin, { writes, ms, signal })
      if (signal?.aborted) return handled
      if (twin.lost) return unavailable(twin, request)
      if (how === 'over') return once(twin, { ...request, waited: true })
    }
  }

  const due = async (twin: PlacedTwin, worldTime?: number) => {
    const op = { kind: 'due', twinId: twin.id, now: now(), worldTime, dueId: makeId('req') } as const
    const { entries, nextDue } = await twin.isolate.run(op)
    return { nextDue, written: Promise.all(entries.map((entry) => append(twin, entry))) }
  }

  const movement = deps.movement(worldSteps(deps, { take, due, finish }))

  /** Lets what has come due happen, and what was answered be durable, before somebody looks. */
  const settle = async (twin: PlacedTwin): Promise<number | undefined> => {
    if (twin.loading) await twin.loading
    let worldTime: number | undefined
    if (twin.row.clock_id !== null) worldTime = await movement.settle(twin.row.clock_id, twin)
    else if (twin.model.due) await (await due(twin)).written
    await ledger.flush([twin.id])
    return worldTime
  }

  /** At the time of the world, where that has a clock, and in its order. */
  const inOrder = <T>(twin: PlacedTwin, work: (worldTime: number | undefined) => Promise<T>): Promise<T> =>
    twin.row.clock_id === null ? work(undefined) : movement.perform(twin.row.clock_id, twin, work)

  const control: Host['control'] = async (twin, order) => {
    twin.usedAt = now()
    if (twin.loading) await twin.loading
    const ids = { requestId: makeId('req'), dueId: twin.model.due ? makeId('req') : '' }
    const op = { kind: 'control', twinId: twin.id, ...order, ...ids } as const
    const controlled = await inOrder(twin, (worldTime) => twin.isolate.run({ ...op, worldTime, now: now() }))
    await Promise.all(controlled.entries.map((entry) => append(twin, entry)))
    return controlled
  }

  const settleDelivery: Host['settle'] = async (twin, emission, settlement) => {
    if (twin.loading) await twin.loading
    const op = { kind: 'settle', twinId: twin.id, emission, settlement, now: now() } as const
    const requestId = makeId('req')
    const entries = await inOrder(twin, (worldTime) => twin.isolate.run({ ...op, worldTime, requestId }))
    await Promise.all(entries.map((entry) => append(twin, entry)))
  }

  /** A copy that is loaded for one look and then dropped. */
  const inspectCopy = async (row: TwinRow, inspection: Inspection, upTo?: number) => {
    const isolate = await pool().choose()
    const twinId = `${row.id} ${makeId('view')}`
    await isolate.run({ kind: 'load', twinId, twin: factsOf(row), from: 'ledger', upTo })
    try {
      return await isolate.run({ kind: 'inspect', twinId, inspection })
    } finally {
      isolate.run({ kind: 'drop', twinId }).catch(() => undefined)
    }
  }

  const look = async (row: TwinRow, inspection: Inspection) => {
    const found = isLive(row) ? await placements.find(row.id) : undefined
    if (found?.at !== 'here') return inspectCopy(row, inspection)
    const worldTime = await settle(found.twin)
    return found.twin.isolate.run({
      kind: 'inspect',
      twinId: row.id,
      inspection: inspection.what === 'clock' ? { ...inspection, worldTime } : inspection,
    })
  }

  const inspect: Host['inspect'] = async (row, inspection) => {
    try {
      return (await look(row, inspection)) as never
    } catch (error) {
      // The isolate was replaced meanwhile, by another twin's doing.
      const isGone = error instanceof TwinNotLoaded || (error instanceof IsolateGone && !error.isCulprit)
      if (!isGone) throw error
      placements.forget(row.id)
      return (await look(row, inspection)) as never
    }
  }

  return {
    ...placements,
    get size() {
      return placements.size
    },
    handle,
    limit: limits.limit,
    release: holds.close,
    control,
    settle: settleDelivery,
    inspect,
    inspectAt: async (row, writes, inspection) => (await inspectCopy(row, inspection, writes)) as never,
    probe: async (twin) => {
      if (twin.loading) await twin.loading
      return twin.isolate.run({ kind: 'probe', twinId: twin.id, now: now() })
    },
    unloadIdle: (unusedMs) => {
      for (const twin of placements.all())
        if (twin.usedAt < now() - unusedMs && ledger.isIdle(twin)) placements.evict(twin)
    },
    drain: async () => {
      holds.close()
      placements.close()
      await ledger.drain()
      await pool().close()
    },
  }
}

type Take = (twin: PlacedTwin, request: TwinRequest, tries: number, at?: StepTime) => Promise<Taken | Handled>
interface StepParts {
  readonly take: Take
  readonly due: (
    twin: PlacedTwin,
    worldTime?: number,
  ) => Promise<{ nextDue: number | undefined; written: Promise<unknown> }>
  readonly finish: (taken: Taken, request: TwinRequest, options: RecordOptions) => Promise<Handled>
}

/** How worlds with a clock make their twins take steps. */
const worldSteps = (
  { placements, ledger, log, now, makeId }: HostDeps,
  { take, due, finish }: StepParts,
): WorldSteps => ({
  request: (twin, request, at) => take(twin, request, 1, at),
  act: async (twin, order) => {
    if (twin.loading) await twin.loading
    const op = { kind: 'act', twinId: twin.id, ...order, now: now(), requestId: makeId('req') } as const
    const answered = await twin.isolate.run(op)
    return answered && { twin, answered }
  },
  due: async (twin, worldTime) => {
    const { nextDue, written } = await due(twin, worldTime)
    written.catch((error) => log.error({ event: 'step.lost', twin: twin.id, error }, 'A step was lost.'))
    return { nextDue }
  },
  record: (taken, options, request = noRequest) => finish(taken, request, options),
  find: async (twinId) => {
    const found = await placements.find(twinId)
    if (found.at !== 'here') return found.at === 'ended' || found.at === 'nowhere' ? 'ended' : 'elsewhere'
    if (found.twin.loading) await found.twin.loading
    return found.twin
  },
  flush: (twinIds) => ledger.flush(twinIds),
})
