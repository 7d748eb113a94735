import type { IncomingHttpHeaders } from 'node:http'
import type { TrialStep, Usage } from '@diorama/contract'
import { type Authority, mergedAuthorities } from '@diorama/sandbox/gateway/authority'
import { openGateway } from '@diorama/sandbox/gateway/gateway'
import type {
  GatewayReply,
  GatewayRequest,
  GatewayStep,
  GatewayUpgrade,
  Route,
} from '@diorama/sandbox/gateway/options'
import type { SandboxNetwork } from '@diorama/sandbox/sandbox'
import { Instance } from '@diorama/twin-kit/kernel/instance'
import type { ClientSetting, TwinRequest } from '@diorama/twin-kit/kernel/twin'
import type { SocketGateway } from '../../deliveries/sockets/socket-gateway.ts'
import type { OpenModelAccess } from '../../models/access.ts'
import type { ModelSession } from '../../models/calls/session.ts'
import { providerAt } from '../../models/providers/by-host.ts'
import { costIn } from '../../models/providers/provider.ts'
import type { TwinRuntime } from '../../twins/open.ts'
import type { TwinRow } from '../../twins/store.ts'
import { headOf } from '../storable.ts'
import type { Faults } from '../variants/faults.ts'
import { answerWithFaults } from '../variants/faulty-answer.ts'
import { routeOf } from './host-routes.ts'
import { followModelCalls } from './model-calls.ts'
import { modelHosts, modelTarget, modelVariables } from './model-route.ts'
import { createRequestLog, maxTrialRequestBytes, type RequestLog, type Stopped } from './request-log.ts'
import { addUsage, type ModelCall, noUsage, readUsage } from './usage.ts'

const maxPathCharacters = 2_000
/** What the gateway reports where the agent itself hung up. */
const clientGone = 'The client went away.'

export interface AccessParts {
  readonly runtime: TwinRuntime
  readonly authority: () => Promise<Authority>
  /** Hosts outside the world that the deployment lets agents reach, such as model endpoints. */
  readonly allowed: ReadonlyMap<string, Extract<Route, { kind: 'forward' }>>
  /** The weaker driver has no network namespace: its gateway also listens on loopback, behind a secret. */
  readonly loopback: boolean
  /** What goes wrong in this trial on purpose, if anything does. */
  readonly faults?: Faults | undefined
  /** Hands a connection that asks to become a WebSocket to a twin. */
  readonly acceptSocket: SocketGateway['accept']
  /** Requests that the agent may make in all. */
  readonly maxRequests: number
  readonly random: (bytes: number) => Uint8Array
  readonly now: () => number
}

export interface McpServer {
  readonly service: string
  readonly url: string
  readonly token: string
}

/** The one way from an agent to the twins of a world. */
export interface WorldAccess extends AsyncDisposable {
  readonly network: SandboxNetwork
  readonly env: Readonly<Record<string, string>>
  /** The twins' faces in the Model Context Protocol, at the addresses that they have in the world. */
  readonly mcpServers: readonly McpServer[]
  /** Posts to such a face for an agent that the service itself drives; recorded as any request is. */
  readonly post: (
    server: McpServer,
    headers: Readonly<Record<string, string>>,
    body: string,
  ) => Promise<GatewayReply>
  /** The way of model calls. */
  readonly session: ModelSession
  readonly steps: () => readonly TrialStep[]
  readonly usage: () => Usage
  /** Why the agent had to be stopped, if it had. */
  readonly stopped: () => Stopped | undefined
  /** Aborted when the agent must be stopped. */
  readonly stopSignal: AbortSignal
  /** How a host outside the world failed the agent at last, if it did. */
  readonly outsideFailure: () => string | undefined
}

export interface AccessPlace {
  readonly slug: string
  readonly models: OpenModelAccess
}

/** Opens a gateway that speaks as the twins' real hosts; the twins themselves are not touched when it closes. */
export const openAccess = async (
  parts: AccessParts,
  twins: readonly TwinRow[],
  { slug, models }: AccessPlace,
): Promise<WorldAccess> => {
  const { runtime, now, random } = parts
  const settings = await Promise.all(
    twins.map(async (row) => ({ row, setting: await settingOf(runtime, row, slug) })),
  )
  const services = settings.map(({ row: { service }, setting }) => ({
    service,
    hosts: [...setting.hosts, ...runtime.registry.require(service).twin.hosts],
  }))
  const log = createRequestLog({ maxRequests: parts.maxRequests, maxRequestBytes: maxTrialRequestBytes })
  let usage = noUsage
  const followed = followModelCalls(models, log)
  const authority = await parts.authority()
  const secret = parts.loopback ? Buffer.from(random(18)).toString('base64url') : undefined
  // Replies that are held back (long polling) end with the trial.
  const ended = new AbortController()
  const gateway = await openGateway({
    authority,
    route: (host, request) => {
      const route = routeOf(host, services, parts.allowed)
      if (route?.kind === 'twin') return route
      return modelTarget(host, request, { models, allowed: parts.allowed }) ? { kind: 'model' } : route
    },
    onModel: async ({ host, method, path, headers, body }, signal) => {
      const target = modelTarget(host, { method, path }, { models, allowed: parts.allowed })
      if (!target) throw new Error(`${host} answers for no model`)
      log.admit(body.length)
      return models.session.exchange({ ...target, source: 'agent', headers, body, signal })
    },
    onRequest: (request) => {
      const plain = () => answer({ runtime, settings, log, now, ended: ended.signal }, request)
      if (!parts.faults) return plain()
      const { twin } = runtime.registry.require(request.service)
      return answerWithFaults(parts.faults, { request, message: messageOf(request), twin, log, now, plain })
    },
    onUpgrade: (upgrade) => void connectSocket({ ...parts, settings, log }, upgrade),
    onStep: (step) => {
      if (step.outcome === 'twin' || step.toModel) return
      if (parts.allowed.has(step.host)) log.exchanged(step.host, outsideFailureOf(step))
      if (log.admit(0)) log.add(outsideStep(step, now()))
    },
    onForwarded: ({ host, responseHeaders, responseBody }) => {
      const call = readUsage(responseBody, responseHeaders['content-encoding'])
      if (call) usage = addUsage(usage, call, priceOf(models, call, host))
    },
    ...(secret === undefined ? {} : { loopbackSecret: secret }),
  })
  const hosts = [
    ...settings.flatMap(({ setting }) => setting.hosts),
    ...parts.allowed.keys(),
    ...modelHosts(models),
  ]
  const redirects = Object.fromEntries(
    hosts.flatMap((host) => (gateway.redirectBase(host) ? [[host, gateway.redirectBase(host) ?? '']] : [])),
  )
  return {
    network: {
      gatewaySocket: gateway.socketPath,
      hosts,
      authorities: await mergedAuthorities(authority),
      ...(gateway.loopbackUrl === undefined ? {} : { gatewayUrl: gateway.loopbackUrl, redirects }),
    },
    env: Object.assign(
      modelVariables(models),
      ...settings.map(({ row, setting }) => variablesOf(row, setting)),
    ),
    mcpServers: settings.flatMap(({ row, setting: { mcpUrl } }) =>
      mcpUrl === undefined
        ? []
        : [{ service: row.service, url: mcpUrl, token: row.principals[0]?.token ?? '' }],
    ),
    post: ({ service, url, token }, headers, body) =>
      answer(
        { runtime, settings, log, now, ended: ended.signal },
        {
          host: new URL(url).hostname,
          service,
          method: 'POST',
          path: new URL(url).pathname,
          headers: { ...headers, 'content-type': 'application/json', authorization: `Bearer ${token}` },
          body: Buffer.from(body),
        },
      ),
    session: models.session,
    steps: () => log.steps,
    usage: () => followed.usage(usage),
    stopped: () => log.stopped,
    stopSignal: log.signal,
    outsideFailure: () => log.outsideFailure,
    [Symbol.asyncDispose]: () => {
      ended.abort()
      return gateway[Symbol.asyncDispose]()
    },
  }
}

/** Of a call to an allowed host that is no operation of a known wire. */
const priceOf = (
  { providers, prices }: OpenModelAccess,
  { model, ...usage }: ModelCall,
  host: string,
): number | null =>
  model === null
    ? null
    : costIn(prices, { provider: providerAt(host, providers)?.name ?? host, id: model }, usage)

interface Placed {
  readonly row: TwinRow
  readonly setting: ClientSetting
}

const settingOf = async (runtime: TwinRuntime, row: TwinRow, slug: string): Promise<ClientSetting> => {
  const seed = await runtime.seeds.load(row.seed_sha256)
  return runtime.registry.require(row.service).twin.clients({
    slug,
    token: row.principals[0]?.token ?? '',
    principals: row.principals,
    views: () => new Instance({ seed, principals: [] }).tables,
  })
}

const variablesOf = (
  { service, principals }: TwinRow,
  { baseUrl, mcpUrl, variables }: ClientSetting,
): Record<string, string> => {
  const kind = service.toUpperCase()
  return {
    ...variables,
    [`SVC_${kind}_BASE_URL`]: baseUrl,
    ...(mcpUrl === undefined ? {} : { [`SVC_${kind}_MCP_URL`]: mcpUrl }),
    [`SVC_${kind}_TOKEN`]: principals[0]?.token ?? '',
  }
}

/** A WebSocket to a real host name, taken by this trial's twin of that service. */
const connectSocket = async (
  {
    runtime,
    acceptSocket,
    settings,
    log,
    now,
  }: Omit<AnswerDeps, 'ended'> & Pick<AccessParts, 'acceptSocket'>,
  { host, service, path, request, socket, head }: GatewayUpgrade,
): Promise<void> => {
  const began = now()
  try {
    const placed = settings.find(({ row }) => row.service === service)
    const found = placed && (await runtime.host.find(placed.row.id))
    if (found?.at !== 'here' || !log.admit(0)) {
      socket.destroy()
      return
    }
    await acceptSocket({
      twin: found.twin,
      incoming: request,
      socket,
      head,
      request: {
        ...messageOf({ host, service, path, method: 'GET', headers: {}, body: Buffer.alloc(0) }),
        headers: flat(request.headers),
      },
    })
    log.add({
      kind: 'tool_call',
      name: headOf(`socket ${host}`, 300),
      status: 'succeeded',
      started_at: new Date(began).toISOString(),
      duration_ms: now() - began,
      detail: { service, host, method: 'GET', path: headOf(path.split('?')[0] ?? '', maxPathCharacters) },
    })
  } catch {
    socket.destroy()
  }
}

const flat = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  )

interface AnswerDeps {
  readonly runtime: TwinRuntime
  readonly settings: readonly Placed[]
  readonly log: RequestLog
  readonly now: () => number
  readonly ended: AbortSignal
}

/**
 * A request to a real host name, answered by this trial's twin of that service. Where the platform cannot answer, the
 * agent is stopped: whatever it did from here on would be judged by our failure.
 */
const answer = async (deps: AnswerDeps, request: GatewayRequest): Promise<GatewayReply> => {
  if (!deps.log.admit(request.body.length)) return overBudget
  try {
    const reply = await answerFromTwin(deps, request)
    if (reply) return reply
    deps.log.stop({
      by: 'platform',
      reason: `The ${request.service} twin was gone, or its step could not be made durable.`,
    })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    deps.log.stop({ by: 'platform', reason: `The ${request.service} twin could not answer: ${reason}` })
  }
  return { status: 503, headers: { 'retry-after': '1' }, body: 'The service is not available.' }
}

const overBudget: GatewayReply = {
  status: 429,
  headers: { 'content-type': 'text/plain' },
  body: 'The budget of requests of this trial is spent.',
}

const answerFromTwin = async (
  { runtime, settings, log, now, ended }: AnswerDeps,
  request: GatewayRequest,
): Promise<GatewayReply | undefined> => {
  const began = now()
  const placed = settings.find(({ row }) => row.service === request.service)
  const found = placed && (await runtime.host.find(placed.row.id))
  if (found?.at !== 'here') return undefined
  const message = messageOf(request)
  const { reply, summary, isPlatformFault } = await runtime.host.handle(found.twin, message, ended)
  if (isPlatformFault) log.stop({ by: 'platform', reason: 'A step could not be written to the ledger.' })
  log.add({
    kind: 'tool_call',
    name: headOf(summary?.operation ?? `${request.method} ${message.path}`, 300),
    status: reply.status < 400 ? 'succeeded' : 'failed',
    started_at: new Date(began).toISOString(),
    duration_ms: now() - began,
    detail: {
      service: request.service,
      host: request.host,
      method: request.method,
      path: headOf(message.path, maxPathCharacters),
      status: reply.status,
      ...(summary ? { request_id: summary.requestId } : {}),
      twin_id: found.twin.id,
      mutations: summary?.changes ?? [],
      ...(summary && summary.notEmulated.length > 0 ? { not_emulated: summary.notEmulated } : {}),
      ...(isPlatformFault ? { platform: 'not durable' } : {}),
    },
  })
  return {
    status: reply.status,
    headers: Object.fromEntries(
      Object.entries(reply.headers).map(([name, value]) => [
        name,
        typeof value === 'string' ? value : [...value],
      ]),
    ),
    body: reply.body,
  }
}

const messageOf = (request: GatewayRequest): TwinRequest => {
  const mark = request.path.indexOf('?')
  return {
    method: request.method,
    path: mark === -1 ? request.path : request.path.slice(0, mark),
    query: mark === -1 ? '' : request.path.slice(mark + 1),
    headers: Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [
        name,
        Array.isArray(value) ? value.join(', ') : value,
      ]),
    ),
    body: request.body,
    host: request.host,
    baseUrl: `https://${request.host}`,
  }
}

/** Whether a host outside failed the agent: it was not reached, or answered with an error of its own. */
const outsideFailureOf = ({ outcome, status, host, reason }: GatewayStep): string | undefined => {
  if (outcome === 'failed' && reason !== clientGone) return `${host} could not be reached: ${reason ?? ''}`
  return outcome === 'forwarded' && (status >= 500 || status === 429)
    ? `${host} answered with the status ${status}.`
    : undefined
}

/** A request that left the world, or tried to. */
const outsideStep = (step: GatewayStep, now: number): TrialStep => ({
  kind: 'tool_call',
  name: `${step.method} ${step.host}`,
  status: step.outcome === 'forwarded' ? 'succeeded' : step.outcome,
  started_at: new Date(now - step.durationMs).toISOString(),
  duration_ms: step.durationMs,
  detail: {
    host: step.host,
    method: step.method,
    path: headOf(step.path, maxPathCharacters),
    status: step.status,
    ...(step.reason ? { reason: step.reason } : {}),
  },
})
