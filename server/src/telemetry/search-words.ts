import { sql } from 'kysely'
import type { Storage } from '../storage/storage.ts'
import { narrowed, type SearchedKind, type SearchScope } from './search-scope.ts'

/** A word that more entries hold than this tells them apart too little to be worth reading them all. */
const mostOfOneWord = 500
const mostWords = 24

export interface WordQuestion {
  readonly words: string
  readonly limit: number
}

/**
 * Full text: the entries that hold the question's words, for names and numbers, which a model of meaning does not
 * know. A rare word counts more than a common one, and what is rare is found by looking: the entries of each word, and
 * those of all words together, are read up to a bound, so that a word which every entry holds hides no other.
 */
export const wordSearch =
  ({ db }: Pick<Storage, 'db'>) =>
  async (scope: SearchScope, question: WordQuestion): Promise<{ event_id: string; kind: SearchedKind }[]> => {
    const { rows } = await sql<{ event_id: string; kind: SearchedKind }>`
      with spelt as materialized (
        select ('''' || replace(replace(lexeme, '\\', '\\\\'), '''', '''''') || '''') as word
        from unnest(to_tsvector('simple', ${question.words})) limit ${mostWords}
      ), asked as materialized (
        select word::tsquery as asked from spelt
        union select string_agg(word, ' & ')::tsquery from spelt having count(*) > 1
      ), own as materialized (
        select ('''' || ${scope.organizationId} || '''')::tsquery as own
      ), held as materialized (
        select asked, event_id, kind, event_time from own, asked cross join lateral (
          select event_id, kind, event_time from search_entries
          where words @@ (own && asked) and organization_id = ${scope.organizationId} ${narrowed(scope)}
          limit ${mostOfOneWord + 1}) as entries
      ), weighed as materialized (
        select event_id, kind, event_time, count(*) over (partition by asked) as holders from held
      )
      select event_id, kind from weighed group by event_id, kind, event_time
      order by sum(case when holders > ${mostOfOneWord} then 0.01
        else ln(1 + ${mostOfOneWord} / holders::float8) end) desc, event_time desc, event_id desc
      limit ${question.limit}`.execute(db)
    return rows
  }
export type WordSearch = ReturnType<typeof wordSearch>
