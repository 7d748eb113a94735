import { crc32, deflateRawSync } from 'node:zlib'

/** A zip archive of files that fit in memory. Times are left at zero, so that equal files give equal bytes. */
export const zipOf = (files: readonly (readonly [name: string, content: string | Uint8Array])[]): Buffer => {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [name, content] of files) {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content
    const title = Buffer.from(name)
    const packed = deflateRawSync(bytes)
    const facts = entryFacts({ bytes, packed, title })
    parts.push(Buffer.from('PK\x03\x04', 'latin1'), facts, title, packed)
    const place = Buffer.alloc(14)
    place.writeUInt32LE(offset, 10)
    directory.push(Buffer.from('PK\x01\x02\x14\x00', 'latin1'), facts, place, title)
    offset += 4 + facts.length + title.length + packed.length
  }
  const entries = Buffer.concat(directory)
  return Buffer.concat([...parts, entries, zipEnd({ count: files.length, size: entries.length, offset })])
}

/** The end of an archive, which says where its directory is. */
export const zipEnd = (directory: { count: number; size: number; offset: number }): Buffer => {
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(directory.count, 8)
  end.writeUInt16LE(directory.count, 10)
  end.writeUInt32LE(directory.size, 12)
  end.writeUInt32LE(directory.offset, 16)
  return end
}

interface Entry {
  readonly bytes: Uint8Array
  readonly packed: Uint8Array
  readonly title: Uint8Array
}

/** What the local and the central header of a file share: version, deflate, UTF-8 names, checksum and sizes. */
const entryFacts = ({ bytes, packed, title }: Entry): Buffer => {
  const facts = Buffer.alloc(26)
  facts.writeUInt16LE(20, 0)
  facts.writeUInt16LE(0x0800, 2)
  facts.writeUInt16LE(8, 4)
  facts.writeUInt32LE(crc32(bytes), 10)
  facts.writeUInt32LE(packed.length, 14)
  facts.writeUInt32LE(bytes.length, 18)
  facts.writeUInt16LE(title.length, 22)
  return facts
}
