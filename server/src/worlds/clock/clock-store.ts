import type { ClockMode, WorldEventBlueprint } from '@diorama/contract/blueprint/moving'
import type { Insertable, Kysely, Selectable, Transaction } from 'kysely'
import { type LastStep, lastSteps, type MovingStep, movingSteps } from '../../twins/ledger/moving-steps.ts'
import type { TwinRow } from '../../twins/store.ts'
import type { TwinTables } from '../../twins/tables.ts'
import type { WorldTables } from '../tables.ts'
import type { ClockSetting } from './clock.ts'

export type ClockRow = Selectable<WorldTables['world_clocks']>
/** Clocks are of worlds, and so are the steps of twins by which they are restored. */
type Tables = WorldTables & TwinTables
export type ClockDb = Kysely<Tables> | Transaction<Tables>

/** The SQL of clocks. */
export interface ClockStore {
  readonly insert: (row: Insertable<WorldTables['world_clocks']>, trx?: ClockDb) => Promise<void>
  readonly find: (id: string) => Promise<ClockRow | undefined>
  readonly ofWorld: (worldId: string) => Promise<ClockRow | undefined>
  readonly twins: (clockId: string) => Promise<TwinRow[]>
  /** Saves where the clock is and how it runs; nothing where another node runs the world by now. */
  readonly save: (id: string, owner: string, setting: ClockSetting, script?: string) => Promise<boolean>
  readonly halt: (id: string, reason: string) => Promise<void>
  /** Back to the start, with nothing fired; forgets events that were added. */
  readonly reset: (id: string, by: { at: Date; owner: string }) => Promise<void>
  /** Gives the twins of a world a clock, run by this node; undefined where it has got one meanwhile. */
  readonly adopt: (row: Insertable<WorldTables['world_clocks']>, owner: string) => Promise<boolean>
  readonly movingSteps: (twinIds: readonly string[]) => Promise<MovingStep[]>
  /** The last step in each lane of each twin's present life. */
  readonly lastSteps: (clockId: string) => Promise<LastStep[]>
  readonly events: (clockId: string, life: number) => Promise<AddedEvent[]>
  /** False where the key is taken. */
  readonly addEvent: (clockId: string, life: number, event: AddedEvent) => Promise<boolean>
}

export interface AddedEvent {
  readonly definition: WorldEventBlueprint
  readonly addedAt: number
}

export const clockStore = (db: ClockDb): ClockStore => ({
  insert: async (row, trx = db) => {
    await trx.insertInto('world_clocks').values(row).execute()
  },
  find: (id) => db.selectFrom('world_clocks').selectAll().where('id', '=', id).executeTakeFirst(),
  ofWorld: (worldId) =>
    db.selectFrom('world_clocks').selectAll().where('world_id', '=', worldId).executeTakeFirst(),
  twins: (clockId) =>
    db.selectFrom('twins').selectAll().where('clock_id', '=', clockId).orderBy('position').execute(),

  save: async (id, owner, { mode, factor, storyAt, wallAt }, script) => {
    const saved = await db
      .updateTable('world_clocks')
      .set({
        mode,
        factor,
        story_at: new Date(storyAt),
        wall_at: new Date(wallAt),
        ...(script === undefined ? {} : { script }),
      })
      .where('id', '=', id)
      .where('owner', '=', owner)
      .executeTakeFirst()
    return saved.numUpdatedRows > 0n
  },

  halt: async (id, reason) => {
    await db.updateTable('world_clocks').set({ halted: reason }).where('id', '=', id).execute()
  },

  reset: async (id, { at, owner }) => {
    await db
      .updateTable('world_clocks')
      .set((eb) => ({
        life: eb('life', '+', 1),
        story_at: eb.ref('starts_at'),
        wall_at: at,
        halted: null,
        owner,
      }))
      .where('id', '=', id)
      .execute()
  },

  adopt: (row, owner) =>
    db.transaction().execute(async (trx) => {
      const made = await trx
        .insertInto('world_clocks')
        .values(row)
        .onConflict((conflict) => conflict.doNothing())
        .returning('id')
        .executeTakeFirst()
      if (!made || !row.world_id) return false
      await trx
        .updateTable('twins')
        .set({ clock_id: row.id, owner })
        .where('world_id', '=', row.world_id)
        .execute()
      return true
    }),

  movingSteps: (twinIds) => movingSteps(db, twinIds),
  lastSteps: (clockId) => lastSteps(db, clockId),

  events: async (clockId, life) => {
    const rows = await db
      .selectFrom('world_events')
      .select(['definition', 'added_at'])
      .where('clock_id', '=', clockId)
      .where('life', '=', life)
      .orderBy('added_at')
      .orderBy('key')
      .execute()
    return rows.map(({ definition, added_at }) => ({
      definition: JSON.parse(definition) as WorldEventBlueprint,
      addedAt: added_at.getTime(),
    }))
  },

  addEvent: async (clockId, life, { definition, addedAt }) => {
    const made = await db
      .insertInto('world_events')
      .values({
        clock_id: clockId,
        life,
        key: definition.key,
        definition: JSON.stringify(definition),
        added_at: new Date(addedAt),
      })
      .onConflict((conflict) => conflict.doNothing())
      .returning('key')
      .executeTakeFirst()
    return made !== undefined
  },
})

export const settingOf = (row: ClockRow): ClockSetting => ({
  mode: row.mode as ClockMode,
  factor: row.factor,
  storyAt: row.story_at.getTime(),
  wallAt: row.wall_at.getTime(),
})
