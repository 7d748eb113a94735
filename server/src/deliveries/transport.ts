import type {
  Attempt,
  DeliveryAnswer,
  DeliveryChannel,
  DeliveryFault,
  DeliveryRequest,
  Emission,
} from '@diorama/twin-kit/kernel/deliveries'
import type { PlacedTwin } from '../twins/placement/placed-twin.ts'

/** One attempt, ready to be sent. */
export interface Outgoing {
  readonly twin: PlacedTwin
  readonly emission: Emission
  readonly channel: DeliveryChannel
  readonly attempt: Attempt
  readonly request: DeliveryRequest
}

/** What came of an attempt: an answer, or a fault with a sentence for people. */
export type Outcome =
  | { readonly answer: DeliveryAnswer }
  | { readonly fault: DeliveryFault; readonly message: string }

/** Carries attempts to receivers. It never throws. */
export interface Transport {
  readonly send: (outgoing: Outgoing) => Promise<Outcome>
}

/** What is kept of a receiver's answer. */
export const maxAnswerBytes = 1 << 20
