import type { ColumnType, Generated } from 'kysely'
import type { Json } from '../storage/tables/columns.ts'
import type { StorageTables } from '../storage/tables/tables.ts'

/** Twins: seeds, snapshots and the steps of their ledger, and the leases by which nodes own twins. */
export interface TwinTables extends Pick<StorageTables, 'leases'> {
  /** Compiled sections, stored once by their hash. */
  seeds: { sha256: string; kind: string; entity_count: number; body: Buffer }
  /** A large seed in parts: rows of one table as a JSON array, compressed. */
  seed_parts: { sha256: string; number: number; table_name: string; body: Buffer }
  twins: {
    id: string
    organization_id: string
    world_id: string | null
    position: number
    service: string
    status: string
    seed_sha256: string
    entity_count: number
    /** The native credentials, `[{subject, token}]`; the first is the twin's own. Stored sealed (`tokens/`). */
    principals: Json<{ subject: string; token: string }[]>
    environment_version_id: string | null
    /** The dataset version whose rows it began with. */
    dataset_version_id: Generated<string | null>
    /** The trial whose copy this is. */
    trial_id: string | null
    created_by: string
    created_at: Date
    updated_at: Date
    expires_at: Date
    /** When the world's clock started to run from the blueprint's. */
    seeded_at: Date
    error: string | null
    /** Counts resets: steps of an earlier life are history and no part of the state. */
    epoch: Generated<number>
    /** The node that runs it. */
    owner: string | null
    /** The clock that it shares with the other twins of its world, where that has one. */
    clock_id: Generated<string | null>
  }
  twin_snapshots: { twin_id: string; epoch: number; seq: number; body: Buffer }
  twin_steps: {
    id: string
    organization_id: string
    twin_id: string
    world_id: string | null
    epoch: number
    /** The number among the writes, or among the reads, of the twin's present life. */
    seq: number
    is_read: Generated<boolean>
    /** How many steps of the other lane came before. */
    preceding: Generated<number>
    service: string
    at: Date
    world_time: Date
    duration_ms: number
    operation: string
    actor: ColumnType<{ id: string; name: string; subject: string } | null, string | null, string | null>
    method: string
    path: string
    status: number
    mutations: number
    not_emulated: string[]
    /** Why the vendor refused it, in its own words (`0086-refusals.ts`). */
    refused: Generated<string | null>
    /** Request and response as recorded, as JSON text; null where they are among the payloads. */
    detail: string | null
    /** The payload with the request and the headers of the response. */
    exchange: Buffer | null
    /** The payload with the body of the response. */
    reply: Buffer | null
    /** Headers of the response whose values differ from those in the exchange, as JSON. */
    reply_headers: string | null
    reply_size: number | null
    /** Whole rows before and after, internal ones too, as JSON text; null when nothing changed. */
    changes: string | null
    /** `collection:id` of each changed record. */
    records: string[] | null
    /** What made the world do this on its own; null where a caller asked for it. */
    cause: Generated<string | null>
    /** Names one action of the world, once over all steps. */
    mark: Generated<string | null>
    /** What the step sets in motion, as JSON. */
    sets: Generated<string | null>
  }
  /** What the records of reads hold, by content: equal requests and equal replies of one twin are stored once. */
  twin_payloads: {
    twin_id: string
    sha256: Buffer
    /** Compressed with zstd. */
    body: Buffer
  }
}
