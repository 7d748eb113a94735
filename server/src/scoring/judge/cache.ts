import { createHash } from 'node:crypto'
import type { ScorerDefinition } from '@diorama/contract'
import { type Kysely, sql } from 'kysely'
import type { ScorerTables } from '../tables.ts'

/** What a judge decided. */
export interface KnownVerdict {
  readonly score: number | null
  readonly choice: string | null
  readonly reason: string | null
}

/** Verdicts of judges by their content: the same question to the same model is asked once. */
export interface VerdictCache {
  find(organizationId: string, sha256: string): Promise<KnownVerdict | undefined>
  keep(organizationId: string, sha256: string, verdict: KnownVerdict): Promise<void>
}

export interface JudgedContent {
  readonly scorer: Pick<ScorerDefinition, 'choiceScores' | 'useCot' | 'allowSkip'>
  readonly model: string
  /** Where the model answers: another endpoint is another model, whatever it is called. */
  readonly endpoint: string
  /** With its material filled in, and marks that do not differ from call to call. */
  readonly prompt: string
  readonly instructions: string
}

export const contentKey = ({ scorer, ...content }: JudgedContent): string => {
  const { choiceScores, useCot, allowSkip } = scorer
  const whole = {
    choices: choiceScores.map(({ label, score }) => [label, score]),
    useCot,
    allowSkip,
    ...content,
  }
  return createHash('sha256').update(JSON.stringify(whole)).digest('hex')
}

const keptDays = 90

export const verdictCache = (db: Kysely<ScorerTables>): VerdictCache => ({
  find: async (organizationId, sha256) => {
    const row = await db
      .selectFrom('judge_verdicts')
      .select(['score', 'choice', 'reason'])
      .where('organization_id', '=', organizationId)
      .where('sha256', '=', sha256)
      .executeTakeFirst()
    return row
  },
  keep: async (organizationId, sha256, { score, choice, reason }) => {
    await db
      .insertInto('judge_verdicts')
      .values({
        ...{ organization_id: organizationId, sha256, score, choice },
        reason: reason?.toWellFormed().replaceAll('\0', '\ufffd') ?? null,
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    // A few old ones with each new one: the table stays as large as what is asked in that time.
    await sql`delete from judge_verdicts where ctid in (select ctid from judge_verdicts
      where organization_id = ${organizationId} and created_at < now() - make_interval(days => ${keptDays})
      limit 20)`.execute(db)
  },
})
