import { type Kysely, sql, type Transaction } from 'kysely'
import type { TwinTables } from '../tables.ts'

type Db = Kysely<TwinTables> | Transaction<TwinTables>

/** A step by which a world moved: something it did on its own, or that set something in motion. */
export interface MovingStep {
  readonly mark: string | null
  readonly sets: string | null
  readonly world_time: Date
}

export const movingSteps = async (db: Db, twinIds: readonly string[]): Promise<MovingStep[]> => {
  const { rows } = await sql<MovingStep>`
    select mark, sets, world_time from twin_steps
    where twin_id = any (${[...twinIds]}::text[]) and (mark is not null or sets is not null)
    order by id collate "C"`.execute(db)
  return rows
}

export interface LastStep {
  readonly world_time: Date
  readonly operation: string
  readonly cause: string | null
}

/** The last step in each lane of the present life of each twin of a clock. */
export const lastSteps = async (db: Db, clockId: string): Promise<LastStep[]> => {
  const { rows } = await sql<LastStep>`
    select step.world_time, step.operation, step.cause
    from twins, (values (false), (true)) as lane (is_read), lateral (
      select world_time, operation, cause from twin_steps
      where twin_id = twins.id and twin_steps.epoch = twins.epoch and twin_steps.is_read = lane.is_read
      order by seq desc limit 1) as step
    where twins.clock_id = ${clockId}`.execute(db)
  return rows
}
