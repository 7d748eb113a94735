import type { TableView, WritableTable } from '@diorama/twin-kit/kernel/table'
import type { Actor, Call, Session, Views, WritableTables } from '@diorama/twin-kit/kernel/twin'
import type { Budget } from './graphql/budget.ts'
import type { Grant } from './oauth/scopes.ts'
import type { EntityRow } from './rows.ts'
import { type EntityType, isEntityType, type TrackerTables } from './tables.ts'

/** What a resolver works with: the current state of the world, and the caller. */
export interface Context {
  readonly tables: Views<TrackerTables>
  readonly now: number
  readonly actor: Actor | undefined
  readonly baseUrl: string
  /** What the request may still cost; none where no caller waits for an answer. */
  readonly budget?: Budget
  /** Teams that the caller cannot see into, where they are known to stay the same during the request. */
  readonly hidden?: ReadonlySet<string>
}

/** The context of one GraphQL request; root fields call operations through it. */
export interface RequestContext extends Context {
  readonly session: Session<TrackerTables>
  readonly budget: Budget
  /** What the caller was granted, where it is an application. */
  readonly grant: Grant | undefined
  /** Whether the twin has an operation of this name. */
  readonly has: (operation: string) => boolean
}

export type TrackerCall = Call<TrackerTables>

/** The rows of a type that is known only by name. */
export const viewOf = (tables: Views<TrackerTables>, type: EntityType): TableView<EntityRow> => tables[type]

/** As above, for writing; what each type's rows must look like is checked by its table. */
export const tableOf = (tables: WritableTables<TrackerTables>, type: EntityType): WritableTable<EntityRow> =>
  tables[type] as WritableTable<EntityRow>

export const find = (context: Pick<Context, 'tables'>, type: string, id: unknown): EntityRow | undefined =>
  typeof id === 'string' && isEntityType(type) ? viewOf(context.tables, type).get(id) : undefined

/** The account that the request acts as; the wire has made sure that there is one. */
export const actorId = ({ actor }: Pick<Context, 'actor'>): string => {
  if (!actor) throw new Error('the call has no actor')
  return actor.id
}

/** There is one organization in a world. */
export const organizationOf = (
  context: Pick<Context, 'tables'>,
): EntityRow & { urlKey: string; name: string } => {
  for (const row of context.tables.Organization.all()) return row
  throw new Error('the world has no organization')
}
