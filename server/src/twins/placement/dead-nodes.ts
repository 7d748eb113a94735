import type pg from 'pg'
import type { Log } from '../../storage/log.ts'
import { presenceKey } from '../../storage/wake.ts'

/** How often a node looks for others that are gone. */
export const lookMs = 400
/**
 * A node is dead when its connection to the database has been gone for so long. One that lives and has lost the
 * connection answers from memory no longer than `maxTurnMs` in `nodes.ts`, which is less.
 */
const deadAfterMs = 1_000

/** Ends the leases of nodes whose process is gone; a node that is only slow or cut off keeps its lease to its end. */
export interface DeadNodes {
  readonly look: () => Promise<void>
}

interface Silent {
  readonly name: string
  readonly token: number
}

/** A node that shows its presence and has a valid lease, but whose lock is not held. */
const absent = `
  leases.data @> '{"isShown": true}' and leases.expires_at > clock_timestamp() and not exists (
    select 1 from pg_locks
    where locktype = 'advisory' and granted and objsubid = 1
      and pg_locks.database = (select oid from pg_database where datname = current_database())
      and (classid::bigint << 32 | objid::bigint) = ${presenceKey('leases.name')})`

export const watchDeadNodes = ({
  pool,
  prefix,
  log,
}: {
  pool: Pick<pg.Pool, 'query'>
  /** Of the leases of nodes. */
  prefix: string
  log: Log
}): DeadNodes => {
  /** Since when, by this process's monotonic clock, a lease was seen without its node at every look. */
  let missing = new Map<string, number>()
  const keyOf = ({ name, token }: Silent) => `${name} ${token}`

  return {
    look: async () => {
      const { rows } = await pool.query<Silent>({
        name: 'absent_nodes',
        text: `select name, token from leases where starts_with(name, $1) and ${absent}`,
        values: [prefix],
      })
      const seenAt = performance.now()
      missing = new Map(rows.map((row) => [keyOf(row), missing.get(keyOf(row)) ?? seenAt]))
      for (const row of rows) {
        if (seenAt - (missing.get(keyOf(row)) ?? seenAt) < deadAfterMs) continue
        const { rowCount } = await pool.query(
          `update leases set expires_at = clock_timestamp() where name = $1 and token = $2 and ${absent}`,
          [row.name, row.token],
        )
        if (rowCount === 1) log.warn({ event: 'node.dead', node: row.name }, 'A node is gone.')
      }
    },
  }
}
