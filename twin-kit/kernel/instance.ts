import { isWithheld, requirePermission, withhold, withholdControl } from '../variations/withhold.ts'
import { canonicalJson, sha256 } from './canonical.ts'
import type { Emission, Settlement } from './deliveries.ts'
import { type Change, type Changes, change, sameJson } from './diff.ts'
import { OverlayTable } from './rows/overlay.ts'
import type { FrozenSeed } from './seed.ts'
import { seriesTable } from './seed.ts'
import type { Row } from './table.ts'
import type {
  Actor,
  AnyTwin,
  Call,
  Principal,
  Session,
  Step,
  TwinReply,
  TwinRequest,
  WritableTables,
} from './twin.ts'

/** Everything that differs from the seed, as JSON. */
export interface Snapshot {
  readonly seedSha256: string
  readonly tables: Readonly<Record<string, readonly (readonly [string, Row | null])[]>>
}

export interface InstanceOptions {
  readonly seed: FrozenSeed
  readonly principals: readonly Principal[]
  /** Checks and freezes every row written; for tests, where a wrong row should fail at once. */
  readonly strict?: boolean
}

type Undo = { table: OverlayTable; key: string; before: Row | null }

/** A request's step, and before it the step of whatever had come due on its own, if anything had. */
export interface Handled {
  readonly due: Step | undefined
  readonly step: Step
  /** A bug in the twin: the caller got the vendor's own internal error and nothing was changed. */
  readonly failure?: unknown
}

/** A control's step, and what it gave back. */
export interface Controlled {
  readonly step: Step
  readonly output: unknown
}

/** One running copy of a twin: an overlay over a frozen seed, and the one gate through which it changes. */
export class Instance {
  readonly twin: AnyTwin
  readonly seed: FrozenSeed
  readonly principals: readonly Principal[]
  readonly #tables: Record<string, OverlayTable> = {}
  readonly #strict: boolean
  #undo: Undo[] = []
  /** What the current step has emitted so far. */
  #emissions: Emission[] = []

  constructor({ seed, principals, strict = false }: InstanceOptions) {
    this.twin = seed.twin
    this.seed = seed
    this.principals = principals
    this.#strict = strict
    for (const [name, base] of Object.entries(seed.tables))
      this.#tables[name] = new OverlayTable(name, base, (table, key, before, after) => {
        if (after) this.#check(table, after)
        this.#undo.push({ table, key, before })
      })
  }

  get tables(): WritableTables {
    return this.#tables
  }

  /** Answers one request at a moment of the world's clock. */
  handle(request: TwinRequest, at: number): Handled {
    const due = this.due(at)
    return { due, ...this.answer(request, at) }
  }

  /** Answers one request without looking at what has come due. */
  answer(request: TwinRequest, at: number): Omit<Handled, 'due'> {
    return this.#run(request, at, (state) => this.#wire(request, at, state))
  }

  /** When the twin next has something to do on its own; undefined where it has nothing, or cannot tell. */
  nextDue(): number | undefined {
    return this.twin.nextDue?.(this.#tables)
  }

  /** Does what has come due on its own. */
  due(at: number): Step | undefined {
    const { due } = this.twin
    if (!due) return undefined
    const { step } = this.#run(dueRequest, at, (state) => {
      state.label = 'due'
      due(this.#call(dueRequest, at, state))
      return dueReply
    })
    return isWrite(step) ? step : undefined
  }

  /** Runs one of the twin's controls as a step. What it refuses is thrown, and nothing is changed. */
  control(name: string, input: unknown, { at, baseUrl }: { at: number; baseUrl: string }): Controlled {
    const control = name === withholdControl ? withhold : this.twin.controls?.[name]
    if (!control) throw new Error(`${this.twin.kind} has no control ${name}`)
    const request = { ...internalRequest('CONTROL'), path: `/${name}`, baseUrl }
    let output: unknown
    const { step, failure } = this.#run(request, at, (state) => {
      state.label = name
      const parsed = control.input ? control.input.parse(input) : input
      state.actor = control.actor?.(parsed, this.#tables)
      output = control.run(this.#call(request, at, state), parsed)
      return dueReply
    })
    if (failure !== undefined) throw failure
    return { step, output }
  }

  /** Lets the twin act on the end of a delivery. */
  settle(emission: Emission, settlement: Settlement, at: number): Step | undefined {
    const channel = this.twin.channels?.[emission.channel]
    const { step, failure } = this.#run(settledRequest, at, (state) => {
      state.label = `settled ${emission.kind}`
      channel?.settled?.(this.#call(settledRequest, at, state), emission, settlement)
      return dueReply
    })
    if (failure !== undefined) throw failure
    return isWrite(step) ? step : undefined
  }

  /** Whether the twin can answer at all: asks it a plain question, keeps nothing, and gives back the bug if there is one. */
  probe(at: number): unknown {
    const { failure } = this.#run(probeRequest, at, (state) => this.#wire(probeRequest, at, state))
    this.#takeBack(0)
    return failure
  }

  /** Lays recorded changes over the state: for restoring, and, inverted, for taking a step back. */
  apply(changes: Changes): void {
    for (const { collection, id, after } of changes) this.#tables[collection]?.put(id, after)
  }

  /** Sets one row, or deletes it, without a step: for restoring. */
  put(collection: string, key: string, row: Row | null): void {
    this.#tables[collection]?.put(key, row)
  }

  /** Whether nothing differs from the seed. */
  isUntouched(): boolean {
    return Object.values(this.#tables).every((table) => table.isUntouched())
  }

  snapshot(): Snapshot {
    const tables: Record<string, (readonly [string, Row | null])[]> = {}
    for (const [name, table] of Object.entries(this.#tables)) {
      const entries = [...table.entries()]
      if (entries.length > 0) tables[name] = entries
    }
    return { seedSha256: this.seed.sha256, tables }
  }

  restore(snapshot: Snapshot): void {
    if (snapshot.seedSha256 !== this.seed.sha256) throw new Error('the snapshot is of another seed')
    for (const [name, entries] of Object.entries(snapshot.tables))
      for (const [key, row] of entries) this.#tables[name]?.put(key, row)
  }

  /** What differs from the seed, public collections only, in the order of collections and keys. */
  diff(): Change[] {
    return Object.keys(this.#tables).flatMap((name) =>
      this.changedIds(name)
        .sort()
        .filter((id) => this.operationOn(name, id) !== undefined)
        .map((id) => this.changeOf(name, id)),
    )
  }

  /** Ids of rows that were written since the seed, whether or not they differ now; none of an internal collection. */
  changedIds(collection: string): string[] {
    const table = this.#tables[collection]
    return !table || table.spec.internal ? [] : [...table.entries()].map(([key]) => key)
  }

  /** What became of a row of the seed, or of a new one; undefined where it is as it was. */
  operationOn(collection: string, id: string): Change['operation'] | undefined {
    const table = this.#tables[collection]
    const before = table?.base.rows.get(id)
    const after = table?.get(id)
    if (before && after) return sameJson(before, after) ? undefined : 'update'
    return after ? 'create' : before ? 'delete' : undefined
  }

  /** A row as the seed has it and as it is now. */
  changeOf(collection: string, id: string): Change {
    const table = this.#tables[collection]
    return change(collection, id, table?.base.rows.get(id) ?? null, table?.get(id) ?? null)
  }

  /** A hash of the whole state: equal states have equal digests, whichever way they came about. */
  digest(): string {
    const differing = Object.entries(this.#tables).flatMap(([name, table]) =>
      [...table.entries()]
        .filter(([key, row]) => !sameJson(table.base.rows.get(key) ?? null, row))
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, row]) => [name, key, row]),
    )
    return sha256(canonicalJson([this.seed.sha256, differing]))
  }

  #run(
    request: TwinRequest,
    at: number,
    work: (state: SessionState) => TwinReply,
  ): { step: Step; failure?: unknown } {
    this.#undo = []
    this.#emissions = []
    const state: SessionState = {
      ...{ actor: undefined, label: undefined },
      ...{ operations: [], notEmulated: [], withheld: [] },
    }
    try {
      const reply = work(state)
      if (this.#undo.length > 0) this.twin.afterStep?.(this.#call(request, at, state), () => this.#changes())
      return { step: this.#finish(request, at, state, reply) }
    } catch (failure) {
      this.#takeBack(0)
      this.#emissions = []
      const reply = this.twin.fault({ kind: 'internal' }, request)
      return { step: this.#finish(request, at, state, reply), failure }
    }
  }

  #finish(request: TwinRequest, at: number, state: SessionState, reply: TwinReply): Step {
    return {
      request,
      reply,
      at,
      operation: state.label ?? state.operations[0] ?? `${request.method} ${request.path}`,
      actor: state.actor,
      changes: this.#changes(),
      notEmulated: state.notEmulated,
      emissions: this.#emissions,
      ...(state.withheld.length > 0 ? { withheld: state.withheld } : {}),
    }
  }

  #wire(request: TwinRequest, at: number, state: SessionState): TwinReply {
    return this.twin.wire(request, this.#session(request, at, state))
  }

  #session(request: TwinRequest, now: number, state: SessionState): Session {
    return {
      views: this.#tables,
      now,
      principals: this.principals,
      baseUrl: request.baseUrl,
      authenticate: (actor) => {
        state.actor = actor
      },
      get actor() {
        return state.actor
      },
      call: <O>(name: string, input: unknown): O =>
        this.#operate(name, input, this.#call(request, now, state), state) as O,
      atomic: (work) => this.#atomic(work),
      label: (name) => {
        state.label = name
      },
      notEmulated: (what) => {
        state.notEmulated.push(what)
      },
      askedFor: (permission) => {
        if (isWithheld(this.#tables, state.actor?.subject ?? '', permission)) state.withheld.push(permission)
      },
    }
  }

  #call(request: TwinRequest, now: number, state: SessionState): Call {
    return {
      tables: this.#tables,
      actor: state.actor,
      now,
      sequence: (name) => this.#sequence(name),
      draw: (name) => sha256(`${this.seed.sha256}:${name}:${this.#sequence(`draw ${name}`)}`),
      principals: this.principals,
      baseUrl: request.baseUrl,
      emit: (emission) => this.#emit(emission),
    }
  }

  #emit(emission: Emission): void {
    if (!this.twin.channels?.[emission.channel])
      throw new Error(`${this.twin.kind} has no channel ${emission.channel}`)
    if (this.#emissions.length >= maxEmissions) throw new Error(`a step emits at most ${maxEmissions} times`)
    this.#emissions.push(emission)
  }

  #operate(name: string, input: unknown, call: Call, state: SessionState): unknown {
    const operation = this.twin.operations[name]
    if (!operation) throw new Error(`${this.twin.kind} has no operation ${name}`)
    state.operations.push(name)
    const start = this.#undo.length
    const emitted = this.#emissions.length
    return this.#atomic(() => {
      const parsed = operation.input ? operation.input.parse(input) : input
      requirePermission(this, { name, input: parsed, ...state })
      const output = operation.run(call, parsed)
      if (operation.effect === 'read' && this.#undo.length + this.#emissions.length > start + emitted)
        throw new Error(`${name} is a read and changed something`)
      return output
    })
  }

  #atomic<O>(work: () => O): O {
    const start = this.#undo.length
    const emitted = this.#emissions.length
    try {
      return work()
    } catch (error) {
      this.#takeBack(start)
      this.#emissions.length = emitted
      throw error
    }
  }

  #takeBack(start: number): void {
    for (const { table, key, before } of this.#undo.splice(start).reverse()) table.put(key, before)
  }

  /** What the step did: one change a row, from how it was before the step to how it is now. */
  #changes(): Changes {
    if (this.#undo.length === 0) return unchanged
    const firsts = new Map<string, Undo>()
    for (const undo of this.#undo) {
      const place = `${undo.table.collection} ${undo.key}`
      if (!firsts.has(place)) firsts.set(place, undo)
    }
    const changes: Change[] = []
    for (const { table, key, before } of firsts.values()) {
      const after = table.get(key) ?? null
      if (before === after || (before && after && sameJson(before, after))) continue
      changes.push(change(table.collection, key, before, after))
    }
    return changes
  }

  #sequence(name: string): number {
    const table = this.#tables[seriesTable]
    const row = table?.get(name)
    const value = (typeof row?.value === 'number' ? row.value : 0) + 1
    if (row) table?.update(name, { value })
    else table?.insert({ name, value })
    return value
  }

  #check(table: OverlayTable, row: Row): void {
    if (!this.#strict) return
    table.spec.row.parse(row)
    deepFreeze(row)
  }
}

const unchanged: Changes = []
const maxEmissions = 10_000

/** Whether a step changed or sent something, and so belongs to the lane of writes. */
export const isWrite = ({ changes, emissions }: Pick<Step, 'changes' | 'emissions'>): boolean =>
  changes.length > 0 || emissions.length > 0

/** What the ledger records as the request of a step that no caller made. */
export const internalRequest = (method: string): TwinRequest => ({
  method,
  path: '/',
  query: '',
  headers: {},
  body: new Uint8Array(),
  baseUrl: '',
})
const dueRequest = internalRequest('DUE')
const settledRequest = internalRequest('SETTLED')
const dueReply: TwinReply = { status: 200, headers: {}, body: '' }
const probeRequest = internalRequest('GET')

interface SessionState {
  actor: Actor | undefined
  label: string | undefined
  operations: string[]
  notEmulated: string[]
  withheld: string[]
}

const deepFreeze = (value: unknown): void => {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return
  Object.freeze(value)
  for (const item of Object.values(value)) deepFreeze(item)
}
