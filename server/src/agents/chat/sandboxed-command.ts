import type { AgentStep } from '@diorama/contract'
import { agentLimits, type Sandbox, type SandboxNetwork, type SandboxOutcome } from '@diorama/sandbox/sandbox'
import type { SharedSandbox } from '@diorama/sandbox/shared-sandbox'
import { ApiError } from '../../http/api-error.ts'
import type { Agents } from '../agents.ts'
import type { Dependencies } from '../dependencies/dependencies.ts'
import { dependencyVariables } from '../dependencies/layout.ts'
import type { Secrets } from '../secrets/secrets.ts'
import type { CommandJob, CommandOutcome, CommandRunner } from './command-turn.ts'
import { clip } from './turn.ts'

/** How a command reaches the twins of a world; ends when it is disposed of. */
export interface Attachment extends AsyncDisposable {
  readonly network: SandboxNetwork
  readonly env: Readonly<Record<string, string>>
  /** The calls that the command made so far. */
  readonly steps: () => readonly AgentStep[]
}

export interface SandboxedParts {
  readonly sandbox: Sandbox
  readonly agents: Pick<Agents, 'bundle'>
  readonly secrets: Pick<Secrets, 'variables'>
  readonly dependencies: Pick<Dependencies, 'archive'>
  /** Left out where commands cannot be let into a world. */
  readonly attach?: (job: CommandJob) => Promise<Attachment>
  readonly now: () => number
}

const instructionFile = 'instruction.txt'
const maxTailCharacters = 1_000

/** The runner of commands in the sandbox that a process shares, or why there is none. */
export const commandsIn = async (
  shared: Pick<SharedSandbox, 'open'>,
  parts: Omit<SandboxedParts, 'sandbox'>,
): Promise<{ readonly runner: CommandRunner } | { readonly unavailable: string }> => {
  const opened = await shared.open()
  return 'sandbox' in opened ? { runner: sandboxedCommand({ ...parts, sandbox: opened.sandbox }) } : opened
}

/** Runs an agent's command in the sandbox, with the variables and the files that a trial gives it. */
export const sandboxedCommand = ({
  sandbox,
  agents,
  secrets,
  dependencies,
  attach,
  now,
}: SandboxedParts): CommandRunner => ({
  run: async (job, signal) => {
    const { version, instruction } = job
    const { run, files } = version.content
    if (!run) throw new Error(`${version.agent}@${version.version} has no command`)
    const { command, kind = 'command' } = run
    if (kind !== 'command' || command === undefined)
      throw new ApiError(
        'conflict',
        `Conversations run agents of the kinds command and chat; ${version.agent}@${version.version} is of the kind ${kind}.`,
      )
    const bundle = await agents.bundle(version)
    const packages =
      version.lockSha256 === null
        ? undefined
        : await dependencies.archive(job.organizationId, version.lockSha256)
    const secret = await secrets.variables(job.organizationId, run.secrets ?? {})
    if ('missing' in secret)
      throw new ApiError('conflict', `The agent names the secret ${secret.missing}, which does not exist.`)
    const wanted = job.worldId !== null && run.network === 'world'
    if (wanted && !attach)
      throw new ApiError(
        'sandbox_unavailable',
        'Commands cannot reach the twins of a world on this deployment.',
      )
    await using attached = wanted ? await attach?.(job) : undefined
    const started = now()
    const outcome = await sandbox.run(
      {
        command,
        ...(bundle ? { bundle } : { files }),
        ...(packages ? { dependencies: packages } : {}),
        inputs: { [instructionFile]: instruction },
        env: (paths) => ({
          ...attached?.env,
          ...run.env,
          ...(packages ? dependencyVariables(paths, run.env) : {}),
          ...secret.env,
          INSTRUCTION_PATH: `${paths.inputs}/${instructionFile}`,
          WORK_DIR: paths.work,
          SVC_AGENT_VERSION: `${version.agent}@${version.version}`,
          SVC_TRIAL_ID: job.runId,
        }),
        limits: { ...agentLimits, wallMs: run.timeout_seconds * 1_000 },
        network: attached?.network ?? 'none',
        collect: { maxFiles: 50, maxBytes: 4 * 1_048_576 },
      },
      signal,
    )
    signal.throwIfAborted()
    const result = judge(outcome)
    const step: AgentStep = {
      kind: 'agent',
      name: typeof command === 'string' ? clip(command, 200) : clip(command.join(' '), 200),
      status: result.status,
      started_at: new Date(started).toISOString(),
      duration_ms: outcome.durationMs,
      detail: {
        exit_code: outcome.exitCode,
        ended: outcome.ended,
        isolation: sandbox.isolation,
        stdout: outcome.stdout.text.slice(-maxTailCharacters),
        stderr: outcome.stderr.text.slice(-maxTailCharacters),
      },
    }
    return { ...result, steps: [step, ...(attached?.steps() ?? [])] }
  },
})

/** The answer is output.txt; an agent that writes none may have printed it. */
const judge = (outcome: SandboxOutcome): Omit<CommandOutcome, 'steps'> => {
  const file = outcome.collected.files.find(({ path }) => path === 'output.txt')
  const written = file ? new TextDecoder().decode(file.bytes) : outcome.stdout.text
  const output = written.trim() === '' ? null : written
  if (outcome.ended !== 'exited' || outcome.exitCode !== 0) {
    const why = outcome.ended === 'exited' ? `exit code ${outcome.exitCode}` : outcome.ended
    const said = outcome.stderr.text.trim().slice(-maxTailCharacters)
    return { status: 'failed', output: null, error: `The command failed (${why})${said ? `: ${said}` : '.'}` }
  }
  if (output === null)
    return {
      status: 'failed',
      output: null,
      error: 'The command wrote no $WORK_DIR/output.txt and printed nothing.',
    }
  return { status: 'succeeded', output, error: null }
}
