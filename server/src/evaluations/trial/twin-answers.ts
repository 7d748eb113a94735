import type { TrialStep } from '@diorama/contract'
import type { GatewayReply, GatewayRequest, GatewayUpgrade } from '@diorama/sandbox/gateway/options'
import type { TwinRequest } from '@diorama/twin-kit/kernel/twin'
import { type ArrivedRequest, toTwinRequest } from '@diorama/twin-kit/wires/twin-request'
import type { SocketGateway, SocketOwner } from '../../deliveries/sockets/socket-gateway.ts'
import type { Handled } from '../../twins/isolates/movement.ts'
import type { TwinRuntime } from '../../twins/open.ts'
import type { TwinRow } from '../../twins/store.ts'
import { headOf } from '../storable.ts'
import type { RequestLog } from './request-log.ts'
import type { StoryWait } from './story/story-wait.ts'

export const maxPathCharacters = 2_000

interface AnswerDeps {
  readonly runtime: TwinRuntime
  readonly settings: readonly { readonly row: TwinRow }[]
  readonly log: RequestLog
  readonly story: StoryWait | undefined
  readonly now: () => number
  readonly ended: AbortSignal
}

interface SocketDeps {
  readonly acceptSocket: SocketGateway['accept']
  /** Called when the agent has said something on a socket: the answer to it is on its way. */
  readonly spoke: () => void
  readonly owner?: SocketOwner
}

/** A WebSocket to a real host name, taken by this trial's twin of that service. */
export const connectSocket = async (
  {
    runtime,
    acceptSocket,
    settings,
    log,
    now,
    spoke,
    owner,
  }: Omit<AnswerDeps, 'ended' | 'story'> & SocketDeps,
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
      request: messageOf({ host, path, method: 'GET', headers: request.headers }),
      ...(owner ? { owner } : {}),
    })
    socket.on('data', spoke)
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

/**
 * A request to a real host name, answered by this trial's twin of that service. Where the platform cannot answer, the
 * agent is stopped: whatever it did from here on would be judged by our failure.
 */
export const answer = async (deps: AnswerDeps, request: GatewayRequest): Promise<GatewayReply> => {
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
  { runtime, settings, log, story, now, ended }: AnswerDeps,
  request: GatewayRequest,
): Promise<GatewayReply | undefined> => {
  const began = now()
  const placed = settings.find(({ row }) => row.service === request.service)
  const found = placed && (await runtime.host.find(placed.row.id))
  if (found?.at !== 'here') return undefined
  const message = messageOf(request)
  const date = story ? { date: new Date(story.now()).toUTCString() } : {}
  const handled = await runtime.host.handle(found.twin, message, ended)
  const { reply, isPlatformFault } = handled
  if (isPlatformFault) log.stop({ by: 'platform', reason: 'A step could not be written to the ledger.' })
  const step = { service: request.service, host: request.host, method: request.method, path: message.path }
  log.add(stepOf({ handled, request: step, twinId: found.twin.id, began, now: now() }))
  return {
    status: reply.status,
    headers: {
      ...date,
      ...Object.fromEntries(
        Object.entries(reply.headers).map(([name, value]) => [
          name,
          typeof value === 'string' ? value : [...value],
        ]),
      ),
    },
    body: reply.body,
  }
}

/** A request to a twin as a step of the trial. */
export const stepOf = ({
  handled: { reply, summary, isPlatformFault },
  request: { service, host, method, path },
  twinId,
  began,
  now,
}: {
  readonly handled: Handled
  readonly request: Pick<GatewayRequest, 'service' | 'host' | 'method' | 'path'>
  readonly twinId: string
  readonly began: number
  readonly now: number
}): TrialStep => ({
  kind: 'tool_call',
  name: headOf(summary?.operation ?? `${method} ${path}`, 300),
  status: reply.status < 400 ? 'succeeded' : 'failed',
  started_at: new Date(began).toISOString(),
  duration_ms: now - began,
  detail: {
    service,
    host,
    method,
    path: headOf(path, maxPathCharacters),
    status: reply.status,
    ...(summary ? { request_id: summary.requestId } : {}),
    twin_id: twinId,
    mutations: summary?.changes ?? [],
    ...(summary && summary.notEmulated.length > 0 ? { not_emulated: summary.notEmulated } : {}),
    ...(summary?.withheld ? { withheld: summary.withheld } : {}),
    ...(isPlatformFault ? { platform: 'not durable' } : {}),
  },
})

export const messageOf = ({
  host,
  path,
  method,
  headers,
  body,
}: Omit<ArrivedRequest, 'target' | 'baseUrl'> & {
  readonly host: string
  readonly path: string
}): TwinRequest => toTwinRequest({ method, target: path, headers, body, host, baseUrl: `https://${host}` })
