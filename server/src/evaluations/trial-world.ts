import type { TrialStep, Usage } from '@diorama/contract'
import { type Authority, mergedAuthorities } from '@diorama/sandbox/proxy/authority'
import {
  type GatewayReply,
  type GatewayRequest,
  type GatewayStep,
  openGateway,
  type Route,
} from '@diorama/sandbox/proxy/gateway'
import type { SandboxNetwork } from '@diorama/sandbox/sandbox'
import type { WorldStateFile } from '@diorama/sandbox/verifier/world-state'
import type { ClientSetting } from '@diorama/twins/kernel/twin'
import { worldFile } from '../scoring/world-file.ts'
import type { TwinRuntime } from '../twins/open.ts'
import { stateOf } from '../twins/records.ts'
import type { TwinRow } from '../twins/store.ts'
import { addUsage, type ModelCall, noUsage, readUsage } from './usage.ts'

const mostSteps = 5_000
const mostActivity = 5_000
const twinTtlMs = 2 * 3_600_000

export interface WorldSource {
  /** Seeds of an environment version, and the slug of its company. */
  readonly environment: (
    organizationId: string,
    environmentVersionId: string,
  ) => Promise<
    | { slug: string; services: readonly { service: string; seedSha256: string; entityCount: number }[] }
    | undefined
  >
}

export interface TrialWorldParts {
  readonly runtime: TwinRuntime
  readonly source: WorldSource
  readonly authority: () => Promise<Authority>
  /** Hosts outside the world that the deployment lets agents reach, such as model endpoints. */
  readonly allowed: ReadonlyMap<string, Extract<Route, { kind: 'forward' }>>
  readonly costOf: (call: ModelCall) => number | null
  /** The weaker driver has no network namespace: its gateway also listens on loopback, behind a secret. */
  readonly loopback: boolean
  readonly random: (bytes: number) => Uint8Array
  readonly now: () => number
}

/** A fresh copy of a world for one trial, and the one way from the agent to it. */
export interface TrialWorld extends AsyncDisposable {
  readonly twins: readonly TwinRow[]
  readonly network: SandboxNetwork
  readonly env: Readonly<Record<string, string>>
  readonly steps: () => readonly TrialStep[]
  readonly usage: () => Usage
  /** The world as it is now, for scorers. */
  readonly state: () => Promise<WorldStateFile>
}

export interface TrialPlace {
  readonly organizationId: string
  readonly trialId: string
  readonly createdBy: string
  readonly environmentVersionId: string | null
}

export class NoSuchEnvironment extends Error {
  override readonly name = 'NoSuchEnvironment'
}

/** Forks the twins and opens the gateway; disposing of it stops both and leaves their records. */
export const openTrialWorld = async (parts: TrialWorldParts, place: TrialPlace): Promise<TrialWorld> => {
  const { runtime, now, random } = parts
  const { slug, twins } = await forkTwins(parts, place)
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
    twins,
    network: {
      gatewaySocket: gateway.socketPath,
      hosts,
      authorities: await mergedAuthorities(authority),
      ...(gateway.loopbackUrl === undefined ? {} : { gatewayUrl: gateway.loopbackUrl, redirects }),
    },
    env: Object.assign({}, ...settings.map(({ row, setting }) => variablesOf(row, setting))),
    steps: log.steps,
    usage: () => usage,
    state: () => stateNow(runtime, twins),
    [Symbol.asyncDispose]: async () => {
      await gateway[Symbol.asyncDispose]()
      await runtime.twins.stop(twins)
    },
  }
}

const forkTwins = async ({ runtime, source }: TrialWorldParts, place: TrialPlace) => {
  const { organizationId, trialId, createdBy, environmentVersionId } = place
  // An earlier attempt may have left its copies behind; nobody will look at them again.
  await runtime.twins.stop(await runtime.store.ofTrial(trialId))
  if (environmentVersionId === null) return { slug: '', twins: [] }
  const environment = await source.environment(organizationId, environmentVersionId)
  if (!environment) throw new NoSuchEnvironment(`There is no environment version ${environmentVersionId}.`)
  const orders = await Promise.all(
    environment.services.map(async ({ seedSha256, entityCount }, position) => ({
      organizationId,
      createdBy,
      worldId: null,
      position,
      seed: await runtime.seeds.load(seedSha256),
      entityCount,
      environmentVersionId,
      trialId,
      ttlMs: twinTtlMs,
    })),
  )
  return { slug: environment.slug, twins: await runtime.twins.fork(orders) }
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
  allowed: TrialWorldParts['allowed'],
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

const stateNow = async (runtime: TwinRuntime, twins: readonly TwinRow[]): Promise<WorldStateFile> => {
  const looked = await Promise.all(twins.map((row) => runtime.twins.look(row)))
  const activity = (
    await Promise.all(looked.map((twin) => runtime.activity.whole(twin, mostActivity)))
  ).flat()
  activity.sort((a, b) => (a.request_id < b.request_id ? -1 : 1))
  return worldFile(
    looked.map(({ service, instance }) => stateOf(service, instance)),
    activity,
  )
}
