import { createReadStream, createWriteStream } from 'node:fs'
import { lstat, mkdir, realpath, rm } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createZstdDecompress } from 'node:zlib'
import { extract, type Header } from 'tar-stream'
import { BadImage, type ImageFiles, type ImageLimits } from './image.ts'

const gzipMagic = Buffer.from([0x1f, 0x8b])
const zstdMagic = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])
const maxAliases = 10

/** The bytes of a stream, unpacked where they are gzip or Zstandard, whatever their name says. */
export const expanded = async (source: Readable): Promise<Readable> => {
  const head = await firstBytes(source, zstdMagic.length)
  const unpacker = head.subarray(0, 2).equals(gzipMagic)
    ? createGunzip()
    : head.equals(zstdMagic)
      ? createZstdDecompress()
      : new PassThrough()
  source.on('error', (error) => unpacker.destroy(error))
  return source.pipe(unpacker)
}

const firstBytes = async (source: Readable, count: number): Promise<Buffer> => {
  const pieces: Buffer[] = []
  let held = 0
  while (held < count) {
    const piece: Buffer | null = source.read()
    if (piece) {
      pieces.push(piece)
      held += piece.length
    } else if (source.readableEnded || source.destroyed) break
    else if (!(await readableOrOver(source))) break
  }
  const all = Buffer.concat(pieces)
  if (all.length > 0) source.unshift(all)
  return all.subarray(0, count)
}

const readableOrOver = (source: Readable): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const settle = (is: boolean) => {
      source.off('readable', onReadable)
      source.off('end', onEnd)
      source.off('error', reject)
      resolve(is)
    }
    const onReadable = () => settle(true)
    const onEnd = () => settle(false)
    source.once('readable', onReadable)
    source.once('end', onEnd)
    source.once('error', reject)
  })

/** Calls back for each entry of a tar, in order, and waits for the answer. */
export const eachEntry = async (
  tar: Readable,
  act: (header: Header, body: Readable) => Promise<void> | void,
): Promise<void> => {
  const archive = extract()
  const reading = (async () => {
    for await (const entry of archive) {
      const body = entry as unknown as Readable
      await act(entry.header, body)
      body.resume()
    }
  })()
  try {
    await Promise.all([pipeline(tar, archive), reading])
  } catch (error) {
    if (error instanceof BadImage) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new BadImage(`The image is not a valid archive: ${reason}.`, { cause: error })
  }
}

/** Spools the files of an archive under numbers of ours, so that no name in it is ever a path here. */
export const archiveFiles = async (
  archive: AsyncIterable<Uint8Array>,
  folder: string,
  { maxBytes, maxFiles }: ImageLimits,
): Promise<ImageFiles> => {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const places = new Map<string, string>()
  const aliases = new Map<string, string>()
  let bytes = 0
  let entries = 0
  await eachEntry(
    await expanded(Readable.from(archive)),
    async ({ name, type, size = 0, linkname }, body) => {
      bytes += size
      if (++entries > maxFiles || bytes > maxBytes)
        throw new BadImage(
          `The archive of the image holds more than ${maxBytes} bytes or ${maxFiles} entries.`,
        )
      const path = posix.normalize(name).replace(/^\/+/, '')
      if (type === 'symlink')
        aliases.set(path, posix.normalize(posix.join(posix.dirname(path), linkname ?? '')))
      else if (type === 'link') aliases.set(path, posix.normalize(linkname ?? ''))
      else if (type === 'file' || type === 'contiguous-file') {
        const place = join(folder, String(places.size))
        places.set(path, place)
        await pipeline(body, createWriteStream(place, { mode: 0o600 }))
      }
    },
  )
  const placeOf = (path: string): string | undefined => {
    let at = path
    for (let followed = 0; followed < maxAliases; followed++) {
      const place = places.get(at)
      if (place !== undefined) return place
      at = aliases.get(at) ?? ''
    }
    return undefined
  }
  return {
    open: async (path) => {
      const place = placeOf(path)
      return place === undefined ? undefined : createReadStream(place)
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

/** The files of a folder in the OCI image layout, where they are; a link in it leads nowhere. */
export const folderFiles = (folder: string): ImageFiles => ({
  open: async (path) => {
    const full = join(folder, posix.normalize(`/${path}`))
    const found = await lstat(full).catch(() => undefined)
    if (!found?.isFile() || !(await realpath(full)).startsWith(await realpath(folder))) return undefined
    return createReadStream(full)
  },
  [Symbol.asyncDispose]: async () => undefined,
})
