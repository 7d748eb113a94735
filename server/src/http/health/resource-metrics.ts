import { statfs } from 'node:fs/promises'
import type pg from 'pg'
import type { Metrics } from '../metrics.ts'

export interface ResourceDeps {
  readonly metrics: Metrics
  readonly pool: Pick<pg.Pool, 'totalCount' | 'idleCount' | 'waitingCount' | 'options'>
  readonly dataDir: string
}

/** What this process draws on and may run out of: connections to the database, and room on the disk. */
export const showResources = ({ metrics, pool, dataDir }: ResourceDeps): void => {
  metrics.gauge('database_connections_max', 'Connections that this process may have to the database.', () =>
    Number(pool.options.max),
  )
  metrics.gauge(
    'database_connections_busy',
    'Connections to the database that are in use.',
    () => pool.totalCount - pool.idleCount,
  )
  metrics.gauge(
    'database_requests_waiting',
    'Requests that wait for a connection to the database.',
    () => pool.waitingCount,
  )
  metrics.gauge('disk_free_bytes', 'Free space on the disk of the data folder.', async () => {
    const { bavail, bsize } = await statfs(dataDir)
    return bavail * bsize
  })
  metrics.gauge('disk_size_bytes', 'The size of the disk of the data folder.', async () => {
    const { blocks, bsize } = await statfs(dataDir)
    return blocks * bsize
  })
}
