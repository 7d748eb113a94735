import type { DeliveryAnswer, Emission } from '@diorama/twin-kit/kernel/deliveries'

/** A request URL is good when it says the challenge back: as plain text, in a form, or in JSON. */
export const isChallengeAnswered = ({ status, body }: DeliveryAnswer, { payload }: Emission): boolean => {
  const challenge = String(payload.challenge)
  if (status < 200 || status >= 300) return false
  const text = body.trim()
  if (text === challenge || new URLSearchParams(text).get('challenge') === challenge) return true
  try {
    return (JSON.parse(text) as { challenge?: unknown } | null)?.challenge === challenge
  } catch {
    return false
  }
}
