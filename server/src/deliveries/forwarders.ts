import type { DeliveryFault } from '@diorama/twin-kit/kernel/deliveries'
import type { Outcome, Outgoing, Transport } from './transport.ts'

/** An attempt that a developer's own machine is to make. */
export interface ForwardedAttempt {
  readonly id: string
  readonly kind: string
  readonly emission_id: string
  readonly method: string
  /** Where the delivery was addressed to; the developer's machine keeps its path. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly timeout_ms: number
}

/**
 * Deliveries to a developer's machine, which is not reachable from outside: it polls for them (long polling) and sends the answers back.
 * While somebody asks, the twin's HTTP deliveries go there and nowhere else.
 */
export interface Forwarders extends Transport {
  readonly isAttached: (twinId: string) => boolean
  /** Waits for attempts; none after a while. */
  readonly take: (twinId: string, signal: AbortSignal) => Promise<readonly ForwardedAttempt[]>
  /** Whether the attempt was still waited for. */
  readonly answer: (twinId: string, id: string, outcome: ForwardedAnswer) => boolean
}

export interface ForwardedAnswer {
  readonly status?: number | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly error?: string | undefined
}

interface Attached {
  /** Until when it counts as there without asking again. */
  until: number
  waiting: ForwardedAttempt[]
  /** Set while somebody waits. */
  wake: (() => void) | undefined
}

/** Shorter than one node waits for another. */
const pollMs = 8_000
/** Between two questions. */
const absenceMs = 10_000
const maxWaiting = 1_000
const maxTaken = 50
/** What the way to the developer's machine may cost. */
const graceMs = 2_000

export const createForwarders = (now: () => number, makeId: (prefix: string) => string): Forwarders => {
  const attached = new Map<string, Attached>()
  const open = new Map<string, { readonly twinId: string; readonly end: (outcome: Outcome) => void }>()

  const here = (twinId: string): Attached | undefined => {
    const one = attached.get(twinId)
    if (one && one.until >= now()) return one
    attached.delete(twinId)
    return undefined
  }

  const take = async (twinId: string, signal: AbortSignal): Promise<readonly ForwardedAttempt[]> => {
    const one = here(twinId) ?? { until: 0, waiting: [], wake: undefined }
    attached.set(twinId, one)
    one.until = now() + pollMs + absenceMs
    if (one.waiting.length === 0)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, pollMs)
        one.wake = () => {
          clearTimeout(timer)
          resolve()
        }
        signal.addEventListener('abort', () => one.wake?.(), { once: true })
      })
    one.wake = undefined
    if (signal.aborted) return []
    one.until = now() + absenceMs
    return one.waiting.splice(0, maxTaken)
  }

  return {
    isAttached: (twinId) => here(twinId) !== undefined,
    take,
    answer: (twinId, id, { status, headers, body, error }) => {
      const waiting = open.get(id)
      if (!waiting || waiting.twinId !== twinId) return false
      const fault: DeliveryFault = 'connection'
      waiting.end(
        status === undefined
          ? { fault, message: error ?? 'The machine of the developer did not reach the receiver.' }
          : { answer: { status, headers, body: body.replaceAll('\0', '\ufffd') } },
      )
      return true
    },
    send: ({ twin, emission, channel, request }: Outgoing) =>
      new Promise((resolve) => {
        const one = here(twin.id)
        if (!one || one.waiting.length >= maxWaiting) {
          resolve({ fault: 'no_receiver', message: 'Nobody forwards the deliveries of this twin.' })
          return
        }
        const id = makeId('fwd')
        const end = (outcome: Outcome) => {
          clearTimeout(timer)
          open.delete(id)
          resolve(outcome)
        }
        const timer = setTimeout(
          () => end({ fault: 'timeout', message: `No answer within ${channel.timeoutMs} ms.` }),
          channel.timeoutMs + graceMs,
        )
        open.set(id, { twinId: twin.id, end })
        one.waiting.push({
          id,
          kind: emission.kind,
          emission_id: emission.id,
          ...request,
          url: emission.url ?? '',
          timeout_ms: channel.timeoutMs,
        })
        one.wake?.()
      }),
  }
}
