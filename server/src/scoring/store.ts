import { type Scorer, ScorerDefinition } from '@diorama/contract'
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely'
import { keysetPage } from '../storage/pages.ts'
import type { ScorerTables } from './tables.ts'

type ScorerRow = Selectable<ScorerTables['scorers']> & { definition: Record<string, unknown> }
type Db = Kysely<ScorerTables> | Transaction<ScorerTables>

export interface ScorerStore {
  readonly list: (
    organizationId: string,
    filter: { kind?: string | undefined; include_archived?: boolean | undefined },
    page: { limit: number; cursor?: string | undefined },
  ) => Promise<{ items: Scorer[]; next_cursor: string | null }>
  readonly find: (organizationId: string, id: string) => Promise<Scorer | undefined>
  /** Those of the ids that the organization has, in their present version. */
  readonly findMany: (
    organizationId: string,
    ids: readonly string[],
    trx?: Db,
  ) => Promise<Map<string, Scorer>>
  /** Definitions of exact versions, by `id version`. */
  readonly definitions: (
    wanted: readonly { scorer_id: string; scorer_version: number }[],
    trx?: Db,
  ) => Promise<Map<string, ScorerDefinition>>
  readonly slugTaken: (organizationId: string, slug: string, trx?: Db) => Promise<string | undefined>
  /** The highest number behind a slug that was made from a name: 1 for the name alone, 0 where there is none. */
  readonly lastSlug: (organizationId: string, base: string, trx?: Db) => Promise<number>
  /** False when the slug is taken. */
  readonly insert: (
    scorer: { id: string; organizationId: string; slug: string; definition: ScorerDefinition; at: Date },
    trx?: Db,
  ) => Promise<boolean>
  readonly replace: (
    organizationId: string,
    id: string,
    change: { slug: string; definition: ScorerDefinition; at: Date },
  ) => Promise<void>
  readonly archive: (organizationId: string, id: string, at: Date) => Promise<unknown>
}

/** The SQL of the scorer library. */
export const scorerStore = (db: Kysely<ScorerTables>): ScorerStore => {
  const present = (from: Db = db) =>
    from
      .selectFrom('scorers')
      .innerJoin('scorer_versions', (join) =>
        join
          .onRef('scorer_versions.scorer_id', '=', 'scorers.id')
          .onRef('scorer_versions.version', '=', 'scorers.version'),
      )
      .selectAll('scorers')
      .select('scorer_versions.definition')

  return {
    list: async (
      organizationId: string,
      filter: { kind?: string | undefined; include_archived?: boolean | undefined },
      page: { limit: number; cursor?: string | undefined },
    ) => {
      let query = present().where('organization_id', '=', organizationId)
      if (!filter.include_archived) query = query.where('archived_at', 'is', null)
      if (filter.kind)
        query = query.where((eb) =>
          eb(eb.ref('scorer_versions.definition', '->>').key('kind'), '=', filter.kind ?? ''),
        )
      const { items, nextCursor } = await keysetPage(query, {
        column: 'scorers.created_at',
        idColumn: 'scorers.id',
        ...page,
        position: (row) => ({ at: row.created_at, id: row.id }),
      })
      return { items: items.map(toScorer), next_cursor: nextCursor }
    },

    find: async (organizationId: string, id: string): Promise<Scorer | undefined> => {
      const row = await present()
        .where('organization_id', '=', organizationId)
        .where('scorers.id', '=', id)
        .executeTakeFirst()
      return row && toScorer(row)
    },

    findMany: async (
      organizationId: string,
      ids: readonly string[],
      trx: Db = db,
    ): Promise<Map<string, Scorer>> => {
      if (ids.length === 0) return new Map()
      const rows = await present(trx)
        .where('organization_id', '=', organizationId)
        .where('scorers.id', 'in', [...ids])
        .execute()
      return new Map(rows.map((row) => [row.id, toScorer(row)]))
    },

    definitions: async (
      wanted: readonly { scorer_id: string; scorer_version: number }[],
      trx: Db = db,
    ): Promise<Map<string, ScorerDefinition>> => {
      if (wanted.length === 0) return new Map()
      const rows = await trx
        .selectFrom('scorer_versions')
        .selectAll()
        .where('scorer_id', 'in', [...new Set(wanted.map(({ scorer_id }) => scorer_id))])
        .execute()
      return new Map(
        rows.map((row) => [`${row.scorer_id} ${row.version}`, ScorerDefinition.parse(row.definition)]),
      )
    },

    slugTaken: async (organizationId: string, slug: string, trx: Db = db): Promise<string | undefined> => {
      const row = await trx
        .selectFrom('scorers')
        .select('id')
        .where('organization_id', '=', organizationId)
        .where('slug', '=', slug)
        .executeTakeFirst()
      return row?.id
    },

    lastSlug: async (organizationId: string, base: string, trx: Db = db): Promise<number> => {
      const { rows } = await sql<{ last: number | null }>`
        select max(case when slug = ${base} then 1 else substring(slug from ${base.length + 2}::int)::int end) as last
        from scorers
        where organization_id = ${organizationId}
          and (slug = ${base} or slug ~ ('^' || ${base} || '-[0-9]{1,8}$'))`.execute(trx)
      return Number(rows[0]?.last ?? 0)
    },

    insert: async (
      scorer: { id: string; organizationId: string; slug: string; definition: ScorerDefinition; at: Date },
      trx: Db = db,
    ): Promise<boolean> => {
      const { id, organizationId, slug, definition, at } = scorer
      const { rows } = await sql`
        with made as (
          insert into scorers (id, organization_id, slug, version, created_at, updated_at)
          values (${id}, ${organizationId}, ${slug}, 1, ${at}, ${at})
          on conflict (organization_id, slug) do nothing
          returning id
        )
        insert into scorer_versions (scorer_id, version, definition)
        select id, 1, ${JSON.stringify({ ...definition, slug })}::jsonb from made
        returning scorer_id`.execute(trx)
      return rows.length === 1
    },

    replace: (
      organizationId: string,
      id: string,
      change: { slug: string; definition: ScorerDefinition; at: Date },
    ) =>
      db.transaction().execute(async (trx) => {
        const row = await trx
          .updateTable('scorers')
          .set((eb) => ({ slug: change.slug, updated_at: change.at, version: eb('version', '+', 1) }))
          .where('organization_id', '=', organizationId)
          .where('id', '=', id)
          .returning('version')
          .executeTakeFirst()
        if (!row) return
        await trx
          .insertInto('scorer_versions')
          .values({
            scorer_id: id,
            version: row.version,
            definition: JSON.stringify({ ...change.definition, slug: change.slug }),
          })
          .execute()
      }),

    archive: (organizationId: string, id: string, at: Date) =>
      db
        .updateTable('scorers')
        .set({ archived_at: at, updated_at: at })
        .where('organization_id', '=', organizationId)
        .where('id', '=', id)
        .where('archived_at', 'is', null)
        .execute(),
  }
}

const toScorer = (row: ScorerRow): Scorer => ({
  ...ScorerDefinition.parse(row.definition),
  id: row.id,
  slug: row.slug,
  version: row.version,
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
  archivedAt: row.archived_at?.toISOString() ?? null,
})
