import type { TwinReply, TwinRequest } from '@diorama/twin-kit/kernel/twin'
import type { StepCause } from '../ledger/ledger-entry.ts'
import type { PlacedTwin } from '../placement/placed-twin.ts'
import type { Answered, BatchPlace, PersonAction, StepSummary } from './protocol.ts'

/** What became of a request. */
export interface Handled {
  readonly reply: TwinReply
  /** The step that is in the ledger; undefined where there is none. */
  readonly summary: StepSummary | undefined
  /** True where the platform, and not the twin, refused: nothing was changed, and the same request may succeed later. */
  readonly isPlatformFault: boolean
}

/** Worlds whose twins share a clock: whatever happens in one of them happens in one order. */
export interface Movement {
  /** Answers a request at the world's time, after everything that was due before it. */
  readonly handle: (clockId: string, twin: PlacedTwin, request: TwinRequest) => Promise<Handled>
  /** Lets what is due by now happen, before somebody looks at a twin; gives the world's time. */
  readonly settle: (clockId: string, twin: PlacedTwin) => Promise<number>
  /** Does something else in the order of the world, at its time. */
  readonly perform: <T>(
    clockId: string,
    twin: PlacedTwin,
    work: (worldTime: number) => Promise<T>,
  ) => Promise<T>
}

/** A step that its twin has taken and that is not yet in the ledger. */
export interface Taken {
  readonly twin: PlacedTwin
  readonly answered: Answered
}

/** When a step happens, by the clock of its world. */
export interface StepTime {
  readonly worldTime: number
  /** Whether the changes of the step are wanted with it. */
  readonly shows: boolean
}

/** How a world with a clock makes its twins take steps. Each is taken first, and recorded after it was looked at. */
export interface WorldSteps {
  /** A caller's request; where nothing was done, only what the caller is answered with. */
  readonly request: (twin: PlacedTwin, request: TwinRequest, at: StepTime) => Promise<Taken | Handled>
  /** Undefined where the batch that it is part of has ended before it. */
  readonly act: (twin: PlacedTwin, order: ActOrder) => Promise<Taken | undefined>
  /** What the twin does on its own at that time, recorded at once; and when it next has something to do. */
  readonly due: (twin: PlacedTwin, worldTime: number) => Promise<{ nextDue: number | undefined }>
  /** Resolves when the reply may leave: a write is durable, and so is a read where that is asked for. */
  readonly record: (taken: Taken, options: RecordOptions, request?: TwinRequest) => Promise<Handled>
  /** The twin as this node runs it; or that it has ended, or that another node runs it. */
  readonly find: (twinId: string) => Promise<PlacedTwin | 'ended' | 'elsewhere'>
  readonly flush: (twinIds: readonly string[]) => Promise<void>
}

export interface ActOrder extends StepTime {
  readonly action: PersonAction
  readonly cause: StepCause
  readonly batch?: BatchPlace
}

export interface RecordOptions {
  /** What the step sets in motion, as JSON. */
  readonly sets: string | null
  readonly durableReads: boolean
}
