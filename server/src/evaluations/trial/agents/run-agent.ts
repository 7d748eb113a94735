import type { FrozenTask, TaskEvent, TrialStep } from '@diorama/contract'
import { pythonScript } from '@diorama/sandbox/drivers/python-script'
import type { HostImages } from '@diorama/sandbox/images/host-images'
import { BadImage, type HeldImage } from '@diorama/sandbox/images/image'
import { agentLimits, type ImageUse, type Sandbox, type SandboxPaths } from '@diorama/sandbox/sandbox'
import { DependenciesFailed } from '../../../agents/dependencies/dependencies.ts'
import { dependencyVariables } from '../../../agents/dependencies/layout.ts'
import type { RunnableAgent } from '../../../agents/runnable.ts'
import type { ModelCatalog } from '../../../models/models.ts'
import type { TwinRuntime } from '../../../twins/open.ts'
import { headOf } from '../../storable.ts'
import { agentUse, withImage } from '../container/task-container.ts'
import { openListening } from '../listening/listening.ts'
import type { ListeningParts } from '../listening/listening-parts.ts'
import { toldTo } from '../story/wait-endpoint.ts'
import type { TrialWorld } from '../trial-world.ts'
import { AttemptVoided } from '../voided.ts'
import { runA2aAgent } from './a2a-agent.ts'
import { acpChannelBytes, acpJob, reportsOf } from './acp-agent.ts'
import { AgentFailed, type AgentRun, answered } from './agent-run.ts'
import { runChatAgent } from './chat-agent.ts'
import { type OutsideTask, runHttpAgent } from './http-agent.ts'
import { createOutsideCaller } from './outside-call.ts'
import { runInTurns, type Turn } from './turns.ts'

const instructionFile = 'instruction.txt'
const eventsFile = 'events.json'
const acpFile = 'acp.json'
const toldFile = 'told.json'
const earlierFolder = 'earlier'
const collected = { maxFiles: 100, maxBytes: 32 * 1_048_576 }
/** What is brought to a verifier may be more. */
const collectedArtifacts = { maxFiles: 2_000, maxBytes: 64 * 1_048_576 }
const maxOutsideSteps = 10_000

export interface AgentDeps {
  readonly sandbox: Sandbox
  /** Images of the deployment, which tasks may name. */
  readonly hostImages: HostImages
  readonly runtime: TwinRuntime
  readonly models: ModelCatalog
  /** Origins at which agents outside the sandbox may be called. */
  readonly outsideAgents: readonly string[]
  /** How agents that wait to be called are called. */
  readonly deliveries: ListeningParts['deliveries']
  readonly now: () => number
}

export interface AgentOrder {
  readonly trialId: string
  readonly organizationId: string
  readonly agent: RunnableAgent
  readonly task: FrozenTask
}

/** Lets an agent of any kind work in its copy of the world. */
export const runAgent = (
  deps: AgentDeps,
  order: AgentOrder,
  world: TrialWorld,
  signal: AbortSignal,
): Promise<AgentRun> => {
  if (order.task.container) return runInContainer(deps, order, world, signal)
  switch (order.agent.kind) {
    case 'command':
    case 'acp':
      return runSandboxed(deps, order, world, signal)
    case 'image':
      return runImage(deps, order, world, signal)
    case 'http':
    case 'a2a':
      return runOutside(deps, order, world, signal)
    case 'chat':
      return runChat(deps, order, world, signal)
  }
}

const runSandboxed = async (
  { sandbox, deliveries, now }: AgentDeps,
  { agent, task, trialId }: AgentOrder,
  world: TrialWorld,
  signal: AbortSignal,
  { image, use }: { readonly image?: HeldImage; readonly use?: ImageUse } = {},
): Promise<AgentRun> => {
  const { container } = task
  if (agent.listen && !world.story)
    return {
      outcome: answered(undefined, 0),
      error: 'The agent waits to be called, and this task has no world.',
    }
  const dependencies = await dependenciesOf(agent)
  const listening =
    agent.listen &&
    (await openListening({
      ...{ listen: agent.listen, trialId, world, deliveries, now },
      isNamespaced: sandbox.isolation !== 'process',
      hasStoryTime: world.storyClock !== undefined && sandbox.storyLibrary.from !== 'none',
    }))
  const shown = visibleEvents(task)
  const isAcp = agent.kind === 'acp'
  const own = agent.command.length > 0 ? agent.command : (image?.config.command ?? '')
  const command = typeof own === 'string' ? own : [...own]
  const servers = agent.network === 'world' ? world.mcpServers : []
  const timeoutSeconds = Math.min(agent.timeoutSeconds, container?.timeout_seconds ?? agent.timeoutSeconds)
  const deadline = now() + timeoutSeconds * 1_000
  const isClosed = container !== undefined && container.allowed_hosts.length === 0
  const network = agent.network === 'world' && !isClosed ? world.network : ('none' as const)
  const stopping = AbortSignal.any([signal, world.stopSignal])
  const run = ({ number, told, left }: Turn) => {
    world.storyClock?.show()
    return sandbox.run(
      {
        command: isAcp
          ? ({ scripts }: SandboxPaths) => pythonScript('python3', scripts, 'acp_client')
          : command,
        ...(image ? { image } : {}),
        ...(use ? { imageUse: use } : {}),
        ...(image && !use ? {} : agent.bundle ? { bundle: agent.bundle } : { files: agent.files }),
        ...(dependencies ? { dependencies } : {}),
        inputs: {
          [instructionFile]: task.instruction,
          ...(shown.length > 0 ? { [eventsFile]: JSON.stringify(shown) } : {}),
          ...(isAcp ? { [acpFile]: acpJob(command, servers) } : {}),
          ...(number > 1 ? { [toldFile]: JSON.stringify(told.map(toldTo)) } : {}),
          ...Object.fromEntries(left.map(({ path, bytes }) => [`${earlierFolder}/${path}`, bytes])),
        },
        env: (paths) => ({
          ...(network === 'none' ? {} : world.env),
          ...container?.env,
          ...agent.env,
          ...(dependencies ? dependencyVariables(paths, agent.env) : {}),
          ...agent.secrets,
          ...(shown.length > 0 ? { EVENTS_PATH: `${paths.inputs}/${eventsFile}` } : {}),
          ...(isAcp ? { ACP_JOB: `${paths.inputs}/${acpFile}` } : {}),
          INSTRUCTION_PATH: `${paths.inputs}/${instructionFile}`,
          WORK_DIR: paths.work,
          SVC_AGENT_VERSION: agent.reference,
          SVC_TRIAL_ID: trialId,
          SVC_TURN: String(number),
          ...listening?.env,
          ...(number > 1
            ? {
                TOLD_PATH: `${paths.inputs}/${toldFile}`,
                EARLIER_WORK_DIR: `${paths.inputs}/${earlierFolder}`,
              }
            : {}),
        }),
        limits: { ...agentLimits, wallMs: Math.max(1, deadline - now()) },
        network,
        collect: use ? collectedArtifacts : collected,
        ...(world.storyClock ? { story: world.storyClock } : {}),
        ...(isAcp ? { channelBytes: acpChannelBytes } : {}),
        ...(listening ? { onRunning: listening.onRunning } : {}),
      },
      stopping,
    )
  }
  const turns = isAcp || listening ? undefined : task.turns
  const ran = runInTurns({ turns, run, world, signal: stopping, now })
  // Whichever way the agent ended, nobody calls it any longer.
  const error = await ran.then(
    () => listening?.end(),
    () => listening?.end(),
  )
  const { outcome, steps: turnSteps } = await ran
  if (error !== undefined) return { outcome, error }
  if (!isAcp) return { outcome, steps: turnSteps }
  const { steps, usage } = reportsOf(outcome.channel, now())
  return { outcome, steps, ...(usage ? { usage } : {}) }
}

/** What could not be installed is no verdict on the agent: its files never ran. */
const dependenciesOf = async ({
  dependencies,
  reference,
}: RunnableAgent): Promise<Uint8Array | undefined> => {
  try {
    return await dependencies?.()
  } catch (error) {
    if (!(error instanceof DependenciesFailed)) throw error
    throw new AttemptVoided('platform', `${reference} cannot run. ${error.message}`, { isFinal: true })
  }
}

/** An image runs in a container, where there is something that runs containers; never in less. */
const runImage = async (
  deps: AgentDeps,
  order: AgentOrder,
  world: TrialWorld,
  signal: AbortSignal,
): Promise<AgentRun> => {
  const { images } = deps.sandbox
  const found = await images.available()
  if ('unavailable' in found)
    throw new AttemptVoided('platform', `Images cannot be run here: ${found.unavailable}.`, { isFinal: true })
  const { image: source, command } = order.agent
  if (!source) throw new Error(`${order.agent.reference} has no image`)
  const failed = (error: string) => ({ outcome: answered(undefined, 0), error, isolation: found.runtime })
  try {
    using image = await images.hold(source)
    if (command.length === 0 && image.config.command.length === 0)
      return failed('The image has neither an entrypoint nor a command; name one in run.command.')
    return { ...(await runSandboxed(deps, order, world, signal, { image })), isolation: found.runtime }
  } catch (error) {
    if (error instanceof BadImage) return failed(`The image cannot be used: ${error.message}`)
    throw error
  }
}

/** The agent's command runs in the image of the task, and starts in its working directory. */
const runInContainer = async (
  deps: AgentDeps,
  order: AgentOrder,
  world: TrialWorld,
  signal: AbortSignal,
): Promise<AgentRun> => {
  const { container } = order.task
  const { kind } = order.agent
  if (!container || kind !== 'command')
    return {
      outcome: answered(undefined, 0),
      error: `The task runs in its own container, in which an agent of the kind ${kind} cannot work; command can.`,
    }
  return withImage(deps, container.image, async (image) => {
    const use = agentUse(container, image)
    return { ...(await runSandboxed(deps, order, world, signal, { image, use })), isolation: 'container' }
  })
}

/** An agent outside gets addresses and tokens of the trial's own twins, which end with the trial. */
const runOutside = async (
  { runtime, outsideAgents, now }: AgentDeps,
  { agent, task, trialId }: AgentOrder,
  world: TrialWorld,
  signal: AbortSignal,
): Promise<AgentRun> => {
  if ((task.crowding ?? 0) > 0)
    return {
      outcome: answered(undefined, 0),
      error: `The task has crowding, and decoys exist inside a trial alone: an agent of the kind ${agent.kind} cannot see them.`,
      isolation: 'outside',
    }
  const task_: OutsideTask = {
    trial_id: trialId,
    agent: agent.reference,
    instruction: task.instruction,
    timeout_seconds: agent.timeoutSeconds,
    world: {
      services: world.twins.map((row) => {
        const { service, baseUrl, mcpUrl, token } = runtime.twins.shown(row)
        return { service, base_url: baseUrl, mcp_url: mcpUrl, token }
      }),
    },
  }
  const began = now()
  using _limit = runtime.host.limit(
    world.twins.map(({ id }) => id),
    world.admit,
  )
  const run = agent.kind === 'http' ? runHttpAgent : runA2aAgent
  const ended = await within(agent, AbortSignal.any([signal, world.stopSignal]), async (during) => ({
    output: await run({
      caller: createOutsideCaller({ origins: outsideAgents, bearer: agent.bearer, signal: during }),
      url: agent.url ?? '',
      task: task_,
      wait: (ms) => waitFor(ms, during),
    }),
  }))
  return {
    outcome: answered(ended.output, now() - began),
    ...(ended.error === undefined ? {} : { error: ended.error }),
    steps: await ledgerSteps(runtime, world),
    isolation: 'outside',
  }
}

const runChat = async (
  { models, now }: AgentDeps,
  { agent, task, organizationId }: AgentOrder,
  world: TrialWorld,
  signal: AbortSignal,
): Promise<AgentRun> => {
  const began = now()
  const { model: name } = agent
  if (!name) return { outcome: answered(undefined, 0), error: 'The agent has no model.' }
  const model = (await models.of(organizationId, { source: 'chat', session: world.session })).open(name)
  const ended = await within(agent, AbortSignal.any([signal, world.stopSignal]), (during) =>
    runChatAgent({
      model,
      instructions: agent.instructions,
      instruction: task.instruction,
      maxTurns: agent.maxTurns,
      world,
      signal: during,
    }),
  )
  return {
    outcome: answered(ended.output, now() - began),
    ...(ended.error === undefined ? {} : { error: ended.error }),
    isolation: 'none',
  }
}

/** Gives an agent its time and no more; what it failed at is reported in words. */
const within = async <T extends object>(
  { timeoutSeconds }: RunnableAgent,
  signal: AbortSignal,
  work: (during: AbortSignal) => Promise<T>,
): Promise<Partial<T> & { output?: string | undefined; error?: string }> => {
  const clock = AbortSignal.timeout(timeoutSeconds * 1_000)
  try {
    return await work(AbortSignal.any([signal, clock]))
  } catch (error) {
    if (error instanceof AgentFailed) return { error: error.message } as Partial<T> & { error: string }
    if (clock.aborted && !signal.aborted)
      return { error: `The agent did not end within ${timeoutSeconds} seconds.` } as Partial<T> & {
        error: string
      }
    if (signal.aborted) return {} as Partial<T>
    throw error
  }
}

const waitFor = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(done, ms)
    function done() {
      signal.removeEventListener('abort', stop)
      resolve()
    }
    function stop() {
      clearTimeout(timer)
      reject(signal.reason)
    }
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })

/** What the twins recorded of an agent whose requests did not pass the gateway of its trial. */
const ledgerSteps = async (runtime: TwinRuntime, { twins }: TrialWorld): Promise<TrialStep[]> => {
  const recorded = await runtime.activity.whole(twins, maxOutsideSteps)
  return recorded.map((entry) => ({
    kind: 'tool_call',
    name: headOf(entry.operation, 300),
    status: entry.response.status < 400 ? 'succeeded' : 'failed',
    started_at: entry.at,
    duration_ms: entry.duration_ms,
    detail: {
      service: entry.service,
      method: entry.request.method,
      path: headOf(entry.request.path, 2_000),
      status: entry.response.status,
      request_id: entry.request_id,
      twin_id: entry.twin_id,
      mutations: entry.mutations,
      ...(entry.not_emulated.length > 0 ? { not_emulated: entry.not_emulated } : {}),
    },
  }))
}

/** Of a task made from a trace: what the agent may see, up to the cutoff. */
const visibleEvents = ({ events, cutoff_event_id }: FrozenTask): readonly TaskEvent[] => {
  const cutoff = events.findIndex(({ id }) => id === cutoff_event_id)
  return cutoff === -1 ? events : events.slice(0, cutoff + 1)
}

/** What an agent is called among the steps of a trial. */
export const agentName = ({ kind, command, url, model, image }: RunnableAgent): string => {
  if (kind === 'http' || kind === 'a2a') return headOf(`${kind} ${url ?? ''}`, 200)
  if (kind === 'chat') return headOf(`chat ${model?.provider ?? ''}/${model?.id ?? ''}`, 200)
  if (kind === 'image' && command.length === 0) return headOf(`image ${image?.tag ?? image?.key ?? ''}`, 200)
  return headOf(typeof command === 'string' ? command : command.join(' '), 200)
}
