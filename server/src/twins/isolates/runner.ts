import type { Changes } from '@diorama/twin-kit/kernel/diff'
import { Instance, isWrite } from '@diorama/twin-kit/kernel/instance'
import type { Row } from '@diorama/twin-kit/kernel/table'
import { type Step, VendorError } from '@diorama/twin-kit/kernel/twin'
import { z } from 'zod'
import { BoundedCache } from '../../storage/bounded-cache.ts'
import {
  entryOf,
  isReadStep,
  type PlainEntry,
  type RecordedTwin,
  type StepCause,
} from '../ledger/ledger-entry.ts'
import type { Seeds } from '../seeds.ts'
import { actControl, actRequest } from './act.ts'
import { inspect, shownOf } from './inspect.ts'
import type {
  ActOp,
  Answered,
  Controlled,
  ControlRefusal,
  Op,
  OpKind,
  OpOf,
  RequestOp,
  Results,
  StepSummary,
  TwinFacts,
} from './protocol.ts'
import { publish } from './publish.ts'
import type { SnapshotEntry, StateStore } from './state-store.ts'

/** The twin is not loaded here: it was dropped, or its isolate was replaced. */
export class TwinNotLoaded extends Error {
  override readonly name = 'TwinNotLoaded'
}

interface RunningTwin extends RecordedTwin {
  readonly facts: TwinFacts
  readonly instance: Instance
  writes: number
  reads: number
  /** What writes changed since the last part of the snapshot, oldest first. */
  unsaved: { readonly seq: number; readonly changes: Changes }[]
  /** The batch of actions that is under way, or was last. */
  batch: { isAddressed: boolean; hasEnded: boolean }
}

/** Runs twins. It knows nothing of sockets, leases or the ledger's queues, and lives in its own thread. */
export interface Runner {
  /** Requests are answered in the turn in which they come; what needs the database is answered later. */
  readonly execute: <K extends OpKind>(op: OpOf<K>) => Results[K] | Promise<Results[K]>
}

export interface RunnerDeps {
  readonly store: StateStore
  readonly seeds: Pick<Seeds, 'load'>
}

const maxStateTextBytes = 64 << 20

export const createRunner = ({ store, seeds }: RunnerDeps): Runner => {
  const twins = new Map<string, RunningTwin>()
  /** The text of an unchanged twin is that of its seed: made once, whichever trial asks. */
  const untouched = new BoundedCache<Uint8Array>({ most: maxStateTextBytes, weigh: ({ length }) => length })

  const required = (twinId: string): RunningTwin => {
    const twin = twins.get(twinId)
    if (!twin) throw new TwinNotLoaded(`the twin ${twinId} is not loaded`)
    return twin
  }

  const load = async ({ twinId, twin: facts, from, upTo }: OpOf<'load'>): Promise<Results['load']> => {
    const seed = await seeds.load(facts.seedSha256)
    const instance = new Instance({ seed, principals: facts.principals })
    const twin: RunningTwin = {
      facts,
      instance,
      epoch: facts.epoch,
      principals: facts.principals,
      isInternal: (collection) => seed.tables[collection]?.spec.internal === true,
      namesOf: (collection, row) => seed.twin.names?.(collection, row) ?? [],
      writes: 0,
      reads: 0,
      unsaved: [],
      batch: { isAddressed: false, hasEnded: false },
    }
    if (from === 'ledger') await restore(twin, store, upTo)
    twins.set(twinId, twin)
    return { writes: twin.writes, reads: twin.reads, nextDue: instance.nextDue() }
  }

  const inspected = ({
    twinId,
    inspection,
  }: OpOf<'inspect'>): Results['inspect'] | Promise<Results['inspect']> => {
    const twin = required(twinId)
    const { instance } = twin
    if (inspection.what === 'publish') return publish(instance, inspection.clock, store)
    if (inspection.what === 'clock')
      return {
        isUntouched: instance.isUntouched(),
        seedClock: instance.seed.seed.clock,
        worldTime: inspection.worldTime ?? worldTime(twin, inspection.now),
      }
    if (inspection.what !== 'state' || !instance.isUntouched()) return inspect(instance, inspection)
    const known = untouched.get(instance.seed.sha256)
    if (known) return known
    const text = inspect(instance, inspection) as Uint8Array
    untouched.set(instance.seed.sha256, text)
    return text
  }

  const run = (op: Op): Results[OpKind] | Promise<Results[OpKind]> => {
    switch (op.kind) {
      case 'load':
        return load(op)
      case 'drop':
        twins.delete(op.twinId)
        return undefined
      case 'request':
        return answer(required(op.twinId), op)
      case 'refuse':
        return refused(required(op.twinId), op)
      case 'due': {
        const twin = required(op.twinId)
        const due = twin.instance.due(op.worldTime ?? worldTime(twin, op.now))
        const place = { id: op.dueId, at: op.now, durationMs: 0 }
        return { entries: due ? [record(twin, due, place, byClock)] : [], nextDue: twin.instance.nextDue() }
      }
      case 'control':
        return controlled(required(op.twinId), op)
      case 'settle': {
        const twin = required(op.twinId)
        const step = twin.instance.settle(op.emission, op.settlement, op.worldTime ?? worldTime(twin, op.now))
        return step ? [record(twin, step, { id: op.requestId, at: op.now, durationMs: 0 })] : []
      }
      case 'act':
        return act(required(op.twinId), op)
      case 'probe': {
        const twin = required(op.twinId)
        const failure = twin.instance.probe(worldTime(twin, op.now))
        return failure === undefined ? undefined : messageOf(failure)
      }
      case 'snapshot':
        return savePart(required(op.twinId), op.seq, store)
      case 'inspect':
        return inspected(op)
    }
  }
  return { execute: run as Runner['execute'] }
}

const answer = (twin: RunningTwin, op: RequestOp): Answered => {
  const { request, now, requestId, dueId } = op
  const began = performance.now()
  const { due, step, failure } = twin.instance.handle(request, op.worldTime ?? worldTime(twin, now))
  const entries = due ? [record(twin, due, { id: dueId, at: now, durationMs: 0 }, byClock)] : []
  // A reply that is held back is none yet: what is recorded is the one that leaves.
  if (!step.reply.hold || isWrite(step))
    entries.push(record(twin, step, { id: requestId, at: now, durationMs: performance.now() - began }))
  return {
    reply: step.reply,
    entries,
    summary: summaryOf(twin, step, requestId),
    ...(op.worldTime === undefined ? {} : movedBy(twin, step, op.shows)),
    ...(failure === undefined ? {} : { failure: messageOf(failure) }),
  }
}

const act = (twin: RunningTwin, op: ActOp): Answered | undefined => {
  if (!op.batch) return actAlone(twin, op)
  const { isFirst, nextAt, endsByNotice } = op.batch
  if (isFirst) twin.batch = { isAddressed: false, hasEnded: false }
  const { batch } = twin
  if (batch.hasEnded) return undefined
  // Should the action throw, the rest of the batch is not done.
  batch.hasEnded = true
  const answered = actAlone(twin, op)
  if (endsByNotice && (answered.notices?.length ?? 0) > 0) batch.isAddressed = true
  const isDue = nextAt !== undefined && (answered.nextDue ?? Number.POSITIVE_INFINITY) <= nextAt
  batch.hasEnded = isDue || (nextAt !== undefined && batch.isAddressed)
  return answered
}

const actAlone = (twin: RunningTwin, op: ActOp): Answered => {
  const began = performance.now()
  const control = actControl(twin.instance, op.action)
  const { step, failure } = control
    ? actByControl(twin, op, control)
    : twin.instance.answer(actRequest(twin.instance, op.action, op.worldTime), op.worldTime)
  const place = { id: op.requestId, at: op.now, durationMs: performance.now() - began }
  return {
    // No one waits for the reply, and the entry holds it: only what became of the action travels.
    reply: { status: step.reply.status, headers: {}, body: '' },
    entries: [record(twin, step, place, op.cause)],
    summary: summaryOf(twin, step, op.requestId),
    ...movedBy(twin, step, op.shows),
    ...(failure === undefined ? {} : { failure: messageOf(failure) }),
  }
}

/** What the twin refuses is a step that changed nothing. */
const actByControl = (
  { instance }: RunningTwin,
  { worldTime: at, action }: ActOp,
  { name, input }: { readonly name: string; readonly input: unknown },
): { readonly step: Step; readonly failure?: unknown } => {
  const body = Buffer.from(JSON.stringify(input))
  const asked = { method: 'POST', path: `/${name}`, query: '', headers: {}, body, baseUrl: '' }
  try {
    const { step } = instance.control(name, input, { at, baseUrl: '' })
    return { step: { ...step, request: asked } }
  } catch (error) {
    const refusal = refusalOf(error)
    if (!refusal) throw error
    const reply = { status: 400, headers: {}, body: JSON.stringify({ ok: false, error: refusal.message }) }
    const actor = instance.twin
      .identities(instance.tables)
      .find(({ subject }: { subject: string }) => subject === action.as)
    return {
      step: {
        ...{ request: asked, reply, at, operation: name, changes: [], notEmulated: [], emissions: [] },
        actor: actor && { id: actor.nativeId, name: actor.name, subject: action.as },
      },
    }
  }
}

/** What a world with a clock must know of a step: whom it addressed, what it changed, and when the twin acts next. */
const movedBy = (
  { instance }: RunningTwin,
  step: Step,
  shows = false,
): Pick<Answered, 'nextDue' | 'failed' | 'subject' | 'notices' | 'shown'> => {
  const isChanged = step.changes.length > 0
  return {
    nextDue: instance.nextDue(),
    failed: instance.twin.acts?.refuses?.(step.reply) ?? step.reply.status >= 400,
    subject: step.actor?.subject,
    ...(isChanged && instance.twin.notices ? { notices: instance.twin.notices(step, instance.tables) } : {}),
    ...(isChanged && shows ? { shown: shownOf(instance, step.changes) } : {}),
  }
}

const byClock: StepCause = { cause: 'clock', mark: null }

const refused = (twin: RunningTwin, op: OpOf<'refuse'>): Answered => {
  const { request, reply, now, requestId } = op
  const step: Step = {
    request,
    reply,
    at: op.worldTime ?? worldTime(twin, now),
    operation: `${request.method} ${request.path}`,
    actor: undefined,
    changes: [],
    notEmulated: [],
    emissions: [],
  }
  const entry = record(twin, step, { id: requestId, at: now, durationMs: 0 })
  return { reply, entries: [entry], summary: summaryOf(twin, step, requestId) }
}

const controlled = (twin: RunningTwin, op: OpOf<'control'>): Controlled => {
  const { name, input, baseUrl, now, requestId, dueId } = op
  const began = performance.now()
  const at = op.worldTime ?? worldTime(twin, now)
  const due = twin.instance.due(at)
  const entries = due ? [record(twin, due, { id: dueId, at: now, durationMs: 0 }, byClock)] : []
  try {
    const { step, output } = twin.instance.control(name, input, { at, baseUrl })
    if (isWrite(step)) {
      const request = { ...step.request, body: Buffer.from(JSON.stringify(input ?? null, withoutSecrets)) }
      const durationMs = performance.now() - began
      entries.push(record(twin, { ...step, request }, { id: requestId, at: now, durationMs }))
    }
    return { output, entries }
  } catch (error) {
    const refusal = refusalOf(error)
    if (!refusal) throw error
    return { refusal, entries }
  }
}

/** A control configures credentials; its record names them and does not hold them. */
const withoutSecrets = (key: string, value: unknown): unknown =>
  /secret|token/i.test(key) && typeof value === 'string' ? '[redacted]' : value

/** What the caller can mend: an input of a wrong shape, or the vendor's own refusal. */
const refusalOf = (error: unknown): ControlRefusal | undefined => {
  if (error instanceof VendorError) {
    const pointer = typeof error.data.pointer === 'string' ? error.data.pointer : ''
    return { message: error.message, details: [{ pointer, message: error.message }] }
  }
  if (!(error instanceof z.ZodError)) return undefined
  const details = error.issues.map(({ path, message }) => ({
    pointer: path.map((part) => `/${String(part)}`).join(''),
    message,
  }))
  const [first] = details
  return { message: first ? `${first.pointer} ${first.message}`.trim() : 'The input is not valid.', details }
}

const summaryOf = (twin: RunningTwin, step: Step, requestId: string): StepSummary => ({
  requestId,
  operation: step.operation,
  status: step.reply.status,
  notEmulated: step.notEmulated,
  ...(step.withheld ? { withheld: step.withheld } : {}),
  changes: step.changes
    .filter(({ collection }) => !twin.isInternal(collection))
    .map(({ collection, operation, id }) => ({ collection, operation, id })),
})

/** Gives the step its place in the twin's life. */
const record = (
  twin: RunningTwin,
  step: Step,
  { id, at, durationMs }: { id: string; at: number; durationMs: number },
  cause?: StepCause,
): PlainEntry => {
  const isRead = isReadStep(step, cause)
  if (isRead) twin.reads++
  else {
    twin.writes++
    twin.unsaved.push({ seq: twin.writes, changes: step.changes })
  }
  const [seq, preceding] = isRead ? [twin.reads, twin.writes] : [twin.writes, twin.reads]
  return entryOf(step, { id, seq, preceding, at, durationMs }, twin, cause)
}

/** The seed, then the parts of the snapshot, then the changes after them; requests are never run again. */
const restore = async (twin: RunningTwin, store: StateStore, upTo = Infinity): Promise<void> => {
  const { id, epoch } = twin.facts
  let reached = 0
  for await (const part of store.snapshotParts(id, epoch)) {
    if (part.seq > upTo) break
    for (const [collection, key, row] of part.entries) twin.instance.put(collection, key, row)
    reached = part.seq
  }
  // Counted before the changes are read: a write that arrives in between is then seen, and its number is not taken twice.
  const { reads } = await store.stepCounts(id, epoch)
  for await (const steps of store.changesAfter(id, epoch, reached))
    for (const { seq, changes } of steps) {
      if (seq > upTo) return
      twin.instance.apply(changes)
      twin.unsaved.push({ seq, changes })
      reached = seq
    }
  twin.writes = reached
  twin.reads = reads
}

/** Costs what changed since the last part, and not what the twin holds. */
const savePart = async (twin: RunningTwin, seq: number, store: StateStore): Promise<undefined> => {
  const saved = twin.unsaved.filter((one) => one.seq <= seq)
  if (saved.length === 0) return undefined
  const latest = new Map<string, SnapshotEntry>()
  for (const { changes } of saved)
    for (const { collection, id, after } of changes)
      latest.set(`${collection} ${id}`, [collection, id, after as Row | null])
  const { id, epoch } = twin.facts
  await store.saveSnapshotPart({ twinId: id, epoch, seq, entries: [...latest.values()] })
  twin.unsaved = twin.unsaved.filter((one) => one.seq > seq)
  return undefined
}

/** The world's now: the blueprint's clock and the time that has passed since the twin was seeded. */
const worldTime = ({ instance, facts }: RunningTwin, now: number): number =>
  instance.seed.seed.clock + Math.max(0, now - facts.seededAt)

const messageOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error)
