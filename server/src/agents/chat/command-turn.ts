import type { AgentStep } from '@diorama/contract'
import type { StoredVersion } from '../store.ts'
import { type AnswerTurn, clip, recent, type TurnRequest } from './turn.ts'

/** A command to run once, with what the agent is asked to do. */
export interface CommandJob {
  readonly organizationId: string
  readonly version: StoredVersion
  /** The content of the file at INSTRUCTION_PATH. */
  readonly instruction: string
  /** The world that the agent acts on, if any. */
  readonly worldId: string | null
  /** For SVC_TRIAL_ID: names this one run in logs. */
  readonly runId: string
}

export interface CommandOutcome {
  readonly status: 'succeeded' | 'failed'
  /** What the agent wrote to output.txt. */
  readonly output: string | null
  readonly error: string | null
  readonly steps: readonly AgentStep[]
}

/** Runs agents that are commands. Throws only when the platform failed; the agent's own failure is an outcome. */
export interface CommandRunner {
  run(job: CommandJob, signal: AbortSignal): Promise<CommandOutcome>
}

const maxHistoryCharacters = 400_000
const maxAnswerCharacters = 200_000

/** Answers by running the version's command with the conversation as its instruction. */
export const commandTurn =
  (runner: CommandRunner): AnswerTurn =>
  async (request, onStep, signal) => {
    const { organizationId, version, worldId, turnId } = request
    const outcome = await runner.run(
      { organizationId, version, worldId, runId: turnId, instruction: conversation(request) },
      signal,
    )
    for (const step of outcome.steps) onStep(step)
    const { status, output, error } = outcome
    return {
      status,
      answer: output === null ? null : clip(output, maxAnswerCharacters),
      error,
      usage: { input_tokens: 0, output_tokens: 0 },
      costUsd: null,
    }
  }

/** The first message is self-contained, just as a task's instruction is; later ones come with what was said before. */
const conversation = ({ history, text }: TurnRequest): string => {
  const before = recent(history, maxHistoryCharacters)
  if (before.length === 0) return text
  const said = before.flatMap(({ asked, answered }) => [
    `User: ${asked}`,
    ...(answered ? [`You: ${answered}`] : []),
  ])
  return ['The conversation so far:', ...said, 'Answer this message:', text].join('\n\n')
}
