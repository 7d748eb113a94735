import { once } from 'node:events'
import { PassThrough, type Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { extract, type Header } from 'tar-stream'
import { ApiError } from '../http/api-error.ts'
import { BadBundle, openManifest } from './manifest.ts'

/** Files whose text is kept on the way. */
export interface Capture {
  readonly paths: readonly string[]
  readonly maxBytes: number
  readonly files: Map<string, string>
}

/**
 * Passes a bundle through while it is inspected. The archive is read in a stream and never unpacked here. When it is
 * refused the passing ends with the refusal, so that who stores what passes through stores nothing.
 */
export async function* inspected(
  source: AsyncIterable<Uint8Array>,
  expandedLimit: number,
  capture?: Capture,
): AsyncGenerator<Uint8Array> {
  const tap = new PassThrough()
  const verdict = inspect(tap, expandedLimit, capture)
  const outcome: { error?: unknown } = {}
  const settled = verdict.catch((error) => {
    outcome.error = error
    tap.resume()
  })
  try {
    for await (const piece of source) {
      if (!tap.write(piece)) await Promise.race([once(tap, 'drain'), settled])
      if (outcome.error) break
      yield piece
    }
    tap.end()
    await verdict
  } catch (error) {
    throw error instanceof BadBundle ? new ApiError('invalid_bundle', error.message, { cause: error }) : error
  } finally {
    tap.destroy(new Error('The upload ended.'))
  }
}

/** Resolves when the archive keeps the rules; throws BadBundle otherwise. */
const inspect = async (
  compressed: Readable,
  expandedLimit: number,
  capture: Capture | undefined,
): Promise<void> => {
  const manifest = openManifest(expandedLimit)
  const archive = extract()
  const gunzip = createGunzip()
  const failed = failures(archive, gunzip, compressed)
  archive.on('entry', (header: Header, body, next) => {
    // The archive itself tells the same failure; unheard here it would end the process.
    body.on('error', () => {})
    try {
      manifest.enter(header)
      const path = capture && capturedPath(capture, header)
      const pieces: Buffer[] = []
      if (path !== undefined) body.on('data', (piece) => pieces.push(Buffer.from(piece as Uint8Array)))
      body.on('end', () => {
        if (path !== undefined) capture?.files.set(path, Buffer.concat(pieces).toString())
        next()
      })
      body.resume()
    } catch (error) {
      next(error instanceof Error ? error : new Error(String(error)))
    }
  })
  try {
    await Promise.race([failed, expand(compressed.pipe(gunzip), archive, expandedLimit)])
    manifest.finish()
  } finally {
    compressed.unpipe(gunzip)
    gunzip.destroy()
    archive.destroy()
  }
}

const capturedPath = ({ paths, maxBytes }: Capture, { name, type, size }: Header): string | undefined => {
  const path = paths.find((one) => name === one || name === `./${one}`)
  if (path === undefined || type !== 'file') return undefined
  if (size > maxBytes) throw new BadBundle(`${path} is larger than ${maxBytes} bytes.`)
  return path
}

const expand = async (
  gunzip: Readable,
  archive: ReturnType<typeof extract>,
  expandedLimit: number,
): Promise<void> => {
  // Headers and padding count too, or an archive of nothing but those would have no limit.
  const most = expandedLimit + 64 * 1_048_576
  let expanded = 0
  for await (const piece of gunzip) {
    expanded += piece.length
    if (expanded > most) throw new BadBundle(`The bundle expands to more than ${expandedLimit} bytes.`)
    if (!archive.write(piece)) await new Promise((resolve) => archive.once('drain', () => resolve(undefined)))
  }
  if (expanded === 0) throw new BadBundle('The bundle is empty.')
  await new Promise<void>((resolve) => {
    archive.once('finish', () => resolve())
    archive.end(undefined)
  })
}

/** Rejects with the first fault of any part, in words for the sender. */
const failures = (
  archive: ReturnType<typeof extract>,
  gunzip: Readable,
  compressed: Readable,
): Promise<never> => {
  const promise = new Promise<never>((_, reject) => {
    archive.on('error', (error: Error) =>
      reject(
        error instanceof BadBundle
          ? error
          : new BadBundle(`The bundle is not a valid tar archive: ${error.message}.`, { cause: error }),
      ),
    )
    gunzip.on('error', (error) =>
      reject(new BadBundle(`The bundle is not valid gzip: ${error.message}.`, { cause: error })),
    )
    compressed.on('error', reject)
  })
  promise.catch(() => {})
  return promise
}
