import { type SpawnOptions, spawnSync } from 'node:child_process'
import { chownSync, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { StorageFailure } from './failure.ts'

/** How the database's programs are run, since PostgreSQL refuses to run as root. */
export interface Account {
  /** The command that goes in front of the program's own. */
  readonly prefix: readonly string[]
  readonly spawn: Pick<SpawnOptions, 'uid' | 'gid'>
  /** Whom the database's files must belong to, seen from here. */
  readonly uid: number
  readonly gid: number
}

/** The account without rights that every Unix has; initdb wants one that has a name. */
const nobody = 65_534

/**
 * An ordinary user runs it as itself. Root runs it in a user namespace, where root's own files seem to
 * belong to nobody: no account to make and nothing to hand over. Where namespaces are refused, as nobody.
 */
export function chooseAccount(): Account {
  const uid = process.getuid?.() ?? 0
  const gid = process.getgid?.() ?? 0
  if (uid !== 0) return { prefix: [], spawn: {}, uid, gid }
  const namespace = ['unshare', '--user', `--map-user=${nobody}`, `--map-group=${nobody}`]
  if (works([...namespace, 'true'])) return { prefix: namespace, spawn: {}, uid, gid }
  return { prefix: [], spawn: { uid: nobody, gid: nobody }, uid: nobody, gid: nobody }
}

function works([command = '', ...args]: readonly string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore', timeout: 5_000 }).status === 0
}

/** Gives the folder and all in it to the account, when it has another owner and we may. */
export function handOver(folder: string, account: Account): void {
  const owner = lstatSync(folder).uid
  if (owner === account.uid) return
  if (process.getuid?.() !== 0) {
    throw new StorageFailure(
      'folder_not_ours',
      `The data folder ${folder} belongs to the user number ${owner}. Start as that user, or choose another ` +
        'folder with DIORAMA_DATA_DIR.',
    )
  }
  chownTree(folder, account)
}

function chownTree(path: string, account: Account): void {
  const found = lstatSync(path)
  if (found.isSymbolicLink()) return
  chownSync(path, account.uid, account.gid)
  if (!found.isDirectory()) return
  for (const name of readdirSync(path)) chownTree(join(path, name), account)
}
