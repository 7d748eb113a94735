import { openMethods } from './call.ts'
import { patientFetch } from './core/patient-fetch.ts'
import type { Methods } from './methods.ts'
import type { Connection, Surroundings } from './transport.ts'
import { createWaits, type Waits } from './waits.ts'

export type { WorldBlueprintInput } from '@diorama/contract'
export { namespaces } from '@diorama/contract/namespaces'
export type { Camelized } from './casing.ts'
export { type ClientErrorCode, DioramaError } from './core/error.ts'
export type { Body, Listing, Method, Methods, Reply } from './methods.ts'
export { explainGate, type GateOptions, passGate, type Verdict } from './pass-gate.ts'
export type { RequestOptions } from './transport.ts'
export type { Finished, RunOptions, WaitOptions } from './waits.ts'

export interface ClientOptions {
  /** Where the service listens, such as `http://127.0.0.1:4400`. */
  readonly baseUrl: string
  /** Left out, only operations that need no key work. */
  readonly apiKey?: string | undefined
  readonly fetch?: typeof globalThis.fetch | undefined
  /** For one attempt; 120 seconds when left out, since a launch can take long. */
  readonly timeoutMs?: number | undefined
  /** Attempts after the first one; 3 when left out. */
  readonly retries?: number | undefined
}

/** A client of the service: one namespace for each noun, one method for each operation. */
export interface Client extends Omit<Methods, keyof Waits> {
  readonly worlds: Methods['worlds'] & Waits['worlds']
  readonly twins: Methods['twins'] & Waits['twins']
  readonly evaluations: Methods['evaluations'] & Waits['evaluations']
  readonly baseUrl: string
}

export const createClient = (options: ClientOptions): Client => {
  const surroundings: Surroundings = {
    fetch: options.fetch ?? patientFetch,
    now: Date.now,
    random: Math.random,
    makeKey,
    sleep,
  }
  const connection: Connection = {
    ...surroundings,
    baseUrl: new URL(options.baseUrl).href.replace(/\/+$/, ''),
    apiKey: options.apiKey,
    timeoutMs: options.timeoutMs ?? 120_000,
    retries: options.retries ?? 3,
  }
  const methods = openMethods(connection)
  const waits = createWaits(methods, surroundings)
  return {
    ...methods,
    worlds: { ...methods.worlds, ...waits.worlds },
    twins: { ...methods.twins, ...waits.twins },
    evaluations: { ...methods.evaluations, ...waits.evaluations },
    baseUrl: connection.baseUrl,
  }
}

/** Not `randomUUID`, which browsers give only to pages that came over TLS. */
const makeKey = (): string =>
  Array.from(globalThis.crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')

const sleep = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })
  })
