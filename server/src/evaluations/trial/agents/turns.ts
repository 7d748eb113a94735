import type { TaskTurns, TrialStep } from '@diorama/contract'
import { durationMs } from '@diorama/contract/durations'
import type { Collected, SandboxOutcome } from '@diorama/sandbox/sandbox'
import type { Heard } from '../../../worlds/clock/world-clock.ts'
import { stepOf } from '../step.ts'
import { toldTo } from '../story/wait-endpoint.ts'
import type { TrialWorld } from '../trial-world.ts'

/** One start of the command. */
export interface Turn {
  readonly number: number
  /** What the world has said to it since the turn before. */
  readonly told: readonly Heard[]
  /** What it left in its folder so far. */
  readonly left: Collected['files']
}

export interface TurnsOrder {
  readonly turns: TaskTurns | undefined
  readonly run: (turn: Turn) => Promise<SandboxOutcome>
  readonly world: Pick<TrialWorld, 'story' | 'unread' | 'told' | 'stopped'>
  readonly signal: AbortSignal
  readonly now: () => number
}

/**
 * Starts a command, and again as often as something concerns it: it was answered, mentioned or given something to do
 * after it could last have read. Between turns the story moves on to what happens next, and ends with the idle time.
 */
export const runInTurns = async ({ turns, run, world, signal, now }: TurnsOrder): Promise<TurnsRun> => {
  const steps: TrialStep[] = []
  let outcome = await run({ number: 1, told: [], left: [] })
  const limit = turns && world.story?.mode() === 'story' ? turns.limit : 1
  for (let number = 2; number <= limit; number++) {
    if (outcome.ended !== 'exited' || outcome.exitCode !== 0 || signal.aborted || world.stopped()) break
    const told = await concerning(world, durationMs(turns?.idle ?? '') ?? 0, signal)
    if (told.length === 0) break
    world.told(told)
    const began = now()
    const { files } = outcome.collected
    const next = await run({ number, told, left: files })
    steps.push(turnStep(number, told, next, { began, ended: now() }))
    outcome = { ...next, collected: { ...next.collected, files: merged(files, next.collected.files) } }
  }
  return { outcome, steps }
}

export interface TurnsRun {
  readonly outcome: SandboxOutcome
  readonly steps: readonly TrialStep[]
}

const concerning = async (
  { story, unread }: TurnsOrder['world'],
  idleMs: number,
  signal: AbortSignal,
): Promise<readonly Heard[]> => {
  const told = await unread()
  if (told.length > 0 || !story) return told
  await story.waitUntil(story.now() + idleMs, { untilTold: true, signal })
  return unread()
}

const turnStep = (
  number: number,
  told: readonly Heard[],
  { ended, exitCode }: SandboxOutcome,
  times: { began: number; ended: number },
): TrialStep =>
  stepOf('agent', `turn ${number}`, ended === 'exited' && exitCode === 0 ? 'succeeded' : 'failed', {
    ...times,
    detail: { turn: number, told: told.map(toldTo), ended, exit_code: exitCode },
  })

/** A file that a later turn wrote again replaces the earlier one. */
const merged = (earlier: Collected['files'], later: Collected['files']): Collected['files'] => [
  ...new Map([...earlier, ...later].map((file) => [file.path, file])).values(),
]
