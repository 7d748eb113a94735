import { createHash } from 'node:crypto'
import { readdir, readFile, readlink, stat } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path'
import { gzipSync } from 'node:zlib'
import { Complaint, unreadable } from '../failure.ts'
import { type BundledFile, tarOf } from './tar.ts'

const passedOver = new Set(['.git', '.DS_Store', '__pycache__', '.diorama'])
const maxBytes = 1_024 * 1_048_576
const maxFiles = 100_000
const inline = { files: 200, bytes: 1_048_576 }

/** An agent's files as they are registered: in the request itself where they are few, else as a bundle. */
export interface PackedAgent {
  readonly files: Readonly<Record<string, string>> | undefined
  readonly bundle: { readonly bytes: Uint8Array; readonly sha256: string } | undefined
  /** Of the files, however they travel. */
  readonly digest: string
  readonly count: number
}

/** `without` names what is left behind of the folder. */
export const packAgent = async (
  folder: string,
  asBundle: boolean,
  without: readonly string[] = [],
): Promise<PackedAgent> => {
  const files = await readFiles(folder, without)
  if (files.length === 0) throw new Complaint(`${folder} has no files.`)
  const tar = await tarOf(files)
  const digest = createHash('sha256').update(tar).digest('hex')
  const texts = asBundle ? undefined : inlineTexts(files)
  if (texts) return { files: texts, bundle: undefined, digest, count: files.length }
  const bytes = gzipSync(tar, { level: 9 })
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  return { files: undefined, bundle: { bytes, sha256 }, digest, count: files.length }
}

const readFiles = async (folder: string, without: readonly string[]): Promise<BundledFile[]> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(
    (cause: NodeJS.ErrnoException) => {
      throw unreadable(`The folder ${folder}`, cause)
    },
  )
  const files: BundledFile[] = []
  let total = 0
  for (const entry of entries) {
    const whole = join(entry.parentPath, entry.name)
    const path = relative(folder, whole).split(sep).join('/')
    const parts = path.split('/')
    if (without.includes(parts[0] ?? '') || parts.some((part) => passedOver.has(part))) continue
    if (entry.isSymbolicLink()) {
      files.push({ path, bytes: new Uint8Array(), executable: false, link: await linkInside(folder, whole) })
      continue
    }
    if (!entry.isFile()) continue
    const { mode, size } = await stat(whole)
    total += size
    if (files.length >= maxFiles || total > maxBytes)
      throw new Complaint(
        `${folder} has more than ${maxFiles} files or ${maxBytes / 1_048_576} MiB. Remove files that the agent does not need.`,
      )
    files.push({ path, bytes: await readFile(whole), executable: (mode & 0o100) !== 0 })
  }
  return files
}

/** Where a link points, if it stays in the folder: as in node_modules/.bin and the stores of package managers. */
const linkInside = async (folder: string, path: string): Promise<string> => {
  const written = await readlink(path)
  const target = isAbsolute(written) ? relative(dirname(path), written) : written
  // A virtual environment runs with the Python of the sandbox, wherever the one it was made with is.
  if (isAbsolute(written) && isOutside(folder, written) && pythonName.test(basename(written)))
    return systemPython
  if (isOutside(folder, join(dirname(path), target)))
    throw new Complaint(`${relative(folder, path)} links to ${written}, which is outside the agent's folder.`)
  return target.split(sep).join('/')
}

const isOutside = (folder: string, path: string): boolean => {
  const inside = relative(folder, path)
  return inside === '..' || inside.startsWith(`..${sep}`)
}

const pythonName = /^python(\d(\.\d{1,2})?)?$/
const systemPython = '/usr/bin/python3'

/** Undefined where the files are too many, not text, or to be run on their own. */
const inlineTexts = (files: readonly BundledFile[]): Record<string, string> | undefined => {
  const total = files.reduce((sum, { bytes }) => sum + bytes.length, 0)
  if (files.length > inline.files || total > inline.bytes) return undefined
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  try {
    if (files.some(({ executable, bytes, link }) => executable || link !== undefined || bytes.includes(0)))
      return undefined
    return Object.fromEntries(files.map(({ path, bytes }) => [path, decoder.decode(bytes)]))
  } catch {
    return undefined
  }
}
