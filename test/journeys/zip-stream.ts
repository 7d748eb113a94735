import { crc32, createDeflateRaw } from 'node:zlib'
import { zipEnd } from '../../server/src/bridges/zip.ts'

type File = readonly [name: string, chunks: () => Iterable<Buffer>]

/** A zip archive that is packed while it is sent, for tests with files that are larger than memory should be. */
export async function* zipStream(files: readonly File[]): AsyncGenerator<Buffer> {
  const directory: Buffer[] = []
  let offset = 0
  for (const [name, chunks] of files) {
    const title = Buffer.from(name)
    const local = Buffer.alloc(30)
    local.write('PK\x03\x04', 'latin1')
    local.writeUInt16LE(20, 4)
    // Sizes and checksum are known afterwards: the directory has them.
    local.writeUInt16LE(8, 6)
    local.writeUInt16LE(8, 8)
    local.writeUInt16LE(title.length, 26)
    yield Buffer.concat([local, title])
    const sums = { crc: 0, size: 0, packed: 0 }
    for await (const piece of packed(chunks(), sums)) yield piece
    const entry = Buffer.alloc(46)
    entry.write('PK\x01\x02\x14\x00\x14\x00\x08\x00\x08\x00', 'latin1')
    entry.writeUInt32LE(sums.crc, 16)
    entry.writeUInt32LE(sums.packed, 20)
    entry.writeUInt32LE(sums.size, 24)
    entry.writeUInt16LE(title.length, 28)
    entry.writeUInt32LE(offset, 42)
    directory.push(entry, title)
    offset += 30 + title.length + sums.packed
  }
  const entries = Buffer.concat(directory)
  yield Buffer.concat([entries, zipEnd({ count: files.length, size: entries.length, offset })])
}

async function* packed(
  chunks: Iterable<Buffer>,
  sums: { crc: number; size: number; packed: number },
): AsyncGenerator<Buffer> {
  const deflate = createDeflateRaw({ level: 1 })
  const written = (async () => {
    for (const chunk of chunks) {
      sums.crc = crc32(chunk, sums.crc)
      sums.size += chunk.length
      if (!deflate.write(chunk)) await new Promise((resolve) => deflate.once('drain', resolve))
    }
    deflate.end()
  })()
  for await (const piece of deflate as AsyncIterable<Buffer>) {
    sums.packed += piece.length
    yield piece
  }
  await written
}
