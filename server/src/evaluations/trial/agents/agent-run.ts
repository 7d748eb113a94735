import type { TrialStep, Usage } from '@diorama/contract'
import type { SandboxOutcome } from '@diorama/sandbox/sandbox'

/** What is left of an agent, of whichever kind it was. */
export interface AgentRun {
  readonly outcome: SandboxOutcome
  /** Why it failed, where the outcome of a command does not say it. */
  readonly error?: string
  /** What it did beside the requests that passed the gateway of its trial. */
  readonly steps?: readonly TrialStep[]
  /** What its models used, beside the calls that passed that gateway. */
  readonly usage?: Usage
  /** Where it ran, when not in the sandbox. */
  readonly isolation?: string
}

/** The outcome of an agent that runs elsewhere: its answer is where a command would have written it. */
export const answered = (output: string | undefined, durationMs: number): SandboxOutcome => ({
  ended: 'exited',
  exitCode: 0,
  signal: null,
  stdout: { text: '', truncated: false },
  stderr: { text: '', truncated: false },
  durationMs,
  usage: { peakMemoryBytes: 0, peakProcesses: 0 },
  collected: {
    files: output === undefined ? [] : [{ path: 'output.txt', bytes: Buffer.from(output) }],
    refused: [],
    truncated: false,
  },
  channel: new Uint8Array(),
})

/** A failure of the agent that is reported in words. */
export class AgentFailed extends Error {
  override readonly name = 'AgentFailed'
}
