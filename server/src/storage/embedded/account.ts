import { type SpawnOptions, type SpawnSyncOptions, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { StorageFailure } from '../failure.ts'

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
export const chooseAccount = (): Account => {
  const uid = process.getuid?.() ?? 0
  const gid = process.getgid?.() ?? 0
  if (uid !== 0) return { prefix: [], spawn: {}, uid, gid }
  const namespace = ['unshare', '--user', `--map-user=${nobody}`, `--map-group=${nobody}`]
  if (works([...namespace, 'true'])) return { prefix: namespace, spawn: {}, uid, gid }
  return nobodysAccount
}

export const nobodysAccount: Account = {
  prefix: [],
  spawn: { uid: nobody, gid: nobody },
  uid: nobody,
  gid: nobody,
}

const works = ([command = '', ...args]: readonly string[], options: SpawnSyncOptions = {}): boolean =>
  spawnSync(command, args, { stdio: 'ignore', timeout: 5_000, ...options }).status === 0

/** An ordinary user can neither use nor give away what belongs to another. */
export const refuseForeign = (folder: string): void => {
  const uid = process.getuid?.()
  const owner = lstatSync(folder, { throwIfNoEntry: false })?.uid
  if (uid === undefined || uid === 0 || owner === undefined || owner === uid) return
  throw new StorageFailure(
    'folder_not_ours',
    `The data folder ${folder} belongs to the user number ${owner}. Start as that user, or choose another ` +
      'folder with DIORAMA_DATA_DIR.',
  )
}

/** Gives the folder and all in it to the account, when it has another owner: we were root in another way before. */
export const handOver = (folder: string, account: Account): void => {
  if (lstatSync(folder).uid !== account.uid) chownTree(folder, account)
}

/** The folder itself goes last: cut short, the next start sees the old owner and does it again. */
const chownTree = (path: string, account: Account): void => {
  const found = lstatSync(path)
  if (found.isSymbolicLink()) return
  if (found.isDirectory()) {
    for (const name of readdirSync(path)) chownTree(join(path, name), account)
  }
  chownSync(path, account.uid, account.gid)
}

export interface Passage {
  readonly account: Account
  readonly dataDir: string
  readonly home: string
  readonly program: string
}

/** Another account must be able to walk to the database's folder and to its program. */
export const letPass = ({ account, dataDir, home, program }: Passage): void => {
  if (account.spawn.uid === undefined) return
  chmodSync(dataDir, lstatSync(dataDir).mode | 0o011)
  for (const path of [home, program]) {
    if (works(['test', '-x', path], { ...account.spawn, cwd: '/' })) continue
    throw new StorageFailure(
      'folder_not_ours',
      `The embedded database cannot run as root here, and the account "nobody" (${nobody}) may not enter ${path}. ` +
        'Start as an ordinary user, choose a folder all may pass through with DIORAMA_DATA_DIR, or set DATABASE_URL.',
    )
  }
}
