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
  model_calls: {
    id: string
    organization_id: string
    job_id: string | null
    trial_id: string | null
    attempt: number
    source: string
    agent: string | null
    provider: string
    model: string | null
    operation: string
    served: string
    streamed: boolean
    status: number
    outcome: string
    error: string | null
    input_tokens: number
    output_tokens: number
    cached_input_tokens: number
    cost_usd: number | null
    latency_ms: number
    first_byte_ms: number | null
    request_sha256: string
    started_at: Date
    /** The bodies, compressed. */
    request: Buffer
    response: Buffer
  }
  cassette_versions: {
    id: string
    organization_id: string
    name: string
    version: number
    /** The evaluation that records it; null for one that was imported. */
    job_id: string | null
    created_by: string
    created_at: Date
  }
  cassette_entries: {
    version_id: string
    request_sha256: string
    scope: string
    ordinal: number
    recording_sha256: string
    provider: string
    wire: string
    operation: string
    model: string | null
  }
  model_recordings: {
    organization_id: string
    sha256: string
    data: Buffer
  }
}
