import type { Changes } from '@diorama/twins/kernel/diff'
import {
  binaryArray,
  type ColumnKind,
  float4Column,
  float8Column,
  int4Column,
  int8Column,
  textColumn,
} from '../storage/arrays.ts'
import type { JournalEntry, JournalTwin } from './journal-entry.ts'
import { hiding, recordingOf } from './recording.ts'

/** Writes steps, a column at a time. */
export const insertSteps = `
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

/** What the statement above takes. */
export const stepColumns = (entries: readonly JournalEntry[]): Buffer[] => {
  const of = <V>(kind: ColumnKind<V>, value: (entry: JournalEntry) => V | null): Buffer =>
    binaryArray(kind, entries.map(value))
  const shown = new Map(entries.map((entry) => [entry, shownChanges(entry)]))
  const changesOf = (entry: JournalEntry): Changes => shown.get(entry) ?? []
  return [
    of(textColumn, ({ id }) => id),
    of(textColumn, ({ twin }) => twin.organizationId),
    of(textColumn, ({ twin }) => twin.id),
    of(textColumn, ({ twin }) => twin.worldId),
    of(int4Column, ({ twin }) => twin.epoch),
    of(int8Column, ({ seq }) => seq),
    of(textColumn, ({ twin }) => twin.service),
    of(float8Column, ({ at }) => at),
    of(float8Column, ({ step }) => step.at),
    of(float4Column, ({ durationMs }) => durationMs),
    of(textColumn, ({ step }) => text(step.operation, 200)),
    of(textColumn, ({ step }) => (step.actor ? JSON.stringify(step.actor) : null)),
    of(textColumn, ({ step }) => text(step.request.method, 20)),
    of(textColumn, ({ step, twin }) => text(hiding(twin.principals)(step.request.path), 2_000)),
    of(int4Column, ({ step }) => step.reply.status),
    of(int4Column, (entry) => changesOf(entry).length),
    of(textColumn, ({ step }) => step.notEmulated.map((name) => text(name, 200)).join(separator)),
    of(textColumn, ({ step, twin }) => JSON.stringify(recordingOf(step, twin.principals))),
    of(textColumn, ({ step }) => (step.changes.length > 0 ? JSON.stringify(step.changes) : null)),
    of(textColumn, (entry) => recordsOf(changesOf(entry), entry.twin)),
  ]
}

const shownChanges = ({ step, twin }: JournalEntry): Changes =>
  step.changes.filter(({ collection }) => !twin.isInternal(collection))

const separator = '\u0001'

/** NUL cannot be stored; JSON escapes it, so only raw text can hold one. */
const text = (value: string, most: number): string =>
  (value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value).slice(0, most).toWellFormed()

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
