import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const migration: Migration = { up }

/** What a scan by meaning looks at stays in the row; only the whole vector and the words are kept beside it. */
const inTheRow = [
  'event_id',
  'organization_id',
  'kind',
  'source',
  'topic',
  'event_type',
  'embedder',
  'bits',
].map((column) => `alter column ${column} set storage main`)

const statements = [
  'alter table search_entries rename to search_entries_before',
  `create table search_entries (like search_entries_before including defaults including constraints)
    with (toast_tuple_target = 128)`,
  `alter table search_entries ${inTheRow.join(', ')}, alter column vector set storage external`,
  // Each entry's words hold its organization too, so that the index of words goes straight to one organization's rows.
  `insert into search_entries (event_id, organization_id, kind, event_time, source, topic, event_type, embedder, bits,
      vector, words)
    select event_id, organization_id, kind, event_time, source, topic, event_type, embedder, bits, vector,
      words || array_to_tsvector(array[organization_id])
    from search_entries_before`,
  'drop table search_entries_before',
  'alter table search_entries add primary key (event_id)',
  'create index search_entries_by_word on search_entries using gin (words)',
  'create index search_entries_by_organization on search_entries (organization_id, embedder)',
]

async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
