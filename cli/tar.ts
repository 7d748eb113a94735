import { Complaint } from './failure.ts'

export interface BundledFile {
  /** From the agent's folder, with slashes. */
  readonly path: string
  readonly bytes: Uint8Array
  readonly executable: boolean
  /** Where it points, when it is a symbolic link; it has no bytes then. */
  readonly link?: string
}

const block = 512

/**
 * A tar archive (ustar) of files and links, the same bytes for the same files: no times, no owners, sorted by path. The
 * digest of an agent's files is part of its version, so that packing twice must not make two of them.
 */
export const tarOf = (files: readonly BundledFile[]): Buffer =>
  Buffer.concat([
    ...files
      .toSorted((a, b) => (a.path < b.path ? -1 : 1))
      .flatMap((file) => [
        headerOf(file),
        file.bytes,
        Buffer.alloc((block - (file.bytes.length % block)) % block),
      ]),
    Buffer.alloc(2 * block),
  ])

const headerOf = ({ path, bytes, executable, link }: BundledFile): Buffer => {
  const { prefix, name } = splitPath(path)
  const header = Buffer.alloc(block)
  const octal = (value: number, width: number, at: number) =>
    header.write(value.toString(8).padStart(width - 1, '0'), at, 'latin1')
  header.write(name, 0, 'utf8')
  octal(executable ? 0o755 : 0o644, 8, 100)
  octal(0, 8, 108)
  octal(0, 8, 116)
  octal(bytes.length, 12, 124)
  octal(0, 12, 136)
  header.fill(' ', 148, 156)
  header.write(link === undefined ? '0' : '2', 156, 'latin1')
  if (link !== undefined) {
    if (Buffer.byteLength(link) > 100) throw new Complaint(`${path} links to too long a path for a bundle.`)
    header.write(link, 157, 'utf8')
  }
  header.write('ustar\u000000', 257, 'latin1')
  header.write(prefix, 345, 'utf8')
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\u0000 `, 148, 'latin1')
  return header
}

/** The format has 100 bytes for a name and 155 for the folders before it. */
const splitPath = (path: string): { prefix: string; name: string } => {
  if (Buffer.byteLength(path) <= 100) return { prefix: '', name: path }
  for (let at = path.indexOf('/'); at > 0; at = path.indexOf('/', at + 1)) {
    const [prefix, name] = [path.slice(0, at), path.slice(at + 1)]
    if (Buffer.byteLength(prefix) <= 155 && Buffer.byteLength(name) <= 100) return { prefix, name }
  }
  throw new Complaint(`${path} is too long a path for a bundle.`)
}
