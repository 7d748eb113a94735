import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { advertisedAddress, type NetworkAddress } from './advertised-address.ts'
import { authHandlers } from './auth/routes.ts'
import type { AuthStore } from './auth/store.ts'
import { createUsage } from './auth/usage.ts'
import type { OpenEnvDoor } from './bridges/openenv/door.ts'
import { mountOpenEnv } from './bridges/openenv/mount.ts'
import { exportHandlers } from './bridges/routes.ts'
import { type Access, composeAccess } from './composition/access.ts'
import { composeExchange, type ExchangeNouns } from './composition/exchange.ts'
import { composeNouns, type Nouns } from './composition/nouns.ts'
import { composeTraceExport, type TraceExport } from './composition/trace-export.ts'
import type { Config } from './config.ts'
import { mountConsole } from './http/browser/console.ts'
import { separateTwinOrigin } from './http/browser/twin-origin.ts'
import { edgeCloser } from './http/close-edge.ts'
import { openEdge } from './http/edge.ts'
import { healthHandlers } from './http/health/health.ts'
import { createReadiness } from './http/health/readiness.ts'
import { showResources } from './http/health/resource-metrics.ts'
import { createFairUse } from './http/limits/fair-use.ts'
import { openMetrics } from './http/metrics.ts'
import { every } from './http/schedule.ts'
import { type Certificates, openCertificates } from './http/tls/certificates.ts'
import { serverFactory } from './http/tls/tls-server.ts'
import { mountMcp } from './mcp/mount.ts'
import type { Log } from './storage/log.ts'
import type { ObjectStore } from './storage/objects/object-store.ts'
import { createS3 } from './storage/objects/s3.ts'
import type { Storage } from './storage/storage.ts'
import { telemetryHandlers } from './telemetry/routes.ts'
import { type GrpcDeps, type GrpcListener, openGrpcListener } from './twins/grpc/listener.ts'
import type { TwinModel } from './twins/registry.ts'
import { twinHandlers } from './twins/routes.ts'
import { sampleModels } from './worlds/sample.ts'

export interface AppParts {
  readonly config: Config
  readonly storage: Storage
  readonly log: Log
  readonly now: () => number
  readonly random: (bytes: number) => Uint8Array
  readonly version: string
  /** Names this life of this process wherever a lease is held. */
  readonly holder: string
  /** The addresses of this machine's network interfaces; none when left out. */
  readonly addresses?: () => readonly NetworkAddress[]
  /** The services that can be copied; those of the product when left out. */
  readonly models?: readonly TwinModel[]
}

export interface App {
  readonly edge: FastifyInstance
  readonly runtime: Nouns['runtime']
  readonly agents: Nouns['agentPart']
  readonly baseUrl: string
  /** The port of calls by gRPC, where there is one. */
  readonly grpcPort: number | undefined
  /** The first key, when this start made it up: to be shown once. */
  readonly firstKey: string | undefined
  /** Takes no new work, finishes what runs, and closes. */
  drain(): Promise<void>
}

const hourMs = 3_600_000

/** Puts the parts together: who may call, the nouns, the edge; listens, and knows how to end. */
export const openApp = async (parts: AppParts): Promise<App> => {
  const { config, storage, log, now, random, version } = parts
  const state = { draining: false, baseUrl: config.baseUrl ?? '', address: '' }
  const metrics = openMetrics()
  const fairUse = createFairUse({ now, maxBodyBytesInFlight: config.maxBodyBytesInFlight })
  metrics.gauge('body_bytes_in_flight', 'Bytes of request bodies in memory.', fairUse.bodyBytesInFlight)
  showResources({ metrics, pool: storage.pool, dataDir: config.dataDir })
  const access = await composeAccess(parts)
  const certificates = config.tls && (await openCertificates(config.tls, log))
  const pingDatabase = () => storage.pool.query('select 1')
  const checkReady = createReadiness({ pingDatabase, dataDir: config.dataDir, now })
  const objects = await openObjects(config, storage)
  const nouns = composeNouns({
    ...{ models: sampleModels(), ...parts },
    sealing: access.sealing,
    limitsOf: access.limits.read,
    fairUse,
    metrics,
    state,
    certificates,
    objects,
  })
  const { authenticator, keyWatch, idempotency, sealing } = access
  const traceExport = composeTraceExport({ ...parts, ...nouns, sealing })
  const { authenticate } = authenticator
  const edge = await openEdge({
    handlers: {
      ...healthHandlers({ state, checkReady, metrics, version }),
      ...authHandlers({ ...access, usage: usageOf(nouns, access, now) }),
      ...nounHandlers({ ...nouns, version }, now, () => state.baseUrl),
      ...traceExport.handlers,
    },
    authenticate,
    watchKey: keyWatch.watch,
    fairUse,
    idempotency,
    metrics,
    log,
    now,
    makeId: storage.makeId,
    bodyLimitBytes: config.bodyLimitBytes,
    bundleLimitBytes: config.bundleLimitBytes,
    checkReplies: config.checkReplies,
    serverFactory: serverFactory(certificates),
    isForged: nouns.runtime.host.nodes.isForged,
  })
  const closeEdge = edgeCloser(edge)
  const openEnv = mountOpenEnv(edge, { ...parts, ...nouns.evaluations, ...access, authenticate })
  await mountTwins(edge, nouns, openEnv, config)
  await mountMcp(edge, { version, bodyLimitBytes: config.bodyLimitBytes, baseUrl: () => state.baseUrl })
  await mountConsole(edge, { sealing, random, now, authenticate, baseUrl: () => state.baseUrl })
  const sweeps = startSweeps(parts, { ...access, nouns, traceExport, certificates })
  const listening = await listen(edge, config)
  state.baseUrl = config.baseUrl ?? listening
  state.address = advertised(parts, listening)
  const grpc = await listenForGrpc(config, { host: nouns.runtime.host, log, baseUrl: () => state.baseUrl })
  await startTwins(nouns)
  await startWork(nouns, config)
  return {
    edge,
    runtime: nouns.runtime,
    agents: nouns.agentPart,
    get baseUrl() {
      return state.baseUrl
    },
    grpcPort: grpc.port,
    firstKey: access.firstKey,
    drain: async () => {
      state.draining = true
      if (config.drainDelayMs > 0) await pause(config.drainDelayMs)
      for (const stop of sweeps) await stop()
      await openEnv.close()
      await drain(closeEdge, nouns, grpc)
      await authenticator.flushUse()
      keyWatch.close()
      access.limits.close()
      authenticator.close()
    },
  }
}

interface Swept extends Pick<Access, 'authenticator' | 'idempotency'> {
  readonly nouns: Nouns
  readonly traceExport: TraceExport
  readonly certificates: Certificates | undefined
}

const startSweeps = (
  { storage, log }: AppParts,
  { authenticator, idempotency, nouns, traceExport, certificates }: Swept,
): (() => Promise<void>)[] => [
  every(10_000, nouns.worldPart.resume, log),
  every(5_000, authenticator.flushUse, log),
  every(5_000, storage.clock.sync, log),
  every(1_000, traceExport.sweep, log),
  ...(certificates ? [every(2_000, certificates.reload, log)] : []),
  every(hourMs, idempotency.sweep, log),
  every(hourMs, nouns.agentPart.sweep, log),
  every(hourMs, () => storage.leases.prune({ unheldForMs: hourMs }), log),
]

const openObjects = async (
  { objectStore }: Config,
  { makeId }: Storage,
): Promise<ObjectStore | undefined> => {
  const objects = objectStore && createS3(objectStore)
  await objects?.check(makeId('chk'))
  return objects
}

/** The framework does not know of TLS on a server that it is given. */
const listen = async (edge: FastifyInstance, { host, port, tls }: Config): Promise<string> => {
  const listening = await edge.listen({ host, port })
  return tls ? listening.replace(/^http:/, 'https:') : listening
}

/** Where the other nodes reach this one. */
const advertised = ({ config, log, addresses }: AppParts, listening: string): string => {
  const interfaces = addresses?.() ?? []
  const address = config.advertiseUrl ?? advertisedAddress({ host: config.host, listening, interfaces })
  if (config.databaseUrl !== undefined)
    log.info({ event: 'node.advertised', address }, 'Other nodes reach this one here.')
  return address
}

const mountTwins = async (
  edge: FastifyInstance,
  { runtime, deliveries }: Nouns,
  openEnv: OpenEnvDoor,
  { twinOrigin }: Config,
): Promise<void> => {
  if (twinOrigin !== undefined) separateTwinOrigin(edge, twinOrigin)
  await runtime.mount(edge)
  edge.server.on('upgrade', (request, socket, head) => {
    if (runtime.host.nodes.isForged(request)) socket.destroy()
    else (openEnv.takes(request) ? openEnv : deliveries.sockets).upgrade(request, socket, head)
  })
}

const listenForGrpc = async ({ host, grpcPort }: Config, deps: GrpcDeps) => {
  const listener = openGrpcListener(deps)
  const port = grpcPort === undefined ? undefined : await listener.listen({ host, port: grpcPort })
  return { port, close: listener.close }
}

const startTwins = async ({ runtime, deliveries }: Nouns): Promise<void> => {
  await runtime.start()
  deliveries.start()
}

const startWork = async (
  { evaluations, agentPart }: Nouns,
  { roles, databaseUrl }: Config,
): Promise<void> => {
  if (!roles.includes('worker')) return
  await evaluations.startWorker(databaseUrl === undefined)
  agentPart.dependencies.start()
}

const usageOf = ({ runtime, evaluations }: Nouns, access: { readonly store: AuthStore }, now: () => number) =>
  createUsage(
    {
      liveTwins: runtime.store.countLive,
      runningTrials: evaluations.store.countRunning,
      databaseBytes: access.store.databaseBytes,
    },
    now,
  )

const nounHandlers = (nouns: ExchangeNouns & Nouns, now: () => number, baseUrl: () => string) => ({
  ...composeExchange(nouns),
  ...nouns.worldPart.handlers,
  ...nouns.datasetPart.handlers,
  ...nouns.suitePart.handlers,
  ...nouns.scoringPart.handlers,
  ...nouns.evaluations.handlers,
  ...exportHandlers({ ...nouns.evaluations, modelCalls: nouns.modelPart.calls.ofAttempt, baseUrl }),
  ...nouns.agentPart.handlers,
  ...nouns.modelPart.handlers,
  ...telemetryHandlers({ telemetry: nouns.telemetry, now }),
  ...nouns.deliveries.handlers,
  ...twinHandlers({ ...nouns.runtime, seedOf: nouns.worldPart.seedOf }),
})

/** In the order of dependencies: callers first, the ledger last. */
const drain = async (
  closeEdge: () => Promise<void>,
  nouns: Nouns,
  grpc: Pick<GrpcListener, 'close'>,
): Promise<void> => {
  nouns.telemetry.endStreams()
  nouns.runtime.streams.close()
  nouns.runtime.host.release()
  await grpc.close()
  await nouns.evaluations.close()
  // Before the edge, which carries the sockets on which receivers still acknowledge.
  await nouns.deliveries.close()
  await closeEdge()
  await nouns.agentPart.close()
  nouns.modelPart.close()
  await nouns.sandbox.close()
  await nouns.telemetry.drain()
  nouns.clocks.close()
  await nouns.runtime.close()
}
