import type { Generated } from 'kysely'
import type { StorageTables } from '../storage/tables/tables.ts'

/** Organizations and their API keys. */
export interface AuthTables extends Pick<StorageTables, 'organizations'> {
  api_keys: {
    id: string
    organization_id: string
    name: string
    scopes: string[]
    class: string
    secret_hash: Buffer
    created_at: Generated<Date>
    expires_at: Date | null
    revoked_at: Date | null
    last_used_at: Date | null
    requests_per_minute: number | null
  }
}
