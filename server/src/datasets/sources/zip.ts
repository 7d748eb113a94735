import { type FileHandle, open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { crc32, createInflateRaw } from 'node:zlib'
import type { SourceFile } from '@diorama/twin-kit/datasets/dataset'
import { datasetFault } from '../faults.ts'

/** The files of a zip archive, found by its directory, so that any one of them can be read without the others. */
export interface ZipArchive {
  readonly files: readonly SourceFile[]
  readonly close: () => Promise<void>
}

interface Entry {
  readonly name: string
  readonly method: number
  readonly crc: number
  readonly packed: number
  readonly size: number
  readonly offset: number
}

const maxEntries = 500_000
const maxDirectoryBytes = 256 << 20
const endSignature = 0x06054b50
const end64Signature = 0x06064b50
const entrySignature = 0x02014b50
const localSignature = 0x04034b50
const absent = 0xffffffff

/** Opens an archive on disk. More than `maxBytes` of unpacked data is refused before any of it is unpacked. */
export const openZip = async (path: string, label: string, maxBytes: number): Promise<ZipArchive> => {
  const file = await open(path, 'r')
  try {
    const entries = await readDirectory(file, label)
    const total = entries.reduce((sum, { size }) => sum + size, 0)
    if (total > maxBytes) throw datasetFault({ file: label }, `unpacks to more than ${maxBytes} bytes`)
    return {
      files: entries.map((entry) => ({
        name: entry.name,
        size: entry.size,
        chunks: () => unpacked(file, entry),
      })),
      close: () => file.close(),
    }
  } catch (error) {
    await file.close()
    throw error
  }
}

const readAt = async (file: FileHandle, position: number, length: number): Promise<Buffer> => {
  const buffer = Buffer.alloc(length)
  const { bytesRead } = await file.read(buffer, 0, length, position)
  return buffer.subarray(0, bytesRead)
}

const readDirectory = async (file: FileHandle, label: string): Promise<Entry[]> => {
  const bad = (message: string) => datasetFault({ file: label }, message)
  const { size } = await file.stat()
  const tailLength = Math.min(size, 65_557 + 20)
  const tail = await readAt(file, size - tailLength, tailLength)
  const at = lastSignature(tail)
  if (at === -1) throw bad('is no zip archive')
  let count = tail.readUInt16LE(at + 10)
  let length = tail.readUInt32LE(at + 12)
  let offset = tail.readUInt32LE(at + 16)
  if (count === 0xffff || length === absent || offset === absent) {
    const where = at >= 20 ? Number(tail.readBigUInt64LE(at - 20 + 8)) : size
    const end = await readAt(file, where, 56)
    if (end.length < 56 || end.readUInt32LE(0) !== end64Signature) throw bad('is a broken zip archive')
    count = Number(end.readBigUInt64LE(32))
    length = Number(end.readBigUInt64LE(40))
    offset = Number(end.readBigUInt64LE(48))
  }
  if (count > maxEntries || length > maxDirectoryBytes) throw bad(`holds more than ${maxEntries} files`)
  return entriesOf(await readAt(file, offset, length), count, bad)
}

const lastSignature = (tail: Buffer): number => {
  for (let at = tail.length - 22; at >= 0; at--) if (tail.readUInt32LE(at) === endSignature) return at
  return -1
}

const entriesOf = (directory: Buffer, count: number, bad: (message: string) => Error): Entry[] => {
  const entries: Entry[] = []
  let at = 0
  for (let n = 0; n < count; n++) {
    if (at + 46 > directory.length || directory.readUInt32LE(at) !== entrySignature)
      throw bad('is a broken zip archive')
    const flags = directory.readUInt16LE(at + 8)
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((place) =>
      directory.readUInt16LE(at + place),
    ) as [number, number, number]
    const name = directory.toString('utf8', at + 46, at + 46 + nameLength)
    const extra = directory.subarray(at + 46 + nameLength, at + 46 + nameLength + extraLength)
    if (flags & 1) throw bad(`holds ${name}, which is encrypted`)
    const entry = wide(
      {
        name,
        method: directory.readUInt16LE(at + 10),
        crc: directory.readUInt32LE(at + 16),
        packed: directory.readUInt32LE(at + 20),
        size: directory.readUInt32LE(at + 24),
        offset: directory.readUInt32LE(at + 42),
      },
      extra,
    )
    if (!name.endsWith('/')) entries.push(entry)
    at += 46 + nameLength + extraLength + commentLength
  }
  return entries
}

/** Sizes and offsets beyond four bytes are in an extra field, each only where its short form is full. */
const wide = (entry: Entry, extra: Buffer): Entry => {
  for (let at = 0; at + 4 <= extra.length; ) {
    const length = extra.readUInt16LE(at + 2)
    if (extra.readUInt16LE(at) === 1) {
      let place = at + 4
      const next = (short: number): number => {
        if (short !== absent || place + 8 > extra.length) return short
        place += 8
        return Number(extra.readBigUInt64LE(place - 8))
      }
      const size = next(entry.size)
      const packed = next(entry.packed)
      return { ...entry, size, packed, offset: next(entry.offset) }
    }
    at += 4 + length
  }
  return entry
}

async function* unpacked(file: FileHandle, entry: Entry): AsyncGenerator<Uint8Array> {
  const bad = (message: string) => datasetFault({ file: entry.name }, message)
  const head = await readAt(file, entry.offset, 30)
  if (head.length < 30 || head.readUInt32LE(0) !== localSignature) throw bad('is broken in the archive')
  const start = entry.offset + 30 + head.readUInt16LE(26) + head.readUInt16LE(28)
  const packed = pieces(file, start, entry.packed)
  if (entry.method !== 0 && entry.method !== 8) throw bad('is packed in a way that cannot be read')
  const source = entry.method === 0 ? packed : inflated(packed)
  let size = 0
  let crc = 0
  try {
    for await (const chunk of source) {
      size += chunk.length
      if (size > entry.size) throw bad('is larger than the archive says')
      crc = crc32(chunk, crc)
      yield chunk
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('Z_'))
      throw bad('is broken in the archive')
    throw error
  }
  if (size !== entry.size || crc !== entry.crc) throw bad('is broken in the archive')
}

/** Readers may stop early: both ends are closed then, and there is no one to report an error to. */
async function* inflated(packed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const input = Readable.from(packed)
  const inflate = createInflateRaw()
  input.on('error', (error) => inflate.destroy(error))
  inflate.on('error', () => input.destroy())
  try {
    yield* input.pipe(inflate) as AsyncIterable<Uint8Array>
  } finally {
    input.destroy()
    inflate.destroy()
  }
}

const pieceBytes = 262_144

async function* pieces(file: FileHandle, start: number, length: number): AsyncGenerator<Buffer> {
  for (let done = 0; done < length; ) {
    const piece = await readAt(file, start + done, Math.min(pieceBytes, length - done))
    if (piece.length === 0) return
    done += piece.length
    yield piece
  }
}
