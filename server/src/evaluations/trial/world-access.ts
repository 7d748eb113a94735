import type { TrialStep, Usage } from '@diorama/contract'
import { type Authority, mergedAuthorities } from '@diorama/sandbox/gateway/authority'
import {
  type GatewayReply,
  type GatewayRequest,
  type GatewayStep,
  openGateway,
  type Route,
} from '@diorama/sandbox/gateway/gateway'
import type { SandboxNetwork } from '@diorama/sandbox/sandbox'
import type { ClientSetting } from '@diorama/twins/kernel/twin'
import type { TwinRuntime } from '../../twins/open.ts'
import type { TwinRow } from '../../twins/store.ts'
import { addUsage, type ModelCall, noUsage, readUsage } from './usage.ts'

const mostSteps = 5_000

export interface AccessParts {
  readonly runtime: TwinRuntime
  readonly authority: () => Promise<Authority>
  /** Hosts outside the world that the deployment lets agents reach, such as model endpoints. */
  readonly allowed: ReadonlyMap<string, Extract<Route, { kind: 'forward' }>>
  readonly costOf: (call: ModelCall) => number | null
  /** The weaker driver has no network namespace: its gateway also listens on loopback, behind a secret. */
  readonly loopback: boolean
  readonly random: (bytes: number) => Uint8Array
  readonly now: () => number
}

/** The one way from an agent to the twins of a world. */
export interface WorldAccess extends AsyncDisposable {
  readonly network: SandboxNetwork
  readonly env: Readonly<Record<string, string>>
  readonly steps: () => readonly TrialStep[]
  readonly usage: () => Usage
}

/** Opens a gateway that speaks as the twins' real hosts; the twins themselves are not touched when it closes. */
export const openAccess = async (
  parts: AccessParts,
  twins: readonly TwinRow[],
  slug: string,
): Promise<WorldAccess> => {
  const { runtime, now, random } = parts
  const settings = twins.map((row) => ({ row, setting: settingOf(runtime, row, slug) }))
  const log = openStepLog(now)
  let usage = noUsage
  const authority = await parts.authority()
  const secret = parts.loopback ? Buffer.from(random(18)).toString('base64url') : undefined
  const gateway = await openGateway({
    authority,
    route: (host) => routeOf(host, settings, parts.allowed),
    onRequest: (request) => answer(runtime, settings, request, log),
    onStep: (step) => {
      if (step.outcome !== 'twin') log.add(outsideStep(step, now()))
    },
    onForwarded: ({ responseBody }) => {
      const call = readUsage(responseBody.toString('utf8'))
      if (call) usage = addUsage(usage, call, parts.costOf(call))
    },
    ...(secret === undefined ? {} : { loopbackSecret: secret }),
  })
  const hosts = [...settings.flatMap(({ setting }) => setting.hosts), ...parts.allowed.keys()]
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
    env: Object.assign({}, ...settings.map(({ row, setting }) => variablesOf(row, setting))),
    steps: log.steps,
    usage: () => usage,
    [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose](),
  }
}

interface Placed {
  readonly row: TwinRow
  readonly setting: ClientSetting
}

const settingOf = (runtime: TwinRuntime, row: TwinRow, slug: string): ClientSetting =>
  runtime.registry.require(row.service).twin.clients({ slug, token: row.principals[0]?.token ?? '' })

const variablesOf = (
  { service, principals }: TwinRow,
  { baseUrl, variables }: ClientSetting,
): Record<string, string> => {
  const kind = service.toUpperCase()
  return {
    ...variables,
    [`SVC_${kind}_BASE_URL`]: baseUrl,
    [`SVC_${kind}_TOKEN`]: principals[0]?.token ?? '',
  }
}

const routeOf = (
  host: string,
  settings: readonly Placed[],
  allowed: AccessParts['allowed'],
): Route | undefined => {
  const twin = settings.find(({ setting }) => setting.hosts.includes(host))
  return twin ? { kind: 'twin', service: twin.row.service } : allowed.get(host)
}

/** A request to a real host name, answered by this trial's twin of that service. */
const answer = async (
  runtime: TwinRuntime,
  settings: readonly Placed[],
  request: GatewayRequest,
  log: StepLog,
): Promise<GatewayReply> => {
  const began = log.moment()
  const placed = settings.find(({ row }) => row.service === request.service)
  const found = placed && (await runtime.host.find(placed.row.id))
  if (found?.at !== 'here')
    return { status: 503, headers: { 'retry-after': '1' }, body: 'The service is not there any more.' }
  const mark = request.path.indexOf('?')
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : value,
    ]),
  )
  const message = {
    method: request.method,
    path: mark === -1 ? request.path : request.path.slice(0, mark),
    query: mark === -1 ? '' : request.path.slice(mark + 1),
    headers,
    body: request.body,
    host: request.host,
    baseUrl: `https://${request.host}`,
  }
  const reply = await runtime.host.handle(found.twin, message, (step, requestId) => {
    const changes = step.changes.filter(({ collection }) => !found.twin.isInternal(collection))
    log.add({
      kind: 'tool_call',
      name: step.operation,
      status: step.reply.status < 400 ? 'succeeded' : 'failed',
      started_at: new Date(began).toISOString(),
      duration_ms: log.moment() - began,
      detail: {
        service: request.service,
        host: request.host,
        method: request.method,
        path: message.path,
        status: step.reply.status,
        request_id: requestId,
        twin_id: found.twin.id,
        mutations: changes.map(({ collection, operation, id }) => ({ collection, operation, id })),
        ...(step.notEmulated.length > 0 ? { not_emulated: step.notEmulated } : {}),
      },
    })
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
    path: step.path,
    status: step.status,
    ...(step.reason ? { reason: step.reason } : {}),
  },
})

const openStepLog = (now: () => number) => {
  const kept: TrialStep[] = []
  return {
    moment: now,
    add: (step: TrialStep) => {
      if (kept.length < mostSteps) kept.push(step)
    },
    steps: (): readonly TrialStep[] => kept,
  }
}
type StepLog = ReturnType<typeof openStepLog>
