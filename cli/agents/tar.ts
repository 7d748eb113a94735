import { buffer } from 'node:stream/consumers'
import { pack } from 'tar-stream'

export interface BundledFile {
  /** From the agent's folder, with slashes. */
  readonly path: string
  readonly bytes: Uint8Array
  readonly executable: boolean
  /** Where it points, when it is a symbolic link; it has no bytes then. */
  readonly link?: string
}

/**
 * A tar archive of files and links, the same bytes for the same files: no times, no owners, sorted by path. The digest
 * of an agent's files is part of its version, so packing twice must not make two of them.
 */
export const tarOf = (files: readonly BundledFile[]): Promise<Buffer> => {
  const archive = pack()
  for (const { path, bytes, executable, link } of files.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    const header = { name: path, mode: executable ? 0o755 : 0o644, mtime: new Date(0), uid: 0, gid: 0 }
    if (link === undefined) archive.entry(header, Buffer.from(bytes))
    else archive.entry({ ...header, type: 'symlink', linkname: link })
  }
  archive.finalize()
  return buffer(archive)
}
