import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import {
  type Account,
  chooseAccount,
  handOver,
  letPass,
} from '../../../server/src/storage/embedded/account.ts'
import { findBinaries } from '../../../server/src/storage/embedded/binaries.ts'
import { databaseUser, makeCluster } from '../../../server/src/storage/embedded/cluster.ts'
import { spawnSupervised } from '../../../server/src/storage/embedded/supervised.ts'
import { silentLog } from '../../../server/src/storage/log.ts'
import { eventually } from '../../eventually.ts'
import type { Machine } from './network.ts'

/** One PostgreSQL server on its machine, which all nodes share. */
export interface ChaosDatabase {
  readonly machine: Machine
  /** What nodes connect with: the owner of the database, and no administrator. */
  readonly url: string
  /** An administrator's connection, which always finds room. */
  readonly query: (text: string, values?: readonly unknown[]) => Promise<readonly Record<string, unknown>[]>
  /** How many twins have tokens that are not encrypted. */
  readonly plainTokens: () => Promise<number>
  readonly close: () => Promise<void>
}

/** Few enough that a fault can take all that are left. */
export const maxConnections = 160
const port = 5_433

export const startDatabase = async (
  machine: Machine,
  { home, dataDir }: { home: string; dataDir: string },
): Promise<ChaosDatabase> => {
  const binaries = findBinaries(join(home, 'lib'))
  const account = chooseAccount()
  handOver(home, account)
  letPass({ account, dataDir, home, program: binaries.postgres })
  const cluster = { folder: join(home, 'cluster'), binaries, account, log: silentLog, durable: false }
  await makeCluster(cluster)
  // The network of a run is reached by its machines alone.
  writeFileSync(join(cluster.folder, 'pg_hba.conf'), 'host all all all trust\n')
  const settings = {
    listen_addresses: machine.address,
    port: String(port),
    unix_socket_directories: '',
    max_connections: String(maxConnections),
    fsync: 'off',
    full_page_writes: 'off',
  }
  const server = spawnSupervised({
    command: [
      binaries.postgres,
      ...['-D', cluster.folder],
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    // A network namespace is entered by root, who gives the rights up only then.
    account: { ...account, spawn: {}, prefix: [...machine.enter, ...unprivileged(account)] },
    environment: binaries.environment,
  })
  let said = ''
  server.stderr?.on('data', (chunk) => {
    said = (said + chunk).slice(-4_000)
  })
  const at = (user: string, name: string) => `postgresql://${user}@${machine.address}:${port}/${name}`
  const admin = new pg.Pool({ connectionString: at(databaseUser, 'postgres'), max: 2 })
  admin.on('error', () => {})
  await eventually(async () => {
    if (server.exitCode !== null) throw new Error(said)
    await admin.query('select 1')
  }, `the database did not start: ${said}`)
  await admin.query('create role node login')
  await admin.query('create database chaos owner node')
  return {
    machine,
    url: at('node', 'chaos'),
    query: async (text, values = []) => (await admin.query(text, [...values])).rows,
    plainTokens: async () => {
      const client = new pg.Client(at('node', 'chaos'))
      await client.connect()
      try {
        const { rows } = await client.query(
          `select count(*)::int as count from twins where jsonb_typeof(principals) = 'array'`,
        )
        return rows[0].count
      } finally {
        await client.end()
      }
    },
    close: async () => {
      await admin.end()
      await new Promise<void>((resolve) => {
        server.once('close', () => resolve())
        server.stdin?.end()
      })
    },
  }
}

const unprivileged = ({ prefix, spawn }: Account): readonly string[] =>
  spawn.uid === undefined
    ? prefix
    : ['setpriv', `--reuid=${spawn.uid}`, `--regid=${spawn.gid}`, '--clear-groups']
