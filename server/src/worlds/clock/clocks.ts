import type { ClockMode } from '@diorama/contract/blueprint/moving'
import type { TwinRequest } from '@diorama/twin-kit/kernel/twin'
import type { Log } from '../../storage/log.ts'
import type { Handled, Movement, WorldSteps } from '../../twins/isolates/movement.ts'
import type { PlacedTwin } from '../../twins/placement/placed-twin.ts'
import { isLive } from '../../twins/placement/placements.ts'
import type { ActsOf } from '../coworkers/coworkers.ts'
import type { Speak } from '../events/planned.ts'
import { type ClockDb, type ClockRow, type ClockStore, clockStore } from './clock-store.ts'
import { loadMovingWorld } from './load.ts'
import type { MovingWorld } from './moving-world.ts'
import { WorldStale } from './moving-world-deps.ts'
import { modeOf, type StoredScript } from './script.ts'
import type { WorldClock } from './world-clock.ts'

/** A clock for the twins of a world, or of a trial. */
export interface ClockOrder {
  readonly id: string
  readonly organizationId: string
  readonly worldId: string | null
  readonly trialId: string | null
  /** The story's time at the start. */
  readonly startsAt: number
  readonly script: StoredScript
}

/** The worlds of this node whose twins share a clock. */
export interface WorldClocks {
  /** Lets requests to twins with a clock pass through their world. */
  readonly connect: (steps: WorldSteps) => Movement
  /** Writes down a new clock; the twins that name it share it. */
  readonly create: (order: ClockOrder, trx?: ClockDb) => Promise<void>
  /**
   * Works in the world of that clock, loaded again where it turns out to be stale; fails with `WorldElsewhere` where
   * another node runs it.
   */
  readonly within: <T>(clockId: string, work: (world: MovingWorld) => Promise<T>) => Promise<T>
  /**
   * The clock of a world that this node runs, also after the world had to be loaded again. `speak` words what people say
   * there, where models play them.
   */
  readonly follow: (clockId: string, speak?: Speak) => Promise<WorldClock>
  /** Back to the start, with nothing happened; forgets events that were added. Nothing where the world has no clock. */
  readonly reset: (worldId: string) => Promise<void>
  /** Ends what this node keeps of a world. */
  readonly forget: (clockId: string) => void
  /** Gives the twins of a world that has none a clock that goes on from where they are. */
  readonly adopt: (order: ClockOrder & { storyAt: number; mode: ClockMode }) => Promise<boolean>
  readonly store: ClockStore
  readonly close: () => void
}

export interface ClockDeps {
  readonly db: ClockDb
  readonly now: () => number
  readonly holder: string
  readonly log: Log
  /** How people act in the twins of a service. */
  readonly actsOf: ActsOf
  /** Words what people say where models play them, by the models of an organization. */
  readonly speak: (organizationId: string) => Speak
}

/** Another node runs the world, or none does at the moment. */
export class WorldElsewhere extends Error {
  override readonly name = 'WorldElsewhere'
}

const maxTries = 3
const maxWorlds = 10_000

export const createWorldClocks = (deps: ClockDeps): WorldClocks => {
  const { db, now, holder } = deps
  const store = clockStore(db)
  const worlds = new Map<string, Promise<MovingWorld>>()
  let steps: WorldSteps | undefined

  /** Words what people say, in worlds that have a model for it. */
  const players = new Map<string, Speak>()
  /** The last that was loaded of each clock. */
  const latest = new Map<string, MovingWorld>()

  const drop = (clockId: string): void => {
    worlds.get(clockId)?.then((world) => world.close(), ignored)
    worlds.delete(clockId)
  }
  const forget = (clockId: string): void => {
    drop(clockId)
    latest.delete(clockId)
    players.delete(clockId)
  }

  const load = async (clockId: string): Promise<MovingWorld> => {
    if (!steps) throw new Error('the clocks are not connected to the twins')
    const row = await store.find(clockId)
    if (!row) throw new WorldElsewhere(`there is no clock ${clockId}`)
    const twins: PlacedTwin[] = []
    for (const { id } of (await store.twins(clockId)).filter(isLive)) {
      const twin = await steps.find(id)
      if (twin === 'elsewhere') throw new WorldElsewhere('another node runs the world')
      if (twin !== 'ended') twins.push(twin)
    }
    const before = latest.get(clockId)
    const earlier = {
      addressed: before?.addressed() ?? [],
      isCautious: before?.hasLostBatch() ?? false,
      reached: before?.now(),
    }
    const speak = (of: ClockRow) => players.get(of.id) ?? deps.speak(of.organization_id)
    const world = await loadMovingWorld({ ...deps, store, steps, speak }, row, twins, earlier)
    latest.set(clockId, world)
    return world
  }

  const open = async (clockId: string): Promise<MovingWorld> => {
    const known = worlds.get(clockId)
    if (known) {
      const world = await known
      if (world.isCurrent()) return world
      if (worlds.get(clockId) === known) drop(clockId)
      return open(clockId)
    }
    // The longest known goes first; what it is about is in the ledger, and it is loaded again when it is used.
    const [oldest] = worlds.size >= maxWorlds ? worlds.keys() : []
    if (oldest !== undefined) forget(oldest)
    const loading = load(clockId)
    worlds.set(clockId, loading)
    loading.catch(() => {
      if (worlds.get(clockId) === loading) worlds.delete(clockId)
    })
    return loading
  }

  /** Does something in a world; one that turns out to be stale is loaded again. */
  const within = async <T>(clockId: string, work: (world: MovingWorld) => Promise<T>): Promise<T> => {
    for (let tries = 1; ; tries++) {
      const world = await open(clockId)
      try {
        return await work(world)
      } catch (error) {
        if (!(error instanceof WorldStale) || tries >= maxTries) throw error
        drop(clockId)
      }
    }
  }

  /** The twin as it is now: it may have been loaded again since it was found. */
  const presentIn = async (world: MovingWorld, { id }: PlacedTwin): Promise<PlacedTwin> => {
    const twin = await steps?.find(id)
    if (twin === undefined || typeof twin === 'string')
      throw new WorldElsewhere(`the twin ${id} has ended or is run by another node`)
    if (!world.holds(twin)) throw new WorldStale('a twin of the world was loaded again')
    return twin
  }

  const handle = (clockId: string, twin: PlacedTwin, request: TwinRequest): Promise<Handled> =>
    within(clockId, async (world) => world.handle(await presentIn(world, twin), request))

  const follow = async (clockId: string, speak?: Speak): Promise<WorldClock> => {
    if (speak) players.set(clockId, speak)
    const first = await open(clockId)
    const world = (): MovingWorld => latest.get(clockId) ?? first
    return {
      mode: () => world().mode(),
      now: () => world().now(),
      nextDue: () => world().nextDue(),
      view: () => world().view(),
      heard: () => world().heard(),
      addressed: () => world().addressed(),
      facts: () => world().facts(),
      advance: (move) => within(clockId, (current) => current.advance(move)),
      settle: () => within(clockId, (current) => current.settle()),
    }
  }

  const rowOf = (order: ClockOrder) => ({
    id: order.id,
    organization_id: order.organizationId,
    world_id: order.worldId,
    trial_id: order.trialId,
    mode: modeOf(order.script.time, order.trialId !== null),
    factor: order.script.time.factor,
    story_at: new Date(order.startsAt),
    wall_at: new Date(now()),
    starts_at: new Date(order.startsAt),
    script: JSON.stringify(order.script),
    halted: null,
    owner: holder,
  })

  return {
    store,
    within,
    follow,
    forget,
    reset: async (worldId) => {
      const row = await store.ofWorld(worldId)
      if (!row) return
      await store.reset(row.id, { at: new Date(now()), owner: holder })
      forget(row.id)
    },
    connect: (connected) => {
      steps = connected
      return {
        handle,
        settle: async (clockId, twin) => {
          const { now: time } = await within(clockId, async (world) => {
            await presentIn(world, twin)
            return world.settle()
          })
          return time
        },
        perform: (clockId, twin, work) =>
          within(clockId, async (world) => {
            await presentIn(world, twin)
            return world.perform(work)
          }),
      }
    },
    create: (order, trx) => store.insert(rowOf(order), trx),
    adopt: ({ storyAt, mode, ...order }) =>
      store.adopt({ ...rowOf(order), mode, story_at: new Date(storyAt) }, holder),
    close: () => {
      for (const clockId of [...worlds.keys()]) forget(clockId)
    },
  }
}

const ignored = (): void => undefined

/** The clock of a world that has one and is run by this node. */
export const clockOfTwins = async (
  clocks: Pick<WorldClocks, 'follow'>,
  rows: readonly { readonly clock_id: string | null }[],
): Promise<WorldClock | undefined> => {
  const clockId = rows[0]?.clock_id ?? null
  if (clockId === null) return undefined
  return clocks.follow(clockId).catch((error) => {
    if (error instanceof WorldElsewhere) return undefined
    throw error
  })
}
