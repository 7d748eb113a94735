import {
  binaryArray,
  bytesColumn,
  type ColumnKind,
  float4Column,
  float8Column,
  int4Column,
  int8Column,
  textColumn,
} from '../../storage/writers/arrays.ts'
import { type LedgerEntry, storable } from './ledger-entry.ts'
import type { Addressed, AddressedExchange } from './payloads.ts'

const columns = `id, organization_id, twin_id, world_id, epoch, seq, preceding, service, at, world_time, duration_ms,
  operation, actor, method, path, status, not_emulated, refused, cause, mark, sets`
const values = `id, organization_id, twin_id, world_id, epoch, seq, preceding, service, to_timestamp(at / 1000.0),
  to_timestamp(world_time / 1000.0), duration_ms, operation, actor::jsonb, method, path, status,
  string_to_array(not_emulated, chr(1)), refused, cause, mark, sets`
const arrays = `$1::text[], $2::text[], $3::text[], $4::text[], $5::int[], $6::bigint[], $7::bigint[], $8::text[],
  $9::float8[], $10::float8[], $11::real[], $12::text[], $13::text[], $14::text[], $15::text[], $16::int[], $17::text[],
  $18::text[], $19::text[], $20::text[], $21::text[]`

/** Inserts writes, a column at a time. */
export const insertWrites = `
  insert into twin_steps (${columns}, mutations, detail, changes, records)
  select ${values}, mutations, detail, changes, string_to_array(records, chr(1))
  from unnest(${arrays}, $22::int[], $23::text[], $24::text[], $25::text[])
    as step (${columns}, mutations, detail, changes, records)`

/** The same with what the steps emitted: one statement, so that a step and its deliveries are there together or not at all. */
export const insertEmittingWrites = `
  with outbox as (
    insert into twin_deliveries (id, twin_id, organization_id, epoch, cause, channel, kind, receiver, emission_id, url,
      emission, created_at, next_at)
    select id, twin_id, organization_id, epoch, cause, channel, kind, receiver, emission_id, url, emission,
      to_timestamp(created / 1000.0), to_timestamp(due / 1000.0)
    from unnest($26::text[], $27::text[], $28::text[], $29::int[], $30::text[], $31::text[], $32::text[], $33::text[],
      $34::text[], $35::text[], $36::text[], $37::float8[], $38::float8[])
      as delivery (id, twin_id, organization_id, epoch, cause, channel, kind, receiver, emission_id, url, emission,
        created, due))
  ${insertWrites}`

/**
 * Inserts the records of reads with the payloads that are new. Unless somebody waits for one of them, their commit does
 * not wait for the disk. Two nodes may have numbered the same read of a twin that moved between them: one record stays.
 */
export const insertReads = `
  with lazily as (select set_config('synchronous_commit', $29::text, true)),
  payload as (
    insert into twin_payloads (twin_id, sha256, body)
    select twin_id, sha256, body from unnest($26::text[], $27::bytea[], $28::bytea[]) as payload (twin_id, sha256, body)
    on conflict do nothing)
  insert into twin_steps (${columns}, is_read, mutations, exchange, reply, reply_size, reply_headers)
  select ${values}, true, 0, exchange, reply, reply_size, reply_headers
  from unnest(${arrays}, $22::bytea[], $23::bytea[], $24::int[], $25::text[])
    as step (${columns}, exchange, reply, reply_size, reply_headers), lazily
  on conflict do nothing`

type Of = <V>(kind: ColumnKind<V>, value: (entry: LedgerEntry) => V | null) => Buffer
const columnsOf =
  (entries: readonly LedgerEntry[]): Of =>
  (kind, value) =>
    binaryArray(kind, entries.map(value))

const sharedColumns = (of: Of): Buffer[] => [
  of(textColumn, ({ id }) => id),
  of(textColumn, ({ twin }) => twin.organizationId),
  of(textColumn, ({ twin }) => twin.id),
  of(textColumn, ({ twin }) => twin.worldId),
  of(int4Column, ({ twin }) => twin.epoch),
  of(int8Column, ({ seq }) => seq),
  of(int8Column, ({ preceding }) => preceding),
  of(textColumn, ({ twin }) => twin.service),
  of(float8Column, ({ at }) => at),
  of(float8Column, ({ worldTime }) => worldTime),
  of(float4Column, ({ durationMs }) => durationMs),
  of(textColumn, ({ operation }) => operation),
  of(textColumn, ({ actor }) => actor),
  of(textColumn, ({ method }) => method),
  of(textColumn, ({ path }) => path),
  of(int4Column, ({ status }) => status),
  of(textColumn, ({ notEmulated }) => notEmulated),
  of(textColumn, ({ refused }) => refused),
  of(textColumn, ({ cause }) => cause),
  of(textColumn, ({ mark }) => mark),
  of(textColumn, ({ sets }) => sets ?? null),
]

export const writeColumns = (entries: readonly LedgerEntry[]): Buffer[] => {
  const of = columnsOf(entries)
  return [
    ...sharedColumns(of),
    of(int4Column, ({ mutations }) => mutations),
    of(textColumn, ({ detail }) => detail),
    of(textColumn, ({ changes }) => changes),
    of(textColumn, ({ records }) => records),
  ]
}

/** The columns of what the steps emitted, behind those of the steps. */
export const deliveryColumns = (entries: readonly LedgerEntry[]): Buffer[] => {
  const rows = entries.flatMap((entry) => entry.deliveries.map((delivery) => ({ entry, ...delivery })))
  const of = <V>(kind: ColumnKind<V>, value: (row: (typeof rows)[number]) => V | null) =>
    binaryArray(kind, rows.map(value))
  return [
    of(textColumn, ({ id }) => id),
    of(textColumn, ({ entry }) => entry.twin.id),
    of(textColumn, ({ entry }) => entry.twin.organizationId),
    of(int4Column, ({ entry }) => entry.twin.epoch),
    of(textColumn, ({ entry }) => entry.id),
    of(textColumn, ({ emission }) => emission.channel),
    of(textColumn, ({ emission }) => storable(emission.kind, 200)),
    of(textColumn, ({ emission }) => storable(emission.receiver, 200)),
    of(textColumn, ({ emission }) => storable(emission.id, 200)),
    of(textColumn, ({ emission }) => (emission.url === null ? null : storable(emission.url, 4_000))),
    of(textColumn, ({ text }) => text),
    of(float8Column, ({ entry }) => entry.at),
    of(float8Column, ({ entry, emission }) => entry.at + (emission.delayMs ?? 0)),
  ]
}

/** A payload that may be new to the database. */
export interface NewPayload {
  readonly twinId: string
  readonly sha256: Uint8Array
  readonly body: Uint8Array
}

/** The record of a read, with the addresses of its payloads. */
export interface QueuedRead {
  readonly entry: LedgerEntry
  readonly exchange: AddressedExchange
  readonly reply: Addressed
  readonly replySize: number
}

export const readColumns = (
  reads: readonly QueuedRead[],
  payloads: readonly NewPayload[],
): (Buffer | string)[] => {
  const ofReads = <V>(kind: ColumnKind<V>, value: (read: QueuedRead) => V | null) =>
    binaryArray(kind, reads.map(value))
  const ofPayloads = <V>(kind: ColumnKind<V>, value: (payload: NewPayload) => V) =>
    binaryArray(kind, payloads.map(value))
  return [
    ...sharedColumns(columnsOf(reads.map(({ entry }) => entry))),
    ofReads(bytesColumn, ({ exchange }) => exchange.sha256),
    ofReads(bytesColumn, ({ reply }) => reply.sha256),
    ofReads(int4Column, ({ replySize }) => replySize),
    ofReads(textColumn, ({ exchange }) => exchange.ownHeaders),
    ofPayloads(textColumn, ({ twinId }) => twinId),
    ofPayloads(bytesColumn, ({ sha256 }) => sha256),
    ofPayloads(bytesColumn, ({ body }) => body),
    reads.some(({ entry }) => entry.isDurable) ? 'on' : 'off',
  ]
}
