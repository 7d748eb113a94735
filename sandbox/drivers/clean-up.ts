/** What the process driver does after a job: no namespace ends its processes, and no unmounting removes its files. */
import { execFile } from 'node:child_process'
import { lstat, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** The variable by which a job's processes are known where they have no user that is theirs alone. */
export const markVariable = 'SANDBOX_JOB'

/**
 * Removes what a job wrote, whatever it made of it: folders deeper than a path can name, folders that their owner may
 * not read, files that a dying process still adds. Returns false where something is left, and never throws: an agent
 * must not be able to void its trial by leaving what cannot be removed.
 */
export const removeTree = async (path: string): Promise<boolean> => {
  const removed = () => true
  const quick = await rm(path, { recursive: true, force: true, maxRetries: 3 }).then(removed, () => false)
  if (quick) return true
  // These walk by open folders, not by paths.
  await promisify(execFile)('chmod', ['-R', 'u+rwX', '--', path], { cwd: '/' }).catch(() => undefined)
  return promisify(execFile)('rm', ['-rf', '--', path], { cwd: '/' }).then(removed, () => false)
}

/** Removes what a job's user left in folders that it shares with others; nothing else has that user. */
export const removeOwned = async (folders: readonly string[], uid: number): Promise<void> => {
  for (const folder of folders)
    for (const name of await readdir(folder).catch(() => [])) {
      const path = join(folder, name)
      const owner = await lstat(path).catch(() => undefined)
      if (owner?.uid === uid) await removeTree(path)
    }
}

/** Ends what a job left behind: all of its own user's processes, or those that still carry its mark. */
export const endMarked = async (mark: string, uid: number | undefined): Promise<void> => {
  if (uid !== undefined) {
    const id = String(uid)
    const args = ['--reuid', id, '--regid', id, '--clear-groups', 'sh', '-c', 'kill -9 -1']
    await promisify(execFile)('setpriv', args, { cwd: '/' }).catch(() => undefined)
    return
  }
  for (let round = 0; round < 5; round++) {
    let found = 0
    for (const name of (await readdir('/proc').catch(() => [])).filter((entry) => /^\d+$/.test(entry))) {
      const environment = await readFile(`/proc/${name}/environ`, 'utf8').catch(() => '')
      if (!environment.split('\0').includes(`${markVariable}=${mark}`)) continue
      found++
      try {
        process.kill(Number(name), 'SIGKILL')
      } catch {
        // It ended on its own between the two lines.
      }
    }
    if (found === 0) return
  }
}
