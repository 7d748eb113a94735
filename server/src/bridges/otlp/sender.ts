import type { TraceCreate } from '@diorama/contract'
import type { Log } from '../../storage/log.ts'
import { otlpBodies } from './encode.ts'
import { protobufOf } from './protobuf.ts'
import type { Destination, TraceOutbox, Waiting } from './store.ts'

/** What came of a request: an answer, or a fault with a sentence for people. */
export type PostOutcome =
  | {
      readonly answer: {
        readonly status: number
        readonly headers: Readonly<Record<string, string>>
        readonly body: string
      }
    }
  | { readonly fault: string; readonly message: string }

/** Sends a body by HTTP under the rules for addresses. It never throws. */
export type Post = (request: {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
}) => Promise<PostOutcome>

export interface SenderDeps {
  readonly outbox: TraceOutbox
  readonly headersOf: (destination: Destination) => Readonly<Record<string, string>>
  /** The trace of a trial; undefined where the trial is gone. */
  readonly traceOf: (organizationId: string, waiting: Waiting) => Promise<TraceCreate | undefined>
  readonly post: Post
  readonly now: () => number
  readonly log: Log
}

const firstRetryMs = 1_000
const maxRetryMs = 300_000
const maxAgeMs = 24 * 3_600_000
/** The answers after which the protocol says to try again. */
const retryable = [429, 502, 503, 504]
const notThisForm = 415

type Verdict = { readonly kind: 'sent'; readonly note: string | null } | Failed
interface Failed {
  readonly kind: 'retry' | 'drop'
  readonly error: string
  readonly afterMs?: number | undefined
}

/**
 * Sends what the outboxes hold, one batch for each organization at a time. A slow receiver delays the next sweep by its
 * timeout at most, and loses nothing of the others.
 */
export const createSender = (deps: SenderDeps): { readonly sweep: () => Promise<void> } => {
  const { outbox, post, now, log } = deps

  const deliver = async (destination: Destination, traces: readonly TraceCreate[]): Promise<Verdict> => {
    const headers = deps.headersOf(destination)
    const bodies = otlpBodies(traces, { includeContent: destination.include_content })
    let note: string | null = null
    for (const kind of ['traces', 'logs'] as const) {
      const url = `${destination.endpoint.replace(/\/+$/, '')}/v1/${kind}`
      const send = (type: string, body: string | Uint8Array) =>
        post({ url, headers: { ...headers, 'content-type': type }, body })
      const json = await send('application/json', JSON.stringify(bodies[kind]))
      // The protocol has two forms; some receivers take the binary one alone.
      const verdict = judge(
        'answer' in json && json.answer.status === notThisForm
          ? await send('application/x-protobuf', protobufOf(kind, bodies[kind]))
          : json,
      )
      if (kind === 'logs' && hasNone(json)) note ??= 'The receiver takes traces alone: it has no /v1/logs.'
      else if (verdict.kind !== 'sent') return verdict
      else note ??= verdict.note
    }
    return { kind: 'sent', note }
  }

  const sendBatch = async (organizationId: string): Promise<void> => {
    const destination = await outbox.find(organizationId)
    const waiting = await outbox.claim(organizationId)
    if (!destination || waiting.length === 0) return
    const trialIds = waiting.map(({ trial_id }) => trial_id)
    const traces = await Promise.all(waiting.map((one) => deps.traceOf(organizationId, one)))
    const verdict = await deliver(
      destination,
      traces.filter((trace) => trace !== undefined),
    )
    if (verdict.kind === 'sent') return outbox.sent(organizationId, trialIds, verdict.note)
    const { error } = verdict
    log.warn({ event: 'trace_export.failed', organization: organizationId, error }, 'Traces were not taken.')
    const isOld = ({ created_at }: Waiting) => now() - created_at.getTime() > maxAgeMs
    const given = waiting.filter((one) => verdict.kind === 'drop' || isOld(one))
    const kept = waiting.filter((one) => !given.includes(one))
    if (given.length > 0)
      await outbox.drop(
        organizationId,
        given.map(({ trial_id }) => trial_id),
        error,
      )
    if (kept.length === 0) return
    const attempts = Math.max(...kept.map((one) => one.attempts))
    const backOffMs = Math.min(maxRetryMs, firstRetryMs * 2 ** Math.min(attempts - 1, 20))
    const afterMs = Math.max(verdict.afterMs ?? 0, backOffMs)
    await outbox.retry(organizationId, { trialIds: kept.map(({ trial_id }) => trial_id), afterMs, error })
  }

  return {
    sweep: async () => {
      const all = await outbox.dueOrganizations()
      await Promise.all(
        all.map((organizationId) =>
          sendBatch(organizationId).catch((error) =>
            log.warn({ event: 'trace_export.broken', organization: organizationId, error }, 'A batch broke.'),
          ),
        ),
      )
    },
  }
}

/** Some stores of traces have no place for log records; that they took the traces still counts. */
const hasNone = (outcome: PostOutcome): boolean =>
  'answer' in outcome && [404, 405].includes(outcome.answer.status)

const judge = (outcome: PostOutcome): Verdict => {
  if ('fault' in outcome)
    return { kind: outcome.fault === 'refused' ? 'drop' : 'retry', error: outcome.message }
  const { status, headers, body } = outcome.answer
  if (status >= 200 && status < 300) return { kind: 'sent', note: partialFault(body) }
  const error = `The receiver answered with ${status}: ${body.slice(0, 300)}`
  if (!retryable.includes(status)) return { kind: 'drop', error }
  const seconds = Number(headers['retry-after'])
  return { kind: 'retry', error, ...(seconds > 0 ? { afterMs: Math.min(maxRetryMs, seconds * 1_000) } : {}) }
}

/** A receiver may take a batch and say that it threw some of it away; the protocol forbids to send that again. */
const partialFault = (body: string): string | null => {
  const found = /"errorMessage"\s*:\s*"([^"]{1,300})/.exec(body)
  return found ? `Taken in part: ${found[1]}` : null
}
