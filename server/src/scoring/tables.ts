import type { Json } from '../storage/tables/columns.ts'

/** Scorers and their versions. */
export interface ScorerTables {
  scorers: {
    id: string
    organization_id: string
    slug: string
    version: number
    created_at: Date
    updated_at: Date
    archived_at: Date | null
  }
  scorer_versions: { scorer_id: string; version: number; definition: Json<Record<string, unknown>> }
}
