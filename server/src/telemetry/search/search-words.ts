import { type Kysely, sql } from 'kysely'
import type { TelemetryTables } from '../tables.ts'
import { narrowed, type SearchedKind, type SearchScope } from './search-scope.ts'

/** A word that more entries hold than this tells them apart too little to be worth reading them all. */
const maxOfOneWord = 500
const maxWords = 24
/** Which words are common is remembered for a while, for so many of them. */
const rememberedMs = 300_000
const maxRemembered = 20_000

export interface WordQuestion {
  readonly words: string
  readonly limit: number
}

interface Held {
  readonly event_id: string
  readonly kind: SearchedKind
}

export type WordSearch = (scope: SearchScope, question: WordQuestion) => Promise<readonly Held[]>

/**
 * Full text: the entries that hold the question's words, for names and numbers, which a model of meaning does not
 * know. A rare word counts more than a common one, and what is rare is found by looking: the entries of each word, and
 * those of all words together, are read up to a bound, so that a word which every entry holds hides no other. Finding
 * out that a word is common is what costs most, so that it is asked once in a while only.
 */
export const wordSearch = ({
  db,
  now,
}: { readonly db: Kysely<TelemetryTables> } & { readonly now: () => number }): WordSearch => {
  const common = new Map<string, number>()
  const nameOf = (organizationId: string, word: string) => `${organizationId} ${word}`

  const wordsIn = async (text: string): Promise<string[]> => {
    const { rows } = await sql<{ lexeme: string }>`
      select lexeme from unnest(to_tsvector('simple', ${text})) limit ${maxWords}`.execute(db)
    return rows.map(({ lexeme }) => lexeme)
  }

  const remember = (organizationId: string, words: readonly string[]) => {
    if (common.size > maxRemembered) common.clear()
    for (const word of words) common.set(nameOf(organizationId, word), now() + rememberedMs)
  }

  return async (scope: SearchScope, question: WordQuestion): Promise<readonly Held[]> => {
    const { organizationId } = scope
    const words = await wordsIn(question.words)
    const telling = words.filter((word) => (common.get(nameOf(organizationId, word)) ?? 0) < now())
    const asked = telling.length === 0 ? words : telling
    if (asked.length === 0) return []
    const { rows } = await sql<Held & { common: string[] | null }>`
      with spelt as materialized (
        select word, '''' || replace(replace(word, '\\', '\\\\'), '''', '''''') || '''' as spelling
        from unnest(${asked}::text[]) as word
      ), asked as materialized (
        select word, spelling::tsquery as query from spelt
        union all select null, string_agg(spelling, ' & ')::tsquery from spelt having count(*) > 1
      ), own as materialized (
        select ('''' || ${organizationId} || '''')::tsquery as own
      ), held as materialized (
        select word, query, event_id, kind, event_time from own, asked cross join lateral (
          select event_id, kind, event_time from search_entries
          where words @@ (own && query) and organization_id = ${organizationId} ${narrowed(scope)}
          limit ${maxOfOneWord + 1}) as entries
      ), weighed as materialized (
        select word, event_id, kind, event_time, count(*) over (partition by query) as holders from held
      )
      select event_id, kind, (select array_agg(distinct word) from weighed
        where holders > ${maxOfOneWord} and word is not null) as common
      from weighed group by event_id, kind, event_time
      order by sum(case when holders > ${maxOfOneWord} then 0.01
        else ln(1 + ${maxOfOneWord} / holders::float8) end) desc, event_time desc, event_id desc
      limit ${question.limit}`.execute(db)
    remember(organizationId, rows[0]?.common ?? [])
    return rows
  }
}
