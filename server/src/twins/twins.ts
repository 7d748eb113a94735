import { liveStatuses, type TwinInstanceRecord } from '@diorama/contract/twins'
import { Instance } from '@diorama/twin-kit/kernel/instance'
import type { FrozenSeed } from '@diorama/twin-kit/kernel/seed'
import { integration, type Principal } from '@diorama/twin-kit/kernel/twin'
import type { Kysely, Transaction } from 'kysely'
import { ApiError, notFound } from '../http/api-error.ts'
import type { Caller } from '../http/handler.ts'
import type { Log } from '../storage/log.ts'
import type { Host } from './host.ts'
import type { Node } from './placement/nodes.ts'
import { isLive } from './placement/placements.ts'
import { type TwinPlace, twinRecord } from './records.ts'
import type { NewTwin, TwinRow, TwinStore } from './store.ts'
import type { TwinTables } from './tables.ts'

const strandedAfterMs = 30_000
/** A twin that was idle for this long is evicted from memory. */
const idleMs = 15 * 60_000
const secretBytes = 24

export interface TwinParts {
  readonly db: Kysely<TwinTables>
  readonly store: TwinStore
  readonly host: Host
  readonly node: Node
  readonly log: Log
  readonly now: () => number
  readonly random: (bytes: number) => Uint8Array
  readonly makeId: (prefix: string) => string
  readonly place: () => TwinPlace
}

/** What is needed to start one twin. */
export interface TwinOrder {
  readonly organizationId: string
  readonly createdBy: string
  readonly worldId: string | null
  readonly position: number
  readonly seed: FrozenSeed
  readonly entityCount: number
  readonly environmentVersionId: string | null
  /** The dataset version whose rows the seed holds. */
  readonly datasetVersionId?: string | null
  readonly trialId: string | null
  /** The clock that it shares with the other twins of its world. */
  readonly clockId?: string | null
  readonly ttlMs: number
}

export interface Twins {
  readonly store: TwinStore
  /** The health gate: a twin runs when it can answer. */
  readonly provision: (row: TwinRow) => Promise<TwinRow>
  readonly reset: (row: TwinRow) => Promise<TwinRow>
  readonly stop: (rows: readonly TwinRow[]) => Promise<TwinRow[]>
  readonly newRow: (order: TwinOrder, status: 'provisioning' | 'running') => NewTwin & { id: string }
  readonly rowOf: (made: NewTwin & { id: string }) => TwinRow
  readonly checkCapacity: (
    caller: Pick<Caller, 'organizationId' | 'limits'>,
    wanted: number,
    trx: Transaction<TwinTables>,
  ) => Promise<void>
  readonly require: (organizationId: string, id: string) => Promise<TwinRow>
  readonly shown: (row: TwinRow) => TwinInstanceRecord
  readonly create: (
    caller: Caller,
    order: Omit<TwinOrder, 'organizationId' | 'createdBy'>,
  ) => Promise<TwinRow>
  /** Copies of a world's seeds for a trial: they run at once, since the seeds have passed the gate before. */
  readonly fork: (orders: readonly TwinOrder[]) => Promise<TwinRow[]>
  /** Ends twins whose time has passed, also while the service was down. */
  readonly sweepExpired: () => Promise<void>
  /** Finishes what a process that ended had left in provisioning. */
  readonly sweepStranded: (olderThanMs?: number) => Promise<void>
  /** Asks every twin in memory whether it can answer; one that cannot is degraded until it can again. */
  readonly sweepHealth: () => Promise<void>
  /** Evicts idle twins from memory; the next request brings them back. */
  readonly sweepIdle: () => Promise<void>
}

/** The rules of a twin's life. */
export const openTwins = (parts: TwinParts): Twins => {
  const { store, host, node, log, now, random, makeId, place } = parts

  const principalsFor = (seed: FrozenSeed): Principal[] => {
    const { bare, subjects } = accountsOf(seed)
    const secrets = Buffer.from(random(subjects.length * secretBytes))
    return subjects.map((subject, n) => {
      const secret = secrets.subarray(n * secretBytes, (n + 1) * secretBytes).toString('hex')
      return { subject, token: seed.twin.token(subject, secret, bare.tables) }
    })
  }

  const newRow = (order: TwinOrder, status: 'provisioning' | 'running'): NewTwin & { id: string } => {
    const at = new Date(now())
    return {
      id: makeId('twn'),
      organization_id: order.organizationId,
      world_id: order.worldId,
      position: order.position,
      service: order.seed.twin.kind,
      status,
      seed_sha256: order.seed.sha256,
      entity_count: order.entityCount,
      principals: JSON.stringify(principalsFor(order.seed)),
      environment_version_id: order.environmentVersionId,
      dataset_version_id: order.datasetVersionId ?? null,
      trial_id: order.trialId,
      created_by: order.createdBy,
      created_at: at,
      updated_at: at,
      expires_at: new Date(at.getTime() + order.ttlMs),
      seeded_at: at,
      error: null,
      owner: node.holder,
      clock_id: order.clockId ?? null,
    }
  }

  const rowOf = (made: NewTwin & { id: string }): TwinRow =>
    ({ ...made, principals: JSON.parse(made.principals), epoch: 0 }) as TwinRow

  const provision = async (row: TwinRow): Promise<TwinRow> => {
    try {
      const twin = await host.adopt(row)
      const failure = await host.probe(twin)
      if (failure !== undefined) throw new Error(failure.split('\n')[0])
      const [running] = await store.setStatus([row.id], {
        status: 'running',
        from: ['provisioning'],
        at: new Date(now()),
        epoch: row.epoch,
      })
      if (running) twin.row = running
      if (running?.owner !== node.holder) host.evict(twin)
      return running ?? (await store.findAny(row.id)) ?? row
    } catch (error) {
      host.forget(row.id)
      log.error({ event: 'twin.provision_failed', twin: row.id, error }, 'A twin could not be provisioned.')
      const message = error instanceof Error ? error.message : String(error)
      const failed = {
        status: 'failed' as const,
        from: ['provisioning' as const],
        at: new Date(now()),
        error: message,
      }
      const [ended] = await store.setStatus([row.id], failed)
      return ended ?? row
    }
  }

  const requireRow = async (organizationId: string, id: string): Promise<TwinRow> => {
    const row = await store.find(organizationId, id)
    if (!row) throw notFound('twin')
    return row
  }

  const siblingsOf = async ({ world_id, trial_id }: TwinRow): Promise<readonly TwinRow[]> => {
    if (world_id !== null) return store.ofWorlds([world_id])
    return trial_id === null ? [] : store.ofTrial(trial_id)
  }

  const reset = async (row: TwinRow): Promise<TwinRow> => {
    if (!isLive(row))
      throw new ApiError('conflict', `The twin is ${row.status}; only a live twin can be reset.`)
    const restarted = await store.restart(row.id, { at: new Date(now()), owner: node.holder })
    if (!restarted) throw new ApiError('conflict', 'The twin is no longer live.')
    host.forget(row.id)
    await host.announce(row.id)
    // The others of its world run here as well from now on.
    if (restarted.clock_id !== null)
      for (const { id } of await siblingsOf(restarted)) if (id !== row.id) await host.announce(id)
    provision(restarted).catch((error) =>
      log.error({ event: 'twin.reset_failed', twin: row.id, error }, 'A reset did not finish.'),
    )
    return restarted
  }

  const stop = async (rows: readonly TwinRow[]): Promise<TwinRow[]> => {
    const ended = await store.setStatus(
      rows.map(({ id }) => id),
      { status: 'stopped', from: liveStatuses, at: new Date(now()) },
    )
    for (const { id } of ended) host.forget(id)
    await Promise.all(ended.map(({ id }) => host.announce(id)))
    const byId = new Map(ended.map((row) => [row.id, row]))
    return rows.map((row) => byId.get(row.id) ?? row)
  }

  const checkCapacity = async (
    caller: Pick<Caller, 'organizationId' | 'limits'>,
    wanted: number,
    trx: Transaction<TwinTables>,
  ) => {
    await store.lockCapacity(caller.organizationId, trx)
    const used = await store.countLive(caller.organizationId, trx)
    const room = caller.limits.live_twins
    if (used + wanted > room)
      throw new ApiError(
        'capacity_exceeded',
        `The organization may have ${room} live twins; ${used} are live and ${wanted} more are needed.`,
      )
  }

  return {
    store,
    provision,
    reset,
    stop,
    newRow,
    rowOf,
    checkCapacity,
    require: requireRow,
    shown: (row: TwinRow): TwinInstanceRecord => twinRecord(row, place()),

    create: async (
      caller: Caller,
      order: Omit<TwinOrder, 'organizationId' | 'createdBy'>,
    ): Promise<TwinRow> => {
      const made = newRow(
        { ...order, organizationId: caller.organizationId, createdBy: caller.keyId },
        'provisioning',
      )
      await parts.db.transaction().execute(async (trx) => {
        await checkCapacity(caller, 1, trx)
        await store.insert([made], trx)
      })
      return provision(rowOf(made))
    },

    fork: async (orders: readonly TwinOrder[]): Promise<TwinRow[]> => {
      const made = orders.map((order) => newRow(order, 'running'))
      if (made.length === 0) return []
      await store.insert(made)
      const rows = made.map(rowOf)
      await Promise.all(rows.map((row) => host.adopt(row)))
      return rows
    },

    sweepExpired: async (): Promise<void> => {
      const ended = await store.expire()
      for (const { id } of ended) host.forget(id)
      await Promise.all(ended.map(({ id }) => host.announce(id)))
    },

    sweepStranded: async (olderThanMs = strandedAfterMs): Promise<void> => {
      for (const row of await store.stranded(new Date(now() - olderThanMs))) {
        const mine = await store.claim(row.id, node.holder)
        if (mine?.status === 'provisioning') await provision(mine)
      }
    },

    sweepHealth: async (): Promise<void> => {
      for (const twin of host.all()) {
        const failure = await host.probe(twin).catch(() => undefined)
        const [from, to] =
          failure === undefined ? (['degraded', 'running'] as const) : (['running', 'degraded'] as const)
        if (twin.row.status !== from) continue
        const error = failure === undefined ? null : `The health probe failed: ${failure.split('\n')[0]}`
        const [changed] = await store.setStatus([twin.id], {
          status: to,
          from: [from],
          at: new Date(now()),
          error,
        })
        if (changed) twin.row = changed
      }
    },

    sweepIdle: async (): Promise<void> => host.unloadIdle(idleMs),
  }
}

interface Accounts {
  /** A read-only copy, for reading the seed's tables. */
  readonly bare: Instance
  readonly subjects: readonly string[]
}

/** Who has an account in the twins of a seed. */
const accountsOf = (seed: FrozenSeed): Accounts => {
  const known = accounts.get(seed)
  if (known) return known
  const bare = new Instance({ seed, principals: [] })
  const people = seed.twin.identities(bare.tables).map(({ subject }) => subject)
  const made = { bare, subjects: [integration, ...people.filter((subject) => subject !== integration)] }
  accounts.set(seed, made)
  return made
}
/** Derived from a frozen seed and forgotten with it. */
const accounts = new WeakMap<FrozenSeed, Accounts>()
