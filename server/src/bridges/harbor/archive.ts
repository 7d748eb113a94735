import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { createGunzip, gzipSync } from 'node:zlib'
import { extract, pack } from 'tar-stream'
import { ApiError } from '../../http/api-error.ts'
import type { Files } from './grader-files.ts'

export const maxArchiveFiles = 100_000
export const maxArchiveBytes = 256 * 2 ** 20

/** The same files give the same bytes: no times, no owners, sorted by path. */
export const archiveOf = async (files: Files): Promise<Buffer> => {
  const archive = pack()
  for (const [name, content] of [...files].sort(([a], [b]) => (a < b ? -1 : 1)))
    archive.entry(
      { name, mode: name.endsWith('.sh') ? 0o755 : 0o644, mtime: new Date(0), uid: 0, gid: 0 },
      Buffer.from(content),
    )
  archive.finalize()
  return gzipSync(await buffer(archive))
}

/** The regular files of a .tar.gz by path. Links and devices are refused: no path leads out of a task folder. */
export const readArchive = async (bytes: Uint8Array): Promise<Map<string, Buffer>> => {
  const files = new Map<string, Buffer>()
  const tar = extract()
  let total = 0
  const read = async () => {
    for await (const entry of tar) {
      const { name, type, size = 0 } = entry.header
      const path = name.replace(/^(\.\/)+/, '').replace(/\/$/, '')
      if (type === 'directory' || path === '' || path === '.') {
        entry.resume()
        continue
      }
      if (type !== 'file')
        throw new ApiError('invalid_bundle', `${name} is a ${type}; only regular files are read.`)
      if (path.startsWith('/') || path.split('/').includes('..'))
        throw new ApiError('invalid_bundle', `${name} leads out of the archive.`)
      total += size
      if (total > maxArchiveBytes || files.size >= maxArchiveFiles)
        throw new ApiError(
          'too_large',
          `The archive holds more than ${maxArchiveFiles} files or ${maxArchiveBytes / 2 ** 20} MiB.`,
        )
      files.set(path, await buffer(entry))
    }
  }
  try {
    await Promise.all([pipeline(Readable.from([bytes]), createGunzip(), tar), read()])
  } catch (error) {
    if (error instanceof ApiError) throw error
    throw new ApiError('invalid_bundle', 'The body is not a .tar.gz that can be read.', { cause: error })
  }
  return files
}

/** The digest by which Harbor knows the content of a task. */
export const contentDigest = (files: Files): string => {
  const outer = createHash('sha256')
  for (const [path, content] of [...files].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const inner = createHash('sha256').update(content).digest('hex')
    outer.update(`${path}\0${inner}\n`)
  }
  return `sha256:${outer.digest('hex')}`
}
