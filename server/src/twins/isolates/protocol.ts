import type { Emission, Settlement } from '@diorama/twin-kit/kernel/deliveries'
import type { Notice, Principal, TwinReply, TwinRequest } from '@diorama/twin-kit/kernel/twin'
import type { PlainEntry, StepCause } from '../ledger/ledger-entry.ts'
import type { Inspection, InspectionResults, ShownChange } from './inspect.ts'

/** What an isolate must know of a twin to run it. */
export interface TwinFacts {
  readonly id: string
  readonly service: string
  readonly epoch: number
  readonly principals: readonly Principal[]
  readonly seedSha256: string
  /** When the world's clock started to run from the blueprint's, in milliseconds. */
  readonly seededAt: number
}

/** What the main thread asks of an isolate. Everything in it can be cloned. `twinId` is the name under which it was loaded. */
export type Op =
  /** Makes the twin ready: from its seed alone, or from its seed, snapshots and ledger. */
  | {
      readonly kind: 'load'
      readonly twinId: string
      readonly twin: TwinFacts
      readonly from: 'seed' | 'ledger'
      /** The last write to take from the ledger; all of them when absent. */
      readonly upTo?: number | undefined
    }
  | { readonly kind: 'drop'; readonly twinId: string }
  | RequestOp
  /** Records a request that another isolate did not survive, with the reply that its client got. */
  | (Omit<RequestOp, 'kind' | 'dueId'> & { readonly kind: 'refuse'; readonly reply: TwinReply })
  /** Applies what has come due by the world's clock. */
  | {
      readonly kind: 'due'
      readonly twinId: string
      readonly now: number
      readonly worldTime?: number | undefined
      readonly dueId: string
    }
  | ActOp
  | ControlOp
  | SettleOp
  /** Asks whether the twin can answer at all. */
  | { readonly kind: 'probe'; readonly twinId: string; readonly now: number }
  /** Stores what changed up to a durable write as another part of the twin's snapshot. */
  | { readonly kind: 'snapshot'; readonly twinId: string; readonly seq: number }
  | { readonly kind: 'inspect'; readonly twinId: string; readonly inspection: Inspection }

export interface RequestOp {
  readonly kind: 'request'
  readonly twinId: string
  readonly request: TwinRequest
  readonly now: number
  /** The story's time, where the world has a clock; the twin counts from its seeding when left out. */
  readonly worldTime?: number | undefined
  /** Whether the changes of the step are to be reported with it, as people see them. */
  readonly shows?: boolean | undefined
  readonly requestId: string
  readonly dueId: string
}

/** Runs one of the twin's controls. */
export interface ControlOp {
  readonly kind: 'control'
  readonly twinId: string
  readonly name: string
  readonly input: unknown
  readonly baseUrl: string
  readonly now: number
  readonly worldTime?: number | undefined
  readonly requestId: string
  readonly dueId: string
}

/** Lets the twin act on the end of a delivery. */
export interface SettleOp {
  readonly kind: 'settle'
  readonly twinId: string
  readonly emission: Emission
  readonly settlement: Settlement
  readonly now: number
  readonly worldTime?: number | undefined
  readonly requestId: string
}

/** What a control gave back, or why it refused: each fault with a pointer into the input. */
export interface Controlled {
  readonly output?: unknown
  readonly refusal?: ControlRefusal
  readonly entries: readonly PlainEntry[]
}
export interface ControlRefusal {
  readonly message: string
  readonly details: readonly { readonly pointer: string; readonly message: string }[]
}

/** Does what a person of the world does on their own, through the twin's own wire. */
export interface ActOp {
  readonly kind: 'act'
  readonly twinId: string
  readonly action: PersonAction
  readonly cause: StepCause
  readonly now: number
  readonly worldTime: number
  readonly requestId: string
  readonly shows?: boolean | undefined
  readonly batch?: BatchPlace | undefined
}

/** The place of an action among those that are sent at once. Once the batch has ended, the rest of it is not done. */
export interface BatchPlace {
  readonly isFirst: boolean
  /** When the next item happens, for the last action of an item; the batch may end there. */
  readonly nextAt?: number | undefined
  /** Whether the batch ends when somebody is addressed. */
  readonly endsByNotice: boolean
}

/** Something that a person does, by the vendor's name for it. */
export interface PersonAction {
  /** A handle. */
  readonly as: string
  readonly operation: string
  readonly input: Readonly<Record<string, unknown>>
}

/** A step as the sender of the request sees it. */
export interface StepSummary {
  readonly requestId: string
  readonly operation: string
  readonly status: number
  readonly notEmulated: readonly string[]
  /** What was asked for and had been withheld. */
  readonly withheld?: readonly string[]
  /** Of public collections only. */
  readonly changes: readonly {
    readonly collection: string
    readonly operation: string
    readonly id: string
  }[]
}

export interface Answered {
  readonly reply: TwinReply
  /** What had come due, if anything had, and the request itself. */
  readonly entries: readonly PlainEntry[]
  readonly summary: StepSummary
  /** A bug in the twin, as text: the caller gets the vendor's internal error and nothing was changed. */
  readonly failure?: string
  /** When the twin next has something to do on its own, in the story's time. */
  readonly nextDue?: number | undefined
  /** Whether the service refused what was asked of it. */
  readonly failed?: boolean
  /** Who took the step: a handle, or `integration`. */
  readonly subject?: string | undefined
  /** Who was addressed by the step. */
  readonly notices?: readonly Notice[]
  readonly shown?: readonly ShownChange[]
}

export interface Results extends InspectionResults {
  readonly load: {
    readonly writes: number
    readonly reads: number
    readonly nextDue?: number | undefined
  }
  readonly drop: undefined
  readonly request: Answered
  readonly refuse: Answered
  readonly due: { readonly entries: readonly PlainEntry[]; readonly nextDue?: number | undefined }
  /** Undefined where its batch has ended before it. */
  readonly act: Answered | undefined
  readonly control: Controlled
  readonly settle: readonly PlainEntry[]
  readonly probe: string | undefined
  readonly snapshot: undefined
}

export type OpKind = Op['kind']
export type OpOf<K extends OpKind> = Extract<Op, { readonly kind: K }>

/** A numbered op on its way to a worker thread, and its outcome on the way back. */
export interface Sent {
  readonly n: number
  readonly op: Op
}
export type Outcome =
  | { readonly n: number; readonly result: unknown }
  | { readonly n: number; readonly error: string; readonly notLoaded: boolean }
