import type { Artifact, FrozenTask, Score, TaskEvent, TrialStep, Usage } from '@diorama/contract'
import { agentLimits, type Sandbox, type SandboxOutcome } from '@diorama/sandbox/sandbox'
import { type BoundDefinition, expectedOf, type Gradable, passes, type Scoring } from '../../scoring/score.ts'
import type { Blobs } from '../../storage/blobs.ts'
import { inTurns } from './in-turns.ts'
import { openTrialWorld, type TrialWorld, type TrialWorldParts } from './trial-world.ts'

const instructionFile = 'instruction.txt'
const eventsFile = 'events.json'
const outputFile = 'output.txt'
const mostOutputCharacters = 1_000_000
const mostTail = 4_000
const collected = { maxFiles: 100, maxBytes: 32 * 1_048_576 }
/** Scorers of one trial that run at the same time. */
const scorersAtOnce = 4
const filesAtOnce = 4

/** What runs: an agent's version, as far as a trial must know it. */
export interface RunnableAgent {
  readonly reference: string
  readonly command: string | readonly string[]
  readonly timeoutSeconds: number
  readonly env: Readonly<Record<string, string>>
  readonly network: 'world' | 'none'
  readonly files: Readonly<Record<string, string>>
  readonly bundle: Uint8Array | undefined
}

export interface TrialOrder {
  readonly trialId: string
  readonly attempt: number
  readonly organizationId: string
  readonly createdBy: string
  readonly agent: RunnableAgent
  readonly task: FrozenTask
  readonly extraScorers: readonly BoundDefinition[]
  readonly environmentVersionId: string | null
}

export interface TrialParts extends TrialWorldParts {
  readonly sandbox: Sandbox
  readonly scoring: Scoring
  readonly blobs: Blobs
}

export interface TrialOutcome {
  readonly status: 'succeeded' | 'failed'
  readonly error: string | null
  readonly output: string | null
  readonly scores: readonly Score[]
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
 * the agent does is an outcome; what is thrown is the platform's own failure.
 */
export const runTrial = async (
  parts: TrialParts,
  order: TrialOrder,
  scoring: () => Promise<void>,
  signal: AbortSignal,
): Promise<TrialOutcome> => {
  const { now, sandbox, blobs } = parts
  const began = now()
  await using world = await openTrialWorld(parts, order)
  const setup = step('setup', 'fork the world', 'succeeded', began, now(), {
    twins: world.twins.map(({ id, service }) => ({ id, service })),
  })
  const started = now()
  const outcome = await runAgent(parts, order, world, signal)
  signal.throwIfAborted()
  const acted = [setup, agentStep(order.agent, outcome, started, now()), ...world.steps()]
  const usage = world.usage()
  const state = world.twins.length > 0 ? await world.state() : undefined
  const answer = outputOf(outcome)
  const error = agentFault(order, outcome, answer)
  // The agent is gone and its world is written down: nothing of what is left waits for the rest of it.
  const [{ scores, steps }, artifacts, kept] = await Promise.all([
    grade(parts, order, { output: answer ?? '', state, signal }),
    keepFiles(blobs, outcome),
    state && blobs.keep(state),
    scoring(),
    world.close(),
  ])
  return {
    status: error === null ? 'succeeded' : 'failed',
    error,
    output: answer,
    scores,
    passed: error === null ? passes(scores) : false,
    steps: [...acted, ...steps],
    artifacts,
    usage: usage.model_calls > 0 ? usage : null,
    worldSha256: kept?.sha256 ?? null,
    isolation: sandbox.isolation,
    durationMs: now() - began,
  }
}

const runAgent = (
  { sandbox }: TrialParts,
  order: TrialOrder,
  world: TrialWorld,
  signal: AbortSignal,
): Promise<SandboxOutcome> => {
  const { agent, task } = order
  const shown = visibleEvents(task)
  return sandbox.run(
    {
      command: typeof agent.command === 'string' ? agent.command : [...agent.command],
      ...(agent.bundle ? { bundle: agent.bundle } : { files: agent.files }),
      inputs: {
        [instructionFile]: task.instruction,
        ...(shown.length > 0 ? { [eventsFile]: JSON.stringify(shown) } : {}),
      },
      env: (paths) => ({
        ...(agent.network === 'world' ? world.env : {}),
        ...agent.env,
        ...(shown.length > 0 ? { EVENTS_PATH: `${paths.inputs}/${eventsFile}` } : {}),
        INSTRUCTION_PATH: `${paths.inputs}/${instructionFile}`,
        WORK_DIR: paths.work,
        SVC_AGENT_VERSION: agent.reference,
        SVC_TRIAL_ID: order.trialId,
      }),
      limits: { ...agentLimits, wallMs: agent.timeoutSeconds * 1_000 },
      network: agent.network === 'world' ? world.network : 'none',
      collect: collected,
    },
    signal,
  )
}

/** Of a task made from a trace: what the agent may see, up to the cutoff. */
const visibleEvents = ({ events, cutoff_event_id }: FrozenTask): readonly TaskEvent[] => {
  const cutoff = events.findIndex(({ id }) => id === cutoff_event_id)
  return cutoff === -1 ? events : events.slice(0, cutoff + 1)
}

export interface GradeContext {
  readonly output: string
  readonly state: Uint8Array | undefined
  readonly signal: AbortSignal
}

export interface Graded {
  readonly scores: readonly Score[]
  readonly steps: readonly TrialStep[]
}

type GradedOrder = Pick<TrialOrder, 'task' | 'trialId' | 'environmentVersionId'> & {
  readonly agent: { readonly reference: string }
}

/** What every scorer of a trial is given. */
export const gradableOf = (
  { agent, task, trialId, environmentVersionId }: GradedOrder,
  { output, state }: Pick<GradeContext, 'output' | 'state'>,
): Gradable => ({
  input: task.instruction,
  output,
  expected: expectedOf(task),
  metadata: {
    trial_id: trialId,
    agent: agent.reference,
    task: { id: task.id, key: task.key, title: task.title },
    world: environmentVersionId,
  },
  world: state,
})

/** Every scorer of the task and of the run, some at the same time; each is a step of its own, in the order of the task. */
export const grade = async (
  { scoring, now }: Pick<TrialParts, 'scoring' | 'now'>,
  {
    agent,
    task,
    extraScorers,
    trialId,
    environmentVersionId,
  }: GradedOrder & Pick<TrialOrder, 'extraScorers'>,
  { output, state, signal }: GradeContext,
): Promise<Graded> => {
  const gradable = gradableOf({ agent, task, trialId, environmentVersionId }, { output, state })
  const graded = await inTurns([...task.scorers, ...extraScorers], scorersAtOnce, async (bound) => {
    const began = now()
    const score = await scoring.grade(bound, gradable, signal)
    const status = score.error !== null ? 'failed' : 'succeeded'
    const detail = { score: score.score, ...(score.error ? { error: score.error } : {}) }
    return { score, step: step('scoring', score.name, status, began, now(), detail) }
  })
  return { scores: graded.map(({ score }) => score), steps: graded.map((one) => one.step) }
}

const step = (
  kind: TrialStep['kind'],
  name: string,
  status: string,
  began: number,
  ended: number,
  detail?: Record<string, unknown>,
): TrialStep => ({
  kind,
  name,
  status,
  started_at: new Date(began).toISOString(),
  duration_ms: ended - began,
  ...(detail ? { detail } : {}),
})

const agentStep = (
  { command }: RunnableAgent,
  outcome: SandboxOutcome,
  began: number,
  ended: number,
): TrialStep => {
  const fine = outcome.ended === 'exited' && outcome.exitCode === 0
  const name = (typeof command === 'string' ? command : command.join(' ')).slice(0, 200)
  return step('agent', name, fine ? 'succeeded' : 'failed', began, ended, {
    ended: outcome.ended,
    exit_code: outcome.exitCode,
    signal: outcome.signal,
    stdout: outcome.stdout.text.slice(-mostTail),
    stderr: outcome.stderr.text.slice(-mostTail),
    peak_memory_bytes: outcome.usage.peakMemoryBytes,
    refused_files: outcome.collected.refused.slice(0, 20),
  })
}

const outputOf = ({ collected: { files } }: SandboxOutcome): string | null => {
  const file = files.find(({ path }) => path === outputFile)
  if (!file) return null
  const text = new TextDecoder().decode(file.bytes).replaceAll('\0', '\ufffd')
  return text.slice(0, mostOutputCharacters).toWellFormed()
}

/** Whether the agent is to blame, and for what. */
const agentFault = (
  { agent, task }: TrialOrder,
  outcome: SandboxOutcome,
  output: string | null,
): string | null => {
  const said = outcome.stderr.text.trim().slice(-500)
  const because = said === '' ? '' : ` It said: ${said}`
  if (outcome.ended === 'timeout') return `The agent did not end within ${agent.timeoutSeconds} seconds.`
  if (outcome.ended === 'memory') return 'The agent used more memory than it may.'
  if (outcome.ended === 'output') return 'The agent printed more than it may.'
  if (outcome.ended === 'files') return 'The agent wrote more files than it may.'
  if (outcome.ended === 'unfit') return `The agent could not be started.${because}`
  if (outcome.ended === 'killed') return `The agent was ended by ${outcome.signal ?? 'a signal'}.${because}`
  if (outcome.exitCode !== 0) return `The agent ended with exit code ${outcome.exitCode}.${because}`
  if (output === null && task.environment_version_id === null)
    return 'The agent wrote no $WORK_DIR/output.txt, which is all that this task can be graded by.'
  return null
}

const keepFiles = (blobs: Blobs, { collected: { files } }: SandboxOutcome): Promise<Artifact[]> =>
  inTurns(files, filesAtOnce, async ({ path, bytes }) => {
    const { sha256, size } = await blobs.keep(bytes)
    return { name: path, size, sha256 }
  })
