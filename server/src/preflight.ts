import { once } from 'node:events'
import { mkdir, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname } from 'node:path'

/** Fails as listening would, before a database is started for a service that cannot be reached. */
export const checkAddress = async ({ host, port }: { host: string; port: number }): Promise<void> => {
  if (port === 0) return
  const probe = createServer()
  probe.listen({ host, port, exclusive: true })
  await once(probe, 'listening')
  probe.close()
  await once(probe, 'close')
}

/**
 * Makes a folder and those above it. Node's own recursive mkdir never returns where the file system denies that a
 * folder is there which it has just been asked to make, as in /proc.
 */
export const makeFolder = async (path: string): Promise<void> => {
  try {
    await mkdir(path, { mode: 0o700 })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return
    if (code !== 'ENOENT' || dirname(path) === path) throw error
    await makeFolder(dirname(path))
    await mkdir(path, { mode: 0o700 })
  }
}
