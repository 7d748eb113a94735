import type { Generated } from 'kysely'

/** Where an organization's trials are sent, and which of them wait. */
export interface BridgeTables {
  trace_destinations: {
    organization_id: string
    endpoint: string
    /** The headers as JSON, encrypted. */
    sealed_headers: string | null
    include_content: boolean
    dropped: Generated<number>
    last_error: string | null
    last_sent_at: Date | null
    created_by: string
    created_at: Date
    updated_at: Date
  }
  trace_outbox: {
    trial_id: string
    job_id: string
    organization_id: string
    attempts: Generated<number>
    next_at: Generated<Date>
    created_at: Generated<Date>
  }
}
