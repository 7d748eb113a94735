import type { Generated } from 'kysely'

/** The outbox of what twins send, and each attempt to deliver it. */
export interface DeliveryTables {
  /** The outbox: what twins send on their own, committed with the step that caused it. */
  twin_deliveries: {
    twin_id: string
    /** From the step's place in the twin's life, so that ids sort in the order of emission. */
    id: string
    organization_id: string
    epoch: number
    /** The step that caused it. */
    cause: string
    channel: string
    kind: string
    receiver: string
    /** By which the receiver recognizes a repeat. */
    emission_id: string
    url: string | null
    /** The emission as JSON. */
    emission: string
    status: Generated<'pending' | 'delivered' | 'failed' | 'dropped'>
    attempts: Generated<number>
    /** Why the last attempt failed. */
    fault: string | null
    answer_status: number | null
    created_at: Date
    /** When the next attempt is due; null once there is none. */
    next_at: Date | null
    settled_at: Date | null
  }
  /** Each try to deliver, with the answer. */
  twin_delivery_attempts: {
    twin_id: string
    delivery_id: string
    number: number
    at: Date
    duration_ms: number
    status: number | null
    fault: string | null
    /** What went out and what came back, as JSON, bounded. */
    detail: string
  }
}
