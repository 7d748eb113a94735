import { createHash } from 'node:crypto'
import type { AgentRunSpec, PackageManager } from '@diorama/contract'
import { isRecord, jsonIn } from '@diorama/contract/records'

/** The files that an installation is made from, by package manager. */
export const lockFiles: Readonly<Record<PackageManager, readonly string[]>> = {
  npm: ['package.json', 'package-lock.json'],
  pip: ['requirements.txt'],
}

export const maxLockBytes = 8 * 1_048_576

/** Everything that decides what is installed, beside the platform. Its bytes are stored and name the installation. */
export interface DependencyLock {
  readonly managers: readonly PackageManager[]
  readonly scripts: boolean
  readonly files: Readonly<Record<string, string>>
}

export interface LockFault {
  readonly path: string
  readonly message: string
}

/** The names of the files that a version's installation needs; none for a version without dependencies. */
export const lockFilesOf = (run: AgentRunSpec | null): readonly string[] =>
  (run?.dependencies ?? []).flatMap((manager) => lockFiles[manager])

/** The lock of a version, or what is wrong with its lock files. */
export const lockOf = (
  run: AgentRunSpec,
  files: Readonly<Record<string, string>>,
): { readonly lock: DependencyLock } | { readonly faults: readonly LockFault[] } => {
  const managers = [...(run.dependencies ?? [])].sort()
  const faults = managers.flatMap((manager) => {
    const missing = lockFiles[manager].filter((path) => files[path] === undefined)
    if (missing.length > 0)
      return missing.map((path) => ({ path, message: `is missing; run.dependencies asks for ${manager}` }))
    return manager === 'npm'
      ? npmFaults(files['package-lock.json'] ?? '')
      : pipFaults(files['requirements.txt'] ?? '')
  })
  if (faults.length > 0) return { faults }
  const paths = managers.flatMap((manager) => lockFiles[manager]).sort()
  return {
    lock: {
      managers,
      scripts: run.install_scripts === true,
      files: Object.fromEntries(paths.map((path) => [path, files[path] ?? ''])),
    },
  }
}

/** The same lock has the same bytes. */
export const lockBytes = ({ managers, scripts, files }: DependencyLock): Buffer =>
  Buffer.from(JSON.stringify({ managers, scripts, files }))

export const lockDigest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** Only what has a digest is installed: a name and a version are whatever the registry makes of them. */
const npmFaults = (text: string): LockFault[] => {
  const path = 'package-lock.json'
  const lock = jsonIn(text)
  if (!isRecord(lock)) return [{ path, message: 'is not JSON' }]
  if (!isRecord(lock.packages))
    return [{ path, message: 'has no packages: write it with npm 7 or newer (lockfileVersion 2 or 3)' }]
  const packages = Object.entries(lock.packages).filter(([name]) => name !== '')
  if (packages.length === 0) return [{ path, message: 'lists no packages, so there is nothing to install' }]
  for (const [name, one] of packages) {
    const shown = name.slice(0, 200)
    if (!isRecord(one) || one.link === true)
      return [{ path, message: `links ${shown} to a folder; only packages of the registry are installed` }]
    if (one.inBundle === true) continue
    if (typeof one.integrity !== 'string')
      return [{ path, message: `has no integrity for ${shown}; only packages with a digest are installed` }]
  }
  return []
}

const pipFaults = (text: string): LockFault[] => {
  const path = 'requirements.txt'
  const lines = text
    .replaceAll(/\\\r?\n/g, ' ')
    .split(/\r?\n/)
    .map((line) => line.replace(/(^|\s)#.*$/, '').trim())
    .filter((line) => line !== '')
  if (lines.length === 0) return [{ path, message: 'lists no packages, so there is nothing to install' }]
  for (const line of lines) {
    const shown = line.slice(0, 100)
    if (line.startsWith('-'))
      return [{ path, message: `has the option ${shown}; only requirements with hashes are taken` }]
    if (!/\s--hash=sha(256|384|512):[0-9a-f]+/.test(line))
      return [{ path, message: `has no hash for ${shown} (pip-compile --generate-hashes writes them)` }]
    if (/\s@\s|^[a-z+]+:/i.test(line))
      return [{ path, message: `names an address (${shown}); only packages of the registry are installed` }]
  }
  return []
}
