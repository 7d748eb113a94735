import type { FrozenTask, SuiteProof } from '@diorama/contract'
import { type Insertable, type Kysely, type Selectable, sql, type Transaction, type Updateable } from 'kysely'
import { encodeCursor, keysetPage, type Page, wholePosition } from '../storage/pages.ts'
import type { SuiteTables } from './tables.ts'

export type SuiteRow = Selectable<SuiteTables['task_suites']> & {
  task_count: number | null
  latest_version_id: string | null
}
export type TaskRow = Selectable<SuiteTables['tasks']>
export type VersionRow = Selectable<SuiteTables['suite_versions']>
type Db = Kysely<SuiteTables> | Transaction<SuiteTables>
type PageRequest = { limit: number; cursor?: string | undefined }

export interface FrozenContent {
  readonly name: string
  readonly description: string
  readonly tasks: readonly FrozenTask[]
}

export interface SuiteStore {
  readonly namesOf: (ids: readonly string[]) => Promise<Map<string, string>>
  readonly insert: (suite: Insertable<SuiteTables['task_suites']>, trx?: Db) => Promise<unknown>
  readonly find: (organizationId: string, id: string) => Promise<SuiteRow | undefined>
  readonly list: (
    organizationId: string,
    filter: { include_archived?: boolean | undefined },
    page: PageRequest,
  ) => Promise<Page<SuiteRow>>
  readonly update: (id: string, change: Updateable<SuiteTables['task_suites']>) => Promise<unknown>
  readonly insertTask: (task: Insertable<SuiteTables['tasks']>, trx?: Db) => Promise<TaskRow>
  readonly findTask: (suiteId: string, id: string) => Promise<TaskRow | undefined>
  /** In the order in which they were added. */
  readonly listTasks: (suiteId: string, pageRequest: PageRequest) => Promise<Page<TaskRow>>
  readonly allTasks: (suiteId: string, trx?: Db) => Promise<TaskRow[]>
  readonly updateTask: (id: string, change: Updateable<SuiteTables['tasks']>) => Promise<TaskRow | undefined>
  readonly deleteTask: (id: string) => Promise<unknown>
  /** Keeps the working copy and the numbers of versions still until the transaction ends. */
  readonly lock: (suiteId: string, trx: Db) => Promise<unknown>
  readonly latestVersion: (suiteId: string, trx?: Db) => Promise<VersionRow | undefined>
  readonly insertVersion: (version: Insertable<SuiteTables['suite_versions']>, trx: Db) => Promise<VersionRow>
  readonly findVersion: (suiteId: string, id: string) => Promise<VersionRow | undefined>
  /** Parts of a suite may be proved at the same time: each is added to what is there. */
  readonly saveProof: (
    versionId: string,
    add: (earlier: SuiteProof | undefined) => SuiteProof,
  ) => Promise<unknown>
  readonly listVersions: (suiteId: string, page: PageRequest) => Promise<Page<VersionRow>>
}

/** The SQL of suites, tasks and versions. */
export const suiteStore = (db: Kysely<SuiteTables>): SuiteStore => {
  const suites = (from: Db = db) =>
    from
      .selectFrom('task_suites')
      .selectAll('task_suites')
      .select((eb) => [
        eb
          .selectFrom('tasks')
          .whereRef('tasks.suite_id', '=', 'task_suites.id')
          .select((count) => count.fn.countAll<number>().as('count'))
          .as('task_count'),
        eb
          .selectFrom('suite_versions')
          .whereRef('suite_versions.suite_id', '=', 'task_suites.id')
          .select('suite_versions.id')
          .orderBy('number', 'desc')
          .limit(1)
          .as('latest_version_id'),
      ])

  return {
    namesOf: async (ids: readonly string[]): Promise<Map<string, string>> => {
      if (ids.length === 0) return new Map()
      const rows = await db
        .selectFrom('task_suites')
        .select(['id', 'name'])
        .where('id', 'in', [...ids])
        .execute()
      return new Map(rows.map(({ id, name }) => [id, name]))
    },

    insert: (suite: Insertable<SuiteTables['task_suites']>, trx: Db = db) =>
      trx.insertInto('task_suites').values(suite).execute(),

    find: (organizationId: string, id: string): Promise<SuiteRow | undefined> =>
      suites().where('organization_id', '=', organizationId).where('id', '=', id).executeTakeFirst(),

    list: (organizationId: string, filter: { include_archived?: boolean | undefined }, page: PageRequest) => {
      let query = suites().where('organization_id', '=', organizationId)
      if (!filter.include_archived) query = query.where('archived_at', 'is', null)
      return keysetPage(query, {
        column: 'created_at',
        ...page,
        position: (row) => ({ at: row.created_at, id: row.id }),
      })
    },

    update: (id: string, change: Updateable<SuiteTables['task_suites']>) =>
      db.updateTable('task_suites').set(change).where('id', '=', id).execute(),

    insertTask: (task: Insertable<SuiteTables['tasks']>, trx: Db = db): Promise<TaskRow> =>
      trx.insertInto('tasks').values(task).returningAll().executeTakeFirstOrThrow(),

    findTask: (suiteId: string, id: string): Promise<TaskRow | undefined> =>
      db
        .selectFrom('tasks')
        .selectAll()
        .where('suite_id', '=', suiteId)
        .where('id', '=', id)
        .executeTakeFirst(),

    listTasks: async (suiteId: string, { limit, cursor }: PageRequest) => {
      let query = db
        .selectFrom('tasks')
        .selectAll()
        .where('suite_id', '=', suiteId)
        .orderBy('position')
        .limit(limit + 1)
      if (cursor !== undefined) query = query.where('position', '>', wholePosition(cursor))
      const rows = await query.execute()
      const items = rows.slice(0, limit)
      const last = items.at(-1)
      const nextCursor = rows.length > limit && last ? encodeCursor({ at: last.position, id: last.id }) : null
      return { items, nextCursor }
    },

    allTasks: (suiteId: string, trx: Db = db): Promise<TaskRow[]> =>
      trx.selectFrom('tasks').selectAll().where('suite_id', '=', suiteId).orderBy('position').execute(),

    updateTask: (id: string, change: Updateable<SuiteTables['tasks']>): Promise<TaskRow | undefined> =>
      db.updateTable('tasks').set(change).where('id', '=', id).returningAll().executeTakeFirst(),

    deleteTask: (id: string) => db.deleteFrom('tasks').where('id', '=', id).execute(),

    lock: (suiteId: string, trx: Db) =>
      sql`select pg_advisory_xact_lock(hashtextextended(${`suite ${suiteId}`}, 0))`.execute(trx),

    latestVersion: (suiteId: string, trx: Db = db): Promise<VersionRow | undefined> =>
      trx
        .selectFrom('suite_versions')
        .selectAll()
        .where('suite_id', '=', suiteId)
        .orderBy('number', 'desc')
        .limit(1)
        .executeTakeFirst(),

    insertVersion: (version: Insertable<SuiteTables['suite_versions']>, trx: Db): Promise<VersionRow> =>
      trx.insertInto('suite_versions').values(version).returningAll().executeTakeFirstOrThrow(),

    findVersion: (suiteId: string, id: string): Promise<VersionRow | undefined> =>
      db
        .selectFrom('suite_versions')
        .selectAll()
        .where('suite_id', '=', suiteId)
        .where('id', '=', id)
        .executeTakeFirst(),

    saveProof: (versionId, add) =>
      db.transaction().execute(async (trx) => {
        const row = await trx
          .selectFrom('suite_versions')
          .select('proof')
          .where('id', '=', versionId)
          .forUpdate()
          .executeTakeFirst()
        const proof = add((row?.proof as SuiteProof | null | undefined) ?? undefined)
        await trx
          .updateTable('suite_versions')
          .set({ proof: JSON.stringify(proof) })
          .where('id', '=', versionId)
          .execute()
      }),

    listVersions: (suiteId: string, page: PageRequest) =>
      keysetPage(db.selectFrom('suite_versions').selectAll().where('suite_id', '=', suiteId), {
        column: 'number',
        ...page,
        position: (row) => ({ at: row.number, id: row.id }),
      }),
  }
}
