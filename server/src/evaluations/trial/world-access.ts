import type { TrialStep, Usage } from '@diorama/contract'
import { type Authority, mergedAuthorities } from '@diorama/sandbox/gateway/authority'
import { type Gateway, openGateway } from '@diorama/sandbox/gateway/gateway'
import type { GatewayReply, GatewayRequest, GatewayStep, Route } from '@diorama/sandbox/gateway/options'
import type { SandboxNetwork } from '@diorama/sandbox/sandbox'
import { openStoryClock, type StoryClock } from '@diorama/sandbox/story/story-clock'
import type { ClientSetting } from '@diorama/twin-kit/kernel/twin'
import type { SocketGateway } from '../../deliveries/sockets/socket-gateway.ts'
import type { OpenModelAccess } from '../../models/access.ts'
import type { ModelSession } from '../../models/calls/session.ts'
import { providerAt } from '../../models/providers/by-host.ts'
import { costIn } from '../../models/providers/provider.ts'
import { createHold } from '../../twins/grpc/conversation.ts'
import type { TwinRuntime } from '../../twins/open.ts'
import type { TwinRow } from '../../twins/store.ts'
import type { Heard, WorldClock } from '../../worlds/clock/world-clock.ts'
import { headOf } from '../storable.ts'
import type { Faults } from '../variants/faults.ts'
import { answerWithFaults } from '../variants/faulty-answer.ts'
import { createCrowd, type RecordedDecoyCall } from './decoys/crowd.ts'
import { routeOf } from './host-routes.ts'
import { connectGrpc } from './listening/grpc-calls.ts'
import { createCalled, createReach, type Reach } from './listening/reach.ts'
import { followModelCalls } from './model-calls.ts'
import { modelHosts, modelTarget, modelVariables } from './model-route.ts'
import { createRequestLog, maxTrialRequestBytes, type RequestLog, type Stopped } from './request-log.ts'
import { followReading, type RecordedWait } from './story/reading.ts'
import { storySource, underWayOf } from './story/story-programs.ts'
import { createStoryWait, type StoryWait, type StoryWaited } from './story/story-wait.ts'
import { answerWorld, worldHost, worldVariable } from './story/wait-endpoint.ts'
import {
  isToolCall,
  type McpServer,
  type PostToServer,
  poster,
  type Setting,
  serversOf,
  settingOf,
} from './tools/mcp-servers.ts'
import { answer, connectSocket, maxPathCharacters, messageOf } from './twin-answers.ts'
import { addUsage, type ModelCall, noUsage, readUsage } from './usage.ts'

/** What the gateway reports where the agent itself hung up. */
const clientGone = 'The client went away.'

export interface AccessParts {
  readonly runtime: TwinRuntime
  /** The clock of the world, where it has one. */
  readonly clock: WorldClock | undefined
  readonly authority: () => Promise<Authority>
  /** Hosts outside the world that the deployment and the organization let agents reach, such as model endpoints. */
  readonly allowed: (
    organizationId: string,
  ) => Promise<ReadonlyMap<string, Extract<Route, { kind: 'forward' }>>>
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

/** The one way from an agent to the twins of a world. */
export interface WorldAccess extends AsyncDisposable {
  readonly network: SandboxNetwork
  readonly env: Readonly<Record<string, string>>
  /** The twins' faces in the Model Context Protocol, at the addresses that they have in the world. */
  readonly mcpServers: readonly McpServer[]
  /** Posts to such a face for an agent that the service itself drives; recorded as any request is. */
  readonly post: PostToServer
  /** Calls of tools that lead nowhere. */
  readonly decoyCalls: () => readonly RecordedDecoyCall[]
  /** The way of model calls. */
  readonly session: ModelSession
  /** Counts a request that does not pass the gateway; false when the budget is spent, and then the agent is stopped. */
  readonly admit: (bytes: number) => boolean
  readonly steps: () => readonly TrialStep[]
  readonly usage: () => Usage
  /** Why the agent had to be stopped, if it had. */
  readonly stopped: () => Stopped | undefined
  /** Aborted when the agent must be stopped. */
  readonly stopSignal: AbortSignal
  /** How a host outside the world failed the agent at last, if it did. */
  readonly outsideFailure: () => string | undefined
  /** How programs in the sandbox wait in story time; undefined where the world has no clock. */
  readonly story: StoryWait | undefined
  /** What programs in the sandbox see of the story; undefined where the world runs by the wall. */
  readonly storyClock: StoryClock | undefined
  /** Stops the agent; the first reason counts. */
  readonly stop: (why: Stopped) => void
  /** What the world has said to the agent and the agent cannot have read yet. */
  readonly unread: () => Promise<readonly Heard[]>
  /** Marks what was passed to the agent with a turn as read. */
  readonly told: (told: readonly Heard[]) => void
  /** The waits of the agent, in order. */
  readonly waits: () => readonly RecordedWait[]
  /** The way into an agent that waits to be called. */
  readonly reach: Reach
  /** Records a wait of the agent among its steps. */
  readonly waited: (wait: StoryWaited, by: 'endpoint' | 'preload') => void
}

export interface AccessPlace {
  readonly organizationId: string
  readonly slug: string
  readonly models: OpenModelAccess
  /** How many decoys are beside the twins; none when absent. */
  readonly crowding?: number | undefined
  /** The only hosts outside the world that the agent may reach; as the deployment has it when absent. */
  readonly onlyHosts?: readonly string[] | undefined
}

/** Opens a gateway that speaks as the twins' real hosts; the twins themselves are not touched when it closes. */
export const openAccess = async (
  parts: AccessParts,
  twins: readonly TwinRow[],
  { organizationId, slug, models, crowding = 0, onlyHosts }: AccessPlace,
): Promise<WorldAccess> => {
  const { runtime, now, random } = parts
  const mayReach = (host: string) => onlyHosts?.includes(host) ?? true
  const allowed = new Map([...(await parts.allowed(organizationId))].filter(([host]) => mayReach(host)))
  const settings = await settingsOf(runtime, twins, slug)
  const log = createRequestLog({ maxRequests: parts.maxRequests, maxRequestBytes: maxTrialRequestBytes })
  const crowd = createCrowd(crowding, { log, token: secretOf(random), now })
  const services = [crowd, ...settings.map((one) => servedBy(runtime, one))]
  const story = parts.clock && createStoryWait(parts.clock)
  const reading = followReading({ ...parts, log })
  const called = createCalled()
  const source = story?.mode() === 'story' ? storySource(story, reading.waited, log, called) : undefined
  const storyClock = source && openStoryClock(source)
  let usage = noUsage
  const followed = followModelCalls(models, log)
  const authority = await parts.authority()
  const secret = parts.loopback ? secretOf(random) : undefined
  const connecting = () => ({ ...parts, settings, log, ...called.opened(story, storyClock) })
  const hold = createHold()
  // Replies that are held back (long polling) end with the trial.
  const ended = new AbortController()
  const toTwin = (
    request: GatewayRequest,
    faults: Faults | null = parts.faults ?? null,
  ): Promise<GatewayReply> => {
    const plain = async () => {
      const reply = await answer({ runtime, settings, log, story, now, ended: ended.signal }, request)
      storyClock?.show()
      return reply
    }
    if (!faults) return plain()
    const { twin } = runtime.registry.require(request.service)
    return answerWithFaults(faults, { request, message: messageOf(request), twin, log, now, plain })
  }
  const gateway = await openGateway({
    authority,
    route: (host, request) => {
      if (story && host === worldHost) return { kind: 'twin', service: worldHost }
      const route = routeOf(host, services, allowed)
      if (route?.kind === 'twin') return route
      if (!mayReach(host)) return undefined
      return modelTarget(host, request, { models, allowed }) ? { kind: 'model' } : route
    },
    onModel: async ({ host, method, path, headers, body }, signal) => {
      const target = mayReach(host) && modelTarget(host, { method, path }, { models, allowed })
      if (!target) throw new Error(`${host} answers for no model`)
      log.admit(body.length)
      return models.session.exchange({ ...target, source: 'agent', headers, body, signal })
    },
    ...(story ? { onExchange: (host) => (host === worldHost ? ignored : story.begin()) } : {}),
    ...(storyClock ? { underWay: underWayOf(storyClock) } : {}),
    onRequest: (request) => {
      if (story && request.service === worldHost)
        return answerWorld(story, request, (wait) => reading.waited(wait, 'endpoint'))
      reading.asks()
      return request.service === crowd.service ? Promise.resolve(crowd.answer(request)) : toTwin(request)
    },
    onUpgrade: (upgrade) => void connectSocket(connecting(), upgrade),
    onHttp2: (connection) => connectGrpc({ ...connecting(), hold }, connection),
    onStep: (step) => {
      if (step.outcome === 'twin' || step.toModel) return
      if (allowed.has(step.host)) log.exchanged(step.host, outsideFailureOf(step))
      if (log.admit(0)) log.add(outsideStep(step, now()))
    },
    onForwarded: ({ host, responseHeaders, responseBody }) => {
      const call = readUsage(responseBody, responseHeaders['content-encoding'])
      if (call) usage = addUsage(usage, call, priceOf(models, call, host))
    },
    ...(secret === undefined ? {} : { loopbackSecret: secret }),
  })
  const hosts = [
    ...[...settings.map(({ setting }) => setting), crowd].flatMap((one) => one.hosts),
    ...allowed.keys(),
    ...modelHosts(models).filter(mayReach),
    ...(story ? [worldHost] : []),
  ]
  const redirects = redirectsOf(hosts, gateway)
  return {
    network: {
      gatewaySocket: gateway.socketPath,
      hosts,
      authorities: await mergedAuthorities(authority),
      ...(gateway.loopbackUrl === undefined ? {} : { gatewayUrl: gateway.loopbackUrl, redirects }),
    },
    env: { ...environmentOf(models, story, settings), ...crowd.variables },
    story,
    storyClock,
    ...reading,
    stop: log.stop,
    reach: createReach({ gateway, story, storyClock, runtime, settings, called, random }),
    mcpServers: serversOf(settings, crowd),
    decoyCalls: crowd.calls,
    // The list of tools is read by the service itself, so only calls of the agent's go wrong.
    post: poster(crowd, (request) => (isToolCall(request) ? toTwin(request) : toTwin(request, null))),
    session: models.session,
    ...recordedBy(log),
    usage: () => followed.usage(usage),
    [Symbol.asyncDispose]: async () => {
      ended.abort()
      await gateway[Symbol.asyncDispose]()
      await storyClock?.[Symbol.asyncDispose]()
    },
  }
}

const settingsOf = (runtime: TwinRuntime, twins: readonly TwinRow[], slug: string): Promise<Setting[]> =>
  Promise.all(twins.map(async (row) => ({ row, setting: await settingOf(runtime, row, slug) })))

const environmentOf = (
  models: OpenModelAccess,
  story: StoryWait | undefined,
  settings: readonly Setting[],
): Record<string, string> =>
  Object.assign(
    modelVariables(models),
    story ? { [worldVariable]: `http://${worldHost}` } : {},
    ...settings.map(({ row, setting }) => variablesOf(row, setting)),
  )

const redirectsOf = (hosts: readonly string[], gateway: Gateway): Record<string, string> =>
  Object.fromEntries(
    hosts.flatMap((host) => {
      const base = gateway.redirectBase(host)
      return base ? [[host, base]] : []
    }),
  )

const secretOf = (random: AccessParts['random']): string => Buffer.from(random(18)).toString('base64url')

const servedBy = (runtime: TwinRuntime, { row: { service }, setting }: Setting) => ({
  service,
  hosts: [...setting.hosts, ...runtime.registry.require(service).twin.hosts],
})

const recordedBy = (
  log: RequestLog,
): Pick<WorldAccess, 'admit' | 'steps' | 'stopped' | 'stopSignal' | 'outsideFailure'> => ({
  admit: log.admit,
  steps: () => log.steps,
  stopped: () => log.stopped,
  stopSignal: log.signal,
  outsideFailure: () => log.outsideFailure,
})

/** Of a call to an allowed host that is no operation of a known wire. */
const priceOf = (
  { providers, prices }: OpenModelAccess,
  { model, ...usage }: ModelCall,
  host: string,
): number | null =>
  model === null
    ? null
    : costIn(prices, { provider: providerAt(host, providers)?.name ?? host, id: model }, usage)

export const variablesOf = (
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

const ignored = (): void => undefined

/** Whether a host outside failed the agent: it was not reached, or answered with its own error. */
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
