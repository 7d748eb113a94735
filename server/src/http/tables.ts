import type { ColumnType, Generated } from 'kysely'

/** Replies kept for repeated requests. */
export interface HttpTables {
  idempotency_keys: {
    organization_id: string
    key: string
    fingerprint: string
    route: string
    /** Null while the first request with this key is still being answered. */
    status: number | null
    reply: ColumnType<unknown, string | null, string | null>
    created_at: Generated<Date>
  }
}
