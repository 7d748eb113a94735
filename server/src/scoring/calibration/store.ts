import type { Calibration } from '@diorama/contract'
import { type Kysely, type Selectable, sql } from 'kysely'
import { keysetPage } from '../../storage/pages.ts'
import type { ScorerTables } from '../tables.ts'

type Row = Selectable<ScorerTables['scorer_calibrations']>
type Page = { readonly limit: number; readonly cursor?: string | undefined }

/** The SQL of calibrations. */
export interface CalibrationStore {
  insert(organizationId: string, calibration: Calibration): Promise<void>
  list(
    organizationId: string,
    scorerId: string,
    page: Page,
  ): Promise<{ items: Calibration[]; next_cursor: string | null }>
}

/** The newest ones of a scorer; older ones make room. */
const maxKept = 100

export const calibrationStore = (db: Kysely<ScorerTables>): CalibrationStore => ({
  insert: async (organizationId, calibration) => {
    const { id, scorer_id, scorer_version, model, created_by, created_at, ...report } = calibration
    await db.transaction().execute(async (trx) => {
      await trx
        .insertInto('scorer_calibrations')
        .values({
          ...{ id, organization_id: organizationId, scorer_id, scorer_version, model, created_by },
          ...{ report: JSON.stringify(report), created_at: new Date(created_at) },
        })
        .execute()
      await sql`delete from scorer_calibrations where id in (
        select id from scorer_calibrations where scorer_id = ${scorer_id}
        order by created_at desc, id desc offset ${maxKept})`.execute(trx)
    })
  },
  list: async (organizationId, scorerId, page) => {
    const query = db
      .selectFrom('scorer_calibrations')
      .selectAll()
      .where('organization_id', '=', organizationId)
      .where('scorer_id', '=', scorerId)
    const { items, nextCursor } = await keysetPage(query, {
      column: 'created_at',
      ...page,
      position: (row) => ({ at: row.created_at, id: row.id }),
    })
    return { items: items.map(shown), next_cursor: nextCursor }
  },
})

type Report = Omit<Calibration, 'id' | 'scorer_id' | 'scorer_version' | 'model' | 'created_by' | 'created_at'>

const shown = ({
  id,
  scorer_id,
  scorer_version,
  model,
  created_by,
  created_at,
  report,
}: Row): Calibration => ({
  ...{ id, scorer_id, scorer_version, model },
  ...(report as Report),
  created_by,
  created_at: created_at.toISOString(),
})
