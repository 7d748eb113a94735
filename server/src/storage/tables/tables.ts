import type { ColumnType, Generated } from 'kysely'
import type { Json } from './columns.ts'

/** What every noun may use: the tenants that rows belong to, leases, and files known by their hash. */
export interface StorageTables {
  organizations: {
    id: string
    name: string
    limits: ColumnType<Record<string, unknown>, string, string>
    created_at: Generated<Date>
  }
  leases: {
    name: string
    holder: string
    expires_at: Date
    token: number
    data: Json
  }
  blobs: {
    id: string
    /** Null while it is being written. */
    sha256: string | null
    size: number
    created_at: Generated<Date>
    /** Its bytes are in the object store, under the row's id. */
    in_objects: Generated<boolean>
  }
  /** Objects whose rows are gone, to be removed from the store. */
  blob_removals: { id: string }
  blob_chunks: { blob_id: string; number: number; bytes: Buffer }
  blob_owners: { sha256: string; owner: string }
}
