import { readFileSync } from 'node:fs'
import { copyFile, mkdir, readdir, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import pg from 'pg'
import { StorageFailure } from '../failure.ts'
import { passwordFile } from './cluster-password.ts'
import { urlOf } from './embedded.ts'
import { socketIn } from './socket-folder.ts'

/** Folders of the server whose contents are of one run alone; PostgreSQL's handbook names them. */
const emptied = new Set([
  ...['pg_wal', 'pg_replslot', 'pg_dynshmem', 'pg_notify', 'pg_serial', 'pg_snapshots'],
  ...['pg_stat_tmp', 'pg_subtrans'],
])
const ofOneRun = /^(postmaster\.(pid|opts)|pgsql_tmp.*|pg_internal\.init.*)$/
/** What a service makes again. */
const madeAgain = new Set(['database', 'cache', 'sandbox'])

export interface BackupPlaces {
  readonly dataDir: string
  /** A folder that does not exist yet, or is empty; it becomes a data folder. */
  readonly target: string
}

/**
 * Copies the data folder of a running service to one that a service can be started with: a base backup of PostgreSQL,
 * with the write-ahead log that makes it consistent. What was committed before the call is in it.
 */
export const backUpEmbedded = async ({ dataDir, target }: BackupPlaces): Promise<void> => {
  const home = join(resolve(dataDir), 'database')
  if (`${resolve(target)}/`.startsWith(`${resolve(dataDir)}/`))
    throw new StorageFailure(
      'folder_in_use',
      `The folder ${target} is inside the data folder. Name another one.`,
    )
  await refuseFilled(target)
  const client = await connect(home)
  try {
    const [from, to] = [join(home, 'cluster'), join(resolve(target), 'database', 'cluster')]
    await mkdir(target, { recursive: true, mode: 0o700 })
    await mkdir(join(to, 'pg_wal', 'archive_status'), { recursive: true, mode: 0o700 })
    // The slot keeps the log until we have copied it, and goes with the connection.
    await client.query('select pg_create_physical_replication_slot($1, true, true)', [
      `backup_${process.pid}`,
    ])
    await client.query("select pg_backup_start('diorama', true)")
    await copyTree(from, to, (path) => !ofOneRun.test(basename(path)) && !emptied.has(dirname(path)))
    const { rows } = await client.query<{ labelfile: string; spcmapfile: string }>(
      'select labelfile, spcmapfile from pg_backup_stop(false)',
    )
    await writeFile(join(to, 'backup_label'), rows[0]?.labelfile ?? '', { flush: true })
    await copyTree(join(from, 'pg_wal'), join(to, 'pg_wal'), (path) => /^[0-9A-F]{8}/.test(path))
    await copyIfThere(join(home, passwordFile), join(dirname(to), passwordFile))
    await copyTree(resolve(dataDir), resolve(target), (path) => !madeAgain.has(path))
  } finally {
    await client.end()
  }
}

const refuseFilled = async (target: string): Promise<void> => {
  const found = await readdir(target).catch(() => [])
  if (found.length > 0)
    throw new StorageFailure(
      'folder_in_use',
      `The folder ${target} is not empty. Name a new folder for the backup.`,
    )
}

const connect = async (home: string): Promise<pg.Client> => {
  try {
    const password = readFileSync(join(home, passwordFile), 'utf8')
    const client = new pg.Client({ connectionString: urlOf(dirname(socketIn(home)), password) })
    await client.connect()
    return client
  } catch (error) {
    throw new StorageFailure(
      'unreachable',
      `No service with an embedded database runs in ${dirname(home)}. Start it, or, while it is stopped, copy the folder.`,
      { cause: error },
    )
  }
}

/** Copies what `wanted` says, by paths below the folder. The server adds and removes files meanwhile. */
const copyTree = async (from: string, to: string, wanted: (path: string) => boolean): Promise<void> => {
  const copyFolder = async (below: string): Promise<void> => {
    await mkdir(join(to, below), { recursive: true, mode: 0o700 })
    for (const entry of await readdir(join(from, below), { withFileTypes: true })) {
      const path = join(below, entry.name)
      if (!wanted(path)) continue
      if (entry.isDirectory()) await copyFolder(path)
      else if (entry.isFile()) await copyIfThere(join(from, path), join(to, path))
    }
  }
  await copyFolder('')
}

const copyIfThere = async (from: string, to: string): Promise<void> => {
  await copyFile(from, to).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
}
