import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { openHeaders, traceExportHandlers } from '../bridges/otlp/destinations.ts'
import { createSender, type Post } from '../bridges/otlp/sender.ts'
import { traceOutbox } from '../bridges/otlp/store.ts'
import type { Config } from '../config.ts'
import { type AddressRules, createAddressRules, hostOf, portOf } from '../deliveries/address-rules.ts'
import { exchange } from '../deliveries/http-transport.ts'
import type { RunReader } from '../evaluations/runs.ts'
import type { EvaluationStore } from '../evaluations/store.ts'
import { storedRecord } from '../evaluations/worker/trial-record.ts'
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

const timeoutMs = 10_000

/** Trials as OTLP to an organization's collector, at addresses to which deliveries may go as well. */
export const composeTraceExport = ({ config, storage, sealing, evaluations, now, log }: TraceExportDeps) => {
  const { store, runs } = evaluations
  const outbox = traceOutbox(storage.db)
  const rules = createAddressRules(config.deliveryAllow)
  const { sweep } = createSender({
    outbox,
    headersOf: (destination) => openHeaders(sealing, destination),
    traceOf: async (organizationId, { trial_id, job_id }) => {
      const job = await store.findJob(organizationId, job_id)
      const trial = job && (await store.findTrial(job_id, trial_id))
      return trial && storedRecord(trial, await runs.taskOf(job, trial.task_id)).trace
    },
    post: postUnder(rules),
    now,
    log,
  })
  return { sweep, handlers: traceExportHandlers({ outbox, sealing, refusal: rules.refusal, now }) }
}

/** One request under the rules for addresses; redirects are not followed, as each would be another address. */
const postUnder =
  (rules: AddressRules): Post =>
  async ({ url: address, headers, body }) => {
    const url = new URL(address)
    const refusal = rules.refusal(url)
    if (refusal !== undefined) return { fault: 'refused', message: `Not sent: ${refusal}.` }
    const outgoing = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, {
      method: 'POST',
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
      lookup: rules.lookupFor(`${hostOf(url)} ${portOf(url)}`),
    })
    return exchange(outgoing, { body, timeoutMs })
  }
