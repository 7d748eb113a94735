import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { createGunzip, gzipSync } from 'node:zlib'
import { extract } from 'tar-stream'
import { type BundledFile, tarOf } from '../agents/tar.ts'
import { Complaint, unreadable } from '../failure.ts'

const passedOver = new Set(['.git', '.DS_Store', '__pycache__'])

/** Unpacks what the service packed into a folder that is empty or new, and returns how many files there are. */
export const unpackInto = async (archive: Uint8Array, folder: string): Promise<number> => {
  const there = await readdir(folder).catch(() => [])
  if (there.length > 0) throw new Complaint(`${folder} is not empty.`)
  const tar = extract()
  let count = 0
  const write = async () => {
    for await (const entry of tar) {
      const path = resolve(folder, entry.header.name)
      if (!path.startsWith(`${resolve(folder)}${sep}`))
        throw new Complaint(`${entry.header.name} points outside the folder.`)
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, await buffer(entry), { mode: entry.header.mode })
      count += 1
    }
  }
  await Promise.all([pipeline(Readable.from([archive]), createGunzip(), tar), write()])
  return count
}

/** A folder as a .tar.gz. A link is refused by the service, which must not follow it. */
export const packFolder = async (folder: string): Promise<Buffer> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(
    (cause: NodeJS.ErrnoException) => {
      throw unreadable(`The folder ${folder}`, cause)
    },
  )
  const files: BundledFile[] = []
  for (const entry of entries) {
    const whole = join(entry.parentPath, entry.name)
    const path = relative(folder, whole).split(sep).join('/')
    if (path.split('/').some((part) => passedOver.has(part)) || entry.isDirectory()) continue
    if (!entry.isFile())
      throw new Complaint(`${path} is a link or a device; a task folder holds regular files.`)
    const { mode } = await stat(whole)
    files.push({ path, bytes: await readFile(whole), executable: (mode & 0o100) !== 0 })
  }
  return gzipSync(await tarOf(files))
}

export const nameOfFile = (path: string): string => basename(path).replace(/\.[^.]+$/, '')
