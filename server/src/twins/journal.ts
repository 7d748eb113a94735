import type { Changes } from '@diorama/twins/kernel/diff'
import type { Row } from '@diorama/twins/kernel/table'
import type { Principal, Step } from '@diorama/twins/kernel/twin'
import type pg from 'pg'
import { isRowFault } from '../storage/failure.ts'
import { GroupWriter } from '../storage/group.ts'
import { hiding, recordingOf } from './recording.ts'

/** A step on its way to the database. */
export interface JournalEntry {
  readonly id: string
  readonly seq: number
  readonly at: number
  readonly durationMs: number
  readonly step: Step
  readonly twin: JournalTwin
}

/** What the journal must know of a live twin. `lost` is set when a step failed: none that came after it may be written. */
export interface JournalTwin {
  readonly id: string
  readonly organizationId: string
  readonly worldId: string | null
  readonly service: string
  readonly epoch: number
  readonly principals: readonly Principal[]
  readonly isInternal: (collection: string) => boolean
  /** What people call a record besides its id. */
  readonly namesOf: (collection: string, row: Row) => readonly string[]
  lost: boolean
}

export class StepLost extends Error {
  override readonly name = 'StepLost'
}

const insert = `
  insert into twin_steps (id, organization_id, twin_id, world_id, epoch, seq, service, at, world_time, duration_ms,
    operation, actor, method, path, status, mutations, not_emulated, detail, changes, records)
  select id, organization_id, twin_id, world_id, epoch, seq, service, to_timestamp(at / 1000.0),
    to_timestamp(world_time / 1000.0), duration_ms, operation, actor::jsonb, method, path, status, mutations,
    string_to_array(not_emulated, chr(1)), detail, changes, string_to_array(records, chr(1))
  from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::int[], $6::bigint[], $7::text[], $8::float8[],
    $9::float8[], $10::real[], $11::text[], $12::text[], $13::text[], $14::text[], $15::int[], $16::int[],
    $17::text[], $18::text[], $19::text[], $20::text[])
    as step (id, organization_id, twin_id, world_id, epoch, seq, service, at, world_time, duration_ms,
      operation, actor, method, path, status, mutations, not_emulated, detail, changes, records)`

const readsGatherMs = 25

/**
 * The ledger: steps of all twins that arrive together are written together. A step is durable when its promise
 * resolves. Sequence numbers are unique within a twin's life, so that two nodes can never both extend it.
 */
export const openJournal = (pool: pg.Pool, recorded: (entries: readonly JournalEntry[]) => void) => {
  const writer = new GroupWriter<JournalEntry, void>({
    lanes: 2,
    laneOf: ({ twin }) => laneOf(twin.id),
    maxBatch: 500,
    maxQueue: 20_000,
    retrySingly: isRowFault,
    // Nobody waits for the record of a read; many are written for little more than one.
    isPatient: ({ step }) => step.changes.length === 0,
    gatherMs: readsGatherMs,
    flush: async (entries) => {
      if (entries.some(({ twin }) => twin.lost))
        throw new StepLost('an earlier step of this twin was not written')
      try {
        await pool.query({ name: 'twin-steps', text: insert, values: columns(entries) })
      } catch (error) {
        // A batch with a bad row is tried row by row; otherwise nobody knows what was written, and memory is not to be trusted.
        if (entries.length === 1 || !isRowFault(error)) for (const { twin } of entries) twin.lost = true
        throw error
      }
      recorded(entries)
      return entries.map(() => undefined)
    },
  })
  return {
    append: (entry: JournalEntry): Promise<void> => writer.write(entry),
    get queued() {
      return writer.queued
    },
    /** Resolves when every step so far is in the ledger, or was refused. */
    hurry: () => writer.hurry(),
    drain: () => writer.drain(),
  }
}
export type Journal = ReturnType<typeof openJournal>

const laneOf = (id: string): number => id.charCodeAt(id.length - 1) + id.charCodeAt(id.length - 2)

const columns = (entries: readonly JournalEntry[]): unknown[][] => {
  const table: unknown[][] = Array.from({ length: 20 }, () => [])
  for (const entry of entries) row(entry).forEach((value, column) => table[column]?.push(value))
  return table
}

const row = ({ id, seq, at, durationMs, step, twin }: JournalEntry): unknown[] => {
  const shown = step.changes.filter(({ collection }) => !twin.isInternal(collection))
  return [
    id,
    twin.organizationId,
    twin.id,
    twin.worldId,
    twin.epoch,
    seq,
    twin.service,
    at,
    step.at,
    durationMs,
    text(step.operation, 200),
    step.actor ? JSON.stringify(step.actor) : null,
    text(step.request.method, 20),
    text(hiding(twin.principals)(step.request.path), 2_000),
    step.reply.status,
    shown.length,
    step.notEmulated.map((name) => text(name, 200)).join(separator),
    storable(JSON.stringify(recordingOf(step, twin.principals))),
    step.changes.length > 0 ? storable(JSON.stringify(step.changes)) : null,
    recordsOf(shown, twin),
  ]
}

const separator = '\u0001'
const text = (value: string, most: number): string => storable(value).slice(0, most).toWellFormed()

/** JSON escapes NUL, so only raw text can hold one. */
const storable = (value: string): string => value.replaceAll('\0', '\ufffd')

/** Every way to say which records were changed: `sales_order:7001` and `order:7001`, by id and by name. */
const recordsOf = (changes: Changes, twin: JournalTwin): string => {
  const said = new Set<string>()
  for (const { collection, id, before, after } of changes) {
    const called = [before, after].flatMap((row) => (row ? twin.namesOf(collection, row) : []))
    for (const name of [id, ...called])
      for (const kind of [collection, shortKind(collection)]) said.add(`${kind}:${text(name, 400)}`)
  }
  return [...said].join(separator)
}

/** The last word of a collection's name: an order, whatever kind of order. */
export const shortKind = (collection: string): string =>
  (/[A-Z]?[^A-Z_]+$/.exec(collection)?.[0] ?? collection).toLowerCase()
