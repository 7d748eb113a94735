import { type ErrorDetail, WorldBlueprint } from '@diorama/contract'
import {
  type WorldEventBlueprint,
  WorldEventBlueprint as WorldEventBlueprintSchema,
} from '@diorama/contract/blueprint/moving'
import { durationMs } from '@diorama/contract/durations'
import { limitFaults } from '@diorama/contract/limits'
import type { ClockMove, WorldClock as ShownClock, WorldEvent } from '@diorama/contract/world-clock'
import { createFindings } from '@diorama/twin-kit/kernel/findings'
import { ApiError } from '../../http/api-error.ts'
import type { Caller } from '../../http/handler.ts'
import { summary } from '../../http/parse.ts'
import type { Host } from '../../twins/host.ts'
import { isLive } from '../../twins/placement/placements.ts'
import type { Registry } from '../../twins/registry.ts'
import type { TwinRow } from '../../twins/store.ts'
import type { Twins } from '../../twins/twins.ts'
import { checkEvents } from '../rules/events.ts'
import type { WorldRow } from '../store.ts'
import type { Worlds } from '../worlds.ts'
import { type WorldClocks, WorldElsewhere } from './clocks.ts'
import type { MovingWorld } from './moving-world.ts'
import { WorldStale } from './moving-world-deps.ts'
import { modeOf, scriptFrom } from './script.ts'
import type { ClockView, EventProgress } from './world-clock.ts'

export interface WorldTimeDeps {
  readonly worlds: Pick<Worlds, 'require'>
  readonly clocks: WorldClocks
  readonly host: Pick<Host, 'find' | 'announce' | 'forget' | 'inspect'>
  readonly twins: Pick<Twins, 'store'>
  readonly registry: Registry
  readonly now: () => number
  readonly makeId: (prefix: string) => string
}

/** The node that runs a world: this one, or the address of another. */
export type RunBy<T> = { readonly here: T } | { readonly at: string }

/** Reading and moving the time of worlds that were launched. */
export interface WorldTime {
  readonly read: (caller: Caller, worldId: string) => Promise<RunBy<ShownClock>>
  readonly move: (caller: Caller, worldId: string, move: ClockMove) => Promise<RunBy<ShownClock>>
  readonly events: (caller: Caller, worldId: string) => Promise<RunBy<{ items: WorldEvent[] }>>
  readonly addEvent: (
    caller: Caller,
    worldId: string,
    event: WorldEventBlueprint,
  ) => Promise<RunBy<WorldEvent>>
}

/** The calendar of the services goes no further. */
const latest = Date.parse('9000-01-01T00:00:00Z')

export const createWorldTime = (deps: WorldTimeDeps): WorldTime => {
  const { worlds, clocks, host, twins } = deps

  const liveTwins = async (world: WorldRow): Promise<TwinRow[]> => {
    const rows = (await twins.store.ofWorlds([world.id])).filter(isLive)
    if (rows.length === 0)
      throw new ApiError('conflict', 'The world has no live twin, so no time passes in it.')
    return rows
  }

  /** A world of which the blueprint says nothing gets its clock when somebody first wants to move it. */
  const give = async (world: WorldRow, rows: readonly TwinRow[]): Promise<void> => {
    const script = scriptFrom(world.blueprint)
    const times = await Promise.all(rows.map((row) => host.inspect(row, { what: 'clock', now: deps.now() })))
    const startsAt = Math.min(...times.map(({ seedClock }) => seedClock))
    await clocks.adopt({
      id: deps.makeId('clk'),
      organizationId: world.organization_id,
      worldId: world.id,
      trialId: null,
      startsAt,
      storyAt: Math.max(...times.map(({ worldTime }) => worldTime)),
      mode: modeOf(script.time, false),
      script,
    })
    for (const { id } of rows) await host.announce(id)
    for (const { id } of rows) host.forget(id)
  }

  /** Holds a new event against the world that it is added to, as a launch would. */
  const check = async (row: WorldRow, world: MovingWorld, event: WorldEventBlueprint): Promise<void> => {
    const blueprint = WorldBlueprint.safeParse(row.blueprint).data
    if (!blueprint)
      throw new ApiError('conflict', 'The world was made of rows and has no people who could act.')
    const findings = createFindings()
    findings.errors.push(...limitFaults(WorldEventBlueprintSchema, event, '/event'))
    const known = world.events().map(({ definition }) => definition)
    checkEvents(
      { events: [...known, event], at: (n) => (n === known.length ? '/event' : `/${n}`) },
      { blueprint, registry: deps.registry, findings },
    )
    if (findings.errors.length > 0) throw badEvent(findings.errors)
  }

  /** Works in the world where it runs. */
  const within = async <T>(
    caller: Caller,
    worldId: string,
    work: (world: MovingWorld, clockId: string) => Promise<T>,
  ): Promise<RunBy<T>> => {
    const world = await worlds.require(caller.organizationId, worldId)
    let rows = await liveTwins(world)
    if (rows.every(({ clock_id }) => clock_id === null)) {
      await give(world, rows)
      rows = await liveTwins(world)
    }
    const [first] = rows
    const clockId = first?.clock_id
    if (!first || !clockId) throw moving()
    const found = await host.find(first.id)
    if (found.at === 'elsewhere') return { at: found.address }
    try {
      return { here: await clocks.within(clockId, (moved) => work(moved, clockId)) }
    } catch (error) {
      throw error instanceof WorldElsewhere || error instanceof WorldStale ? moving() : error
    }
  }

  return {
    read: (caller, worldId) =>
      within(caller, worldId, async (world) => shownClock(await world.settle(), world)),
    move: (caller, worldId, move) => {
      let target = move.to === undefined ? undefined : Date.parse(move.to)
      const by = move.advance === undefined ? 0 : (durationMs(move.advance) ?? 0)
      return within(caller, worldId, async (world) => {
        if ((target ?? world.now() + by) > latest) throw badMove('/to', 'is too far away')
        if (move.to !== undefined && target !== undefined && target < world.now())
          throw badMove(
            '/to',
            `lies before the world's time, which is ${new Date(world.now()).toISOString()}`,
          )
        const { mode, factor, request_cost } = move
        if (mode !== undefined || factor !== undefined || request_cost !== undefined)
          await world.set({ mode, factor, requestCost: request_cost })
        // Kept for when the world is loaded again in the middle of the move: what it has moved by then counts.
        if (by > 0) target ??= world.now() + by
        return shownClock(
          target === undefined ? await world.settle() : await world.advance({ to: target }),
          world,
        )
      })
    },
    events: (caller, worldId) =>
      within(caller, worldId, async (world) => {
        await world.settle()
        return { items: world.events().map(shownEvent) }
      }),
    addEvent: (caller, worldId, event) => {
      let isKept = false
      return within(caller, worldId, async (world, clockId) => {
        // Where the world was loaded again after the event was written down, it has it.
        if (!isKept) {
          await check(await worlds.require(caller.organizationId, worldId), world, event)
          const row = await clocks.store.find(clockId)
          const added = { definition: event, addedAt: world.now() }
          if (!row || !(await clocks.store.addEvent(clockId, row.life, added)))
            throw badEvent([{ pointer: '/event/key', message: `is taken: ${event.key}` }])
          isKept = true
          await world.add(added)
        }
        const state = world.events().find(({ definition }) => definition.key === event.key)
        if (!state) throw moving()
        return shownEvent(state)
      })
    },
  }
}

const moving = (): ApiError =>
  new ApiError('unavailable', 'The world is moving to another node.', { retryAfterSeconds: 1 })

const badMove = (pointer: string, message: string): ApiError =>
  new ApiError('malformed', `${pointer} ${message}.`, { details: [{ pointer, message }] })

const badEvent = (details: readonly ErrorDetail[]): ApiError =>
  new ApiError('invalid_blueprint', summary('The event does not make sense', details), {
    details: [...details],
  })

const shownClock = (view: ClockView, world: MovingWorld): ShownClock => ({
  mode: view.mode,
  now: new Date(view.now).toISOString(),
  factor: view.factor,
  request_cost_seconds: world.requestCostMs() / 1_000,
  next_due: view.nextDue === undefined ? null : new Date(view.nextDue).toISOString(),
  pending: view.pending,
  fired: view.fired,
  error: view.halted,
})

const shownEvent = ({ definition, fired, nextAt }: EventProgress): WorldEvent => ({
  key: definition.key,
  status: nextAt !== undefined ? 'scheduled' : fired > 0 ? 'done' : 'waiting',
  next_at: nextAt === undefined ? null : new Date(nextAt).toISOString(),
  fired,
  definition: definition as unknown as Record<string, unknown>,
})
