import type { Generated } from 'kysely'
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
  /** What judges decided, by the digest of what they were asked. */
  judge_verdicts: {
    organization_id: string
    sha256: string
    score: number | null
    choice: string | null
    reason: string | null
    created_at: Generated<Date>
  }
  scorer_calibrations: {
    id: string
    organization_id: string
    scorer_id: string
    scorer_version: number
    model: string | null
    report: Json
    created_by: string
    created_at: Date
  }
  scorer_versions: { scorer_id: string; version: number; definition: Json<Record<string, unknown>> }
}
