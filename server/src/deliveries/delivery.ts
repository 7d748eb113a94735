import type { DeliveryFault, Emission } from '@diorama/twin-kit/kernel/deliveries'

/** A row of the outbox that is to be sent. */
export interface Delivery {
  readonly id: string
  readonly twinId: string
  readonly organizationId: string
  readonly epoch: number
  readonly emission: Emission
  /** Attempts so far. */
  readonly attempts: number
  /** Why the last of them failed. */
  readonly fault: DeliveryFault | undefined
}

/** What is written down of one attempt, and of what it made of its delivery. */
export interface AttemptRecord {
  readonly delivery: Delivery
  readonly number: number
  readonly at: number
  readonly durationMs: number
  readonly status: number | null
  readonly fault: DeliveryFault | null
  /** As JSON. */
  readonly detail: string
  readonly becomes: 'pending' | 'delivered' | 'failed'
  /** When the next attempt is due. */
  readonly nextAt: number | null
}

/** What went out and what came back, bounded. */
export interface AttemptDetail {
  readonly request: {
    readonly method: string
    readonly headers: Record<string, string>
    readonly body: string
  }
  readonly response: { readonly headers: Record<string, string>; readonly body: string } | null
  readonly error: string | null
}
