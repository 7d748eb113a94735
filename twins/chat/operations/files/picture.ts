import { crc32, deflateSync } from 'node:zlib'

const maxSide = 512

/** A square PNG of one colour, so that the addresses of avatars and emoji lead to a picture. */
export const squarePng = (side: number, hex: string): Uint8Array => {
  const size = Math.min(Math.max(Math.floor(side), 1), maxSide)
  const colour = [0, 2, 4].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) || 0)
  const line = Buffer.alloc(1 + size * 3)
  for (let x = 0; x < size; x++) line.set(colour, 1 + x * 3)
  const header = Buffer.alloc(13)
  header.writeUInt32BE(size, 0)
  header.writeUInt32BE(size, 4)
  header.set([8, 2, 0, 0, 0], 8)
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(Array.from({ length: size }, () => line)))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

const chunk = (type: string, data: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const check = Buffer.alloc(4)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, check])
}
