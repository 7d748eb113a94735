import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readlinkSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** The files of an earlier commit in a folder, with the packages of this checkout; returns its entry point. */
export const checkOut = (ref: string, folder: string): string => {
  mkdirSync(folder, { mode: 0o755 })
  const archive = spawnSync('git', ['archive', '--format=tar', ref], { cwd: root, maxBuffer: 1e9 })
  if (archive.status !== 0) throw new Error(`git does not know ${ref}: ${archive.stderr}`)
  const unpacked = spawnSync('tar', ['x', '-C', folder], { input: archive.stdout })
  if (unpacked.status !== 0) throw new Error(`tar: ${unpacked.stderr}`)
  const [here, there] = [join(root, 'node_modules'), join(folder, 'node_modules')]
  mkdirSync(there)
  for (const name of readdirSync(here))
    if (name !== '@diorama') symlinkSync(join(here, name), join(there, name))
  // Our own packages are those of the earlier commit.
  mkdirSync(join(there, '@diorama'))
  for (const name of readdirSync(join(here, '@diorama')))
    symlinkSync(readlinkSync(join(here, '@diorama', name)), join(there, '@diorama', name))
  return join(folder, 'server', 'src', 'main.ts')
}
