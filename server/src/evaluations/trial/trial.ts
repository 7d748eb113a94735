import type {
  Artifact,
  FailureCause,
  FrozenTask,
  Score,
  TrialStep,
  UnaskedChanges,
  Usage,
  Variant,
  VariantDetail,
} from '@diorama/contract'
import type { Sandbox, SandboxOutcome } from '@diorama/sandbox/sandbox'
import type { RunnableAgent } from '../../agents/runnable.ts'
import type { AccessOrder, FrozenRunModels, ModelAccess, OpenModelAccess } from '../../models/access.ts'
import type { BoundDefinition } from '../../scoring/score.ts'
import type { Blobs } from '../../storage/blobs.ts'
import { inTurns } from '../../storage/writers/in-turns.ts'
import { speakBy } from '../../worlds/coworkers/speak.ts'
import type { Speak } from '../../worlds/events/planned.ts'
import { storableText, tailOf } from '../storable.ts'
import { errorLine } from './agents/error-line.ts'
import { type AgentDeps, agentName, runAgent } from './agents/run-agent.ts'
import { verifyContainer } from './container/verify.ts'
import { type GradeDeps, grade } from './grade.ts'
import { redacted } from './redacted.ts'
import type { Stopped } from './request-log.ts'
import { stepOf } from './step.ts'
import {
  finalState,
  openTrialWorld,
  type TrialWorld,
  type TrialWorldParts,
  type WorldState,
} from './trial-world.ts'
import { sumUsage } from './usage.ts'
import { AttemptVoided } from './voided.ts'

const outputFile = 'output.txt'
const maxOutputCharacters = 1_000_000
const maxTail = 4_000
const filesAtOnce = 4

export interface TrialOrder {
  readonly trialId: string
  readonly attempt: number
  readonly organizationId: string
  readonly createdBy: string
  readonly agent: RunnableAgent
  readonly task: FrozenTask
  readonly variant: Variant | null
  readonly variantSeed: string
  readonly extraScorers: readonly BoundDefinition[]
  readonly environmentVersionId: string | null
  readonly jobId: string
  readonly repetition: number
  /** How model calls are answered; null for live without a budget. */
  readonly models: FrozenRunModels | null
}

export interface TrialParts extends TrialWorldParts, GradeDeps, Omit<AgentDeps, 'runtime' | 'now'> {
  readonly modelAccess: ModelAccess
  readonly blobs: Blobs
}

export interface TrialOutcome {
  /** Failed by the agent; errored where there is no verdict on it. */
  readonly status: 'succeeded' | 'failed' | 'errored'
  readonly error: string | null
  readonly cause: FailureCause | null
  readonly output: string | null
  readonly scores: readonly Score[]
  readonly unaskedChanges: UnaskedChanges | null
  readonly variantDetail: VariantDetail | null
  readonly passed: boolean | null
  readonly steps: readonly TrialStep[]
  readonly artifacts: readonly Artifact[]
  readonly usage: Usage | null
  readonly worldSha256: string | null
  readonly isolation: string
  readonly durationMs: number
}

/**
 * One trial: a fresh copy of the world, the agent's command in the sandbox, then, apart from it, the scorers. Whatever
 * the agent does is an outcome; what is thrown is the platform's own failure, or `AttemptVoided`.
 */
export const runTrial = async (
  parts: TrialParts,
  order: TrialOrder,
  scoring: () => Promise<void>,
  signal: AbortSignal,
): Promise<TrialOutcome> => {
  const { now, sandbox, blobs } = parts
  const began = now()
  await using models = await parts.modelAccess.open(modelOrder(order))
  await using world = await openTrialWorld(parts, order, models, speakIn(parts, order, models))
  const setup = stepOf('setup', 'fork the world', 'succeeded', {
    began,
    ended: now(),
    detail: setupOf(world, sandbox),
  })
  const started = now()
  const ran = await runAgent(parts, asVaried(order, world), world, signal)
  const outcome = redacted(ran.outcome, order.agent.secrets)
  await models.session.settled()
  signal.throwIfAborted()
  const acted = [
    setup,
    agentStep(order.agent, outcome, started, now()),
    ...world.steps(),
    ...(ran.steps ?? []),
  ]
  const stopped = world.stopped()
  if (stopped?.by === 'platform') throw voidedBy(stopped, acted)
  const usage = ran.usage ? sumUsage(world.usage(), ran.usage) : world.usage()
  const answer = outputOf(outcome)
  const verified = await verifyContainer(parts, order.task, outcome.collected.files, signal)
  const final = await finalState(world)
  const file = verified.file ?? final.state?.file
  const error = stopped?.reason ?? ran.error ?? agentFault(order, outcome, answer) ?? final.unreadable ?? null
  // The agent is gone and its world is written down: nothing of what is left waits for the rest of it.
  const [graded, artifacts, kept] = await Promise.all([
    grade(parts, order, {
      output: answer ?? '',
      state: file,
      changes: final.state,
      untouched: world.untouched,
      signal,
      session: models.session,
    }),
    keepFiles(blobs, outcome),
    file && blobs.keep(file),
    scoring(),
    world.close(),
  ])
  const verdict = error === null ? graded.verdict : failedBy(error, stopped)
  const outside = world.outsideFailure()
  if (verdict.passed === false && outside !== undefined)
    throw new AttemptVoided('model_provider', outside, { steps: [...acted, ...graded.steps] })
  return {
    status: error !== null ? 'failed' : verdict.passed === null ? 'errored' : 'succeeded',
    error: 'error' in verdict ? verdict.error : null,
    cause: 'cause' in verdict ? verdict.cause : null,
    output: answer,
    scores: graded.scores,
    unaskedChanges: graded.unaskedChanges,
    variantDetail: variantDetailOf(world, answer, final.state),
    passed: verdict.passed,
    steps: [...acted, ...verified.steps, ...graded.steps],
    artifacts,
    usage: usage.model_calls > 0 ? usage : null,
    worldSha256: kept?.sha256 ?? null,
    isolation: ran.isolation ?? sandbox.isolation,
    durationMs: now() - began,
  }
}

const variantDetailOf = (
  { variation, steps }: TrialWorld,
  answer: string | null,
  state: WorldState | undefined,
): VariantDetail | null => variation?.report({ answer: answer ?? '', world: state, steps: steps() }) ?? null

const failedBy = (error: string, stopped: Stopped | undefined) => ({
  passed: false,
  error,
  cause: stopped?.by === 'budget' ? ('budget' as const) : ('agent' as const),
})

/** The words of colleagues whom models play go where the calls of the agent go, onto the same cassette. */
const speakIn = (
  { models }: TrialParts,
  { organizationId }: TrialOrder,
  { session }: OpenModelAccess,
): Speak =>
  speakBy(async (name) => (await models.of(organizationId, { source: 'coworker', session })).open(name))

/** Which recordings are this trial's: the same task and repetition of the same agent, whatever its version. */
const modelOrder = (order: TrialOrder): AccessOrder => {
  const { agent, task, organizationId, jobId, trialId, attempt } = order
  const name = agent.reference.slice(0, agent.reference.lastIndexOf('@'))
  return {
    place: { organizationId, jobId, trialId, attempt, agent: agent.reference },
    run: order.models,
    scope: `${name} / ${task.key ?? task.title} / ${order.repetition}`,
    createdBy: order.createdBy,
  }
}

const voidedBy = ({ reason, isFinal = false }: Stopped, steps: readonly TrialStep[]): AttemptVoided =>
  new AttemptVoided('platform', reason, { steps, isFinal })

const setupOf = (world: TrialWorld, sandbox: Sandbox) => ({
  twins: world.twins.map(({ id, service }) => ({ id, service })),
  story_time: storyTimeOf(world, sandbox),
  ...(world.variation ? { variant: world.variation.setup } : {}),
})

/** The order as the agent gets it: a variant may ask for more than the task does. */
const asVaried = (order: TrialOrder, { variation }: TrialWorld): TrialOrder => {
  const { task } = order
  const more = variation?.instruction
  return more === undefined
    ? order
    : { ...order, task: { ...task, instruction: `${task.instruction}\n\n${more}` } }
}

/** How the agent's programs live in the story's time: as they are, by the wait endpoint alone, or not at all. */
const storyTimeOf = (
  { storyClock }: TrialWorld,
  { storyLibrary }: Sandbox,
): 'preload' | 'endpoint' | 'none' =>
  storyClock === undefined ? 'none' : storyLibrary.from === 'none' ? 'endpoint' : 'preload'

const agentStep = (
  agent: RunnableAgent,
  outcome: SandboxOutcome,
  began: number,
  ended: number,
): TrialStep => {
  const fine = outcome.ended === 'exited' && outcome.exitCode === 0
  return stepOf('agent', agentName(agent), fine ? 'succeeded' : 'failed', {
    began,
    ended,
    detail: {
      ended: outcome.ended,
      exit_code: outcome.exitCode,
      signal: outcome.signal,
      stdout: tailOf(outcome.stdout.text, maxTail),
      stderr: tailOf(outcome.stderr.text, maxTail),
      peak_memory_bytes: outcome.usage.peakMemoryBytes,
      refused_files: outcome.collected.refused.slice(0, 20),
    },
  })
}

const outputOf = ({ collected: { files } }: SandboxOutcome): string | null => {
  const file = files.find(({ path }) => path === outputFile)
  if (!file) return null
  return storableText(new TextDecoder().decode(file.bytes).slice(0, maxOutputCharacters))
}

const maxErrorLine = 500

/** Whether the agent is to blame, and for what. */
const agentFault = (
  { agent, task }: TrialOrder,
  outcome: SandboxOutcome,
  output: string | null,
): string | null => {
  const line = errorLine(outcome.stderr.text).slice(0, maxErrorLine)
  const because = line === '' ? '.' : `: ${line}`
  if (outcome.ended === 'timeout')
    return `The agent did not end within ${Math.min(agent.timeoutSeconds, task.container?.timeout_seconds ?? agent.timeoutSeconds)} seconds.`
  if (outcome.ended === 'memory') return 'The agent used more memory than it may.'
  if (outcome.ended === 'output') return 'The agent printed more than it may.'
  if (outcome.ended === 'files') return 'The agent wrote more files than it may.'
  if (outcome.ended === 'unfit') return `The agent could not be started${because}`
  if (outcome.ended === 'killed') return `The agent was ended by ${outcome.signal ?? 'a signal'}${because}`
  if (outcome.exitCode !== 0) return `The agent ended with exit code ${outcome.exitCode}${because}`
  if (output === null && task.environment_version_id === null && !task.container)
    return 'The agent wrote no $WORK_DIR/output.txt, which is all that this task can be graded by.'
  return null
}

const keepFiles = (blobs: Blobs, { collected: { files } }: SandboxOutcome): Promise<Artifact[]> =>
  inTurns(files, filesAtOnce, async ({ path, bytes }) => {
    const { sha256, size } = await blobs.keep(bytes)
    return { name: storableText(path), size, sha256 }
  })
