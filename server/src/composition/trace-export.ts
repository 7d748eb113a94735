import type { traceExportRoutes } from '@diorama/contract'
import { openHeaders, traceExportHandlers } from '../bridges/otlp/destinations.ts'
import { createSender } from '../bridges/otlp/sender.ts'
import { traceOutbox } from '../bridges/otlp/store.ts'
import { trialTrace } from '../bridges/otlp/trial-trace.ts'
import type { Config } from '../config.ts'
import { createAddressRules } from '../deliveries/address-rules.ts'
import { postUnder } from '../deliveries/post.ts'
import type { RunReader } from '../evaluations/runs.ts'
import type { EvaluationStore } from '../evaluations/store.ts'
import type { Handlers } from '../http/handler.ts'
import type { Log } from '../storage/log.ts'
import type { Sealing } from '../storage/secrets/sealing.ts'
import type { Storage } from '../storage/storage.ts'

export interface TraceExportDeps {
  readonly config: Config
  readonly storage: Storage
  readonly sealing: Sealing
  readonly evaluations: { readonly store: EvaluationStore; readonly runs: RunReader }
  readonly now: () => number
  readonly log: Log
}

export interface TraceExport {
  /** Sends what is due. */
  readonly sweep: () => Promise<void>
  readonly handlers: Handlers<typeof traceExportRoutes>
}

/** Trials as OTLP to an organization's collector, at addresses to which deliveries may go as well. */
export const composeTraceExport = ({
  config,
  storage,
  sealing,
  evaluations,
  now,
  log,
}: TraceExportDeps): TraceExport => {
  const outbox = traceOutbox(storage.db)
  const rules = createAddressRules(config.deliveryAllow)
  const { sweep } = createSender({
    outbox,
    headersOf: (destination) => openHeaders(sealing, destination),
    traceOf: trialTrace(evaluations),
    post: postUnder(rules),
    now,
    log,
  })
  return { sweep, handlers: traceExportHandlers({ outbox, sealing, refusal: rules.refusal, now }) }
}
