import { createHash } from 'node:crypto'
import { openAsBlob } from 'node:fs'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BlobTooLarge } from './blob-too-large.ts'

export interface Spooled extends AsyncDisposable {
  readonly sha256: string
  readonly size: number
  /** Reads from the disk, until the spooled content is disposed of. */
  readonly body: Blob
}

/** Writes a stream to a temporary file, since an object store wants to know size and digest before the first byte. */
export const spool = async (source: AsyncIterable<Uint8Array>, limitBytes: number): Promise<Spooled> => {
  const folder = await mkdtemp(join(tmpdir(), 'diorama-upload-'))
  const path = join(folder, 'content')
  const dispose = () => rm(folder, { recursive: true, force: true })
  const hash = createHash('sha256')
  let size = 0
  try {
    await using file = await open(path, 'wx', 0o600)
    for await (const bytes of source) {
      size += bytes.length
      if (size > limitBytes) throw new BlobTooLarge(`The content is larger than ${limitBytes} bytes.`)
      hash.update(bytes)
      await file.writeFile(bytes)
    }
    const body = await openAsBlob(path)
    return { sha256: hash.digest('hex'), size, body, [Symbol.asyncDispose]: dispose }
  } catch (error) {
    await dispose()
    throw error
  }
}
