import type { Json, NullableJson } from '../storage/tables/columns.ts'

/** Agents, their versions, runs, chats and secrets. */
export interface AgentTables {
  agents: {
    organization_id: string
    name: string
    description: string
    metadata: Json
    current_version: string | null
    version_count: number
    created_at: Date
    updated_at: Date
  }
  agent_versions: {
    organization_id: string
    agent: string
    version: string
    status: string
    framework: string | null
    model: NullableJson
    tools: Json
    instructions: string
    run: NullableJson
    files: Json
    /** Named at registration or by the upload; the size is null until the upload. */
    bundle_sha256: string | null
    bundle_size: number | null
    content_sha256: string
    created_at: Date
    /** The blob with the lock files, of a version that has dependencies. */
    lock_sha256: string | null
  }
  agent_dependencies: {
    organization_id: string
    lock_sha256: string
    /** Empty until a node has taken it up. */
    platform: string
    status: string
    error: string | null
    log: string
    archive_sha256: string | null
    size: number | null
    attempts: number
    /** Fencing token of the process that installs, and when it counts as gone. */
    claim: string | null
    claimed_until: Date | null
    created_at: Date
    updated_at: Date
    used_at: Date
  }
  agent_runs: {
    organization_id: string
    run_id: string
    agent: string
    version: string
    origin: string
    status: string
    started_at: Date
    finished_at: Date | null
    duration_ms: number | null
    tool_calls: Json
    input_tokens: number | null
    output_tokens: number | null
    cost_usd: number | null
    trace_id: string | null
    error: string | null
    metadata: Json
  }
  agent_run_stats: {
    organization_id: string
    agent: string
    /** Empty for the agent as a whole. */
    version: string
    succeeded: number
    failed: number
    cancelled: number
    shortest_ms: number | null
    longest_ms: number | null
    durations: number[]
    input_tokens: number
    output_tokens: number
    cost_usd: number
    priced: number
    tool_calls: number
    tool_failures: number
  }
  agent_chats: {
    id: string
    organization_id: string
    agent: string
    version: string
    world_id: string | null
    created_at: Date
    updated_at: Date
    message_count: number
    /** The turn that is being answered, and when it counts as abandoned. */
    turn_id: string | null
    turn_until: Date | null
  }
  agent_turns: {
    id: string
    session_id: string
    status: string
    asked: string
    answered: string | null
    asked_at: Date
    answered_at: Date | null
    steps: Json
    trace_id: string
    input_tokens: number
    output_tokens: number
    cost_usd: number | null
    error: string | null
  }
  agent_secrets: {
    /** Organization and name. */
    id: string
    organization_id: string
    name: string
    description: string
    /** The value, encrypted. */
    sealed: string
    created_by: string
    created_at: Date
    updated_at: Date
  }
}
