import type { Json } from '../storage/tables/columns.ts'

/** Where models are reached and with which key, by organization. */
export interface ModelTables {
  model_providers: {
    organization_id: string
    name: string
    wire: string
    base_url: string | null
    /** The key, encrypted. */
    sealed_key: string | null
    /** Hosts, allow-lists and prices. */
    settings: Json
    created_by: string
    created_at: Date
    updated_at: Date
  }
}
