import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { constants, zstdCompress, zstdDecompress } from 'node:zlib'
import { BoundedCache } from '../../storage/bounded-cache.ts'

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)
const fastest = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }
const maxKnown = 50_000

/** Compresses on the thread pool, off the event loop. */
export const packed = (text: string): Promise<Uint8Array> => compress(Buffer.from(text), fastest)
export const unpacked = async (body: Buffer): Promise<string> => (await decompress(body)).toString('utf8')

/** A text by its content: the text is left out where it has been handed on before. */
export interface Addressed {
  readonly sha256: Uint8Array
  readonly text: string | undefined
}

export interface AddressedExchange extends Addressed {
  /** Headers whose values differ from those in the payload, as JSON: a vendor's request id differs every time. */
  readonly ownHeaders: string | null
}

type Headers = Readonly<Record<string, string>>

/** Which payloads of which twins are in the database or on their way to it: an LRU cache of hashes. */
export interface KnownPayloads {
  readonly reply: (twinId: string, sha256: Uint8Array, text: () => string) => Addressed
  readonly exchange: (twinId: string, request: string, headers: Headers) => AddressedExchange
  /** Some of them did not arrive: none is known any longer. */
  readonly forgetAll: () => void
}

export const createKnownPayloads = (): KnownPayloads => {
  const empty = () => ({
    replies: new BoundedCache<true>({ most: maxKnown }),
    exchanges: new BoundedCache<{ sha256: Uint8Array; headers: Headers }>({ most: maxKnown }),
  })
  let known = empty()
  return {
    reply: (twinId, sha256, text) => {
      const key = `${twinId} ${Buffer.from(sha256).toString('latin1')}`
      if (known.replies.get(key)) return { sha256, text: undefined }
      known.replies.set(key, true)
      return { sha256, text: text() }
    },
    exchange: (twinId, request, headers) => {
      const key = hash('sha256', `${twinId} ${Object.keys(headers).join()} ${request}`, 'hex')
      const there = known.exchanges.get(key)
      if (there)
        return { sha256: there.sha256, text: undefined, ownHeaders: differing(headers, there.headers) }
      const text = `{"request":${request},"headers":${JSON.stringify(headers)}}`
      const sha256 = hash('sha256', text, 'buffer')
      known.exchanges.set(key, { sha256, headers })
      return { sha256, text, ownHeaders: null }
    },
    forgetAll: () => {
      known = empty()
    },
  }
}

const differing = (headers: Headers, stored: Headers): string | null => {
  const own = Object.entries(headers).filter(([name, value]) => stored[name] !== value)
  return own.length === 0 ? null : JSON.stringify(Object.fromEntries(own))
}
