import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { chmod, link, mkdir, open, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Header } from 'tar-stream'
import { BadImage, type ImageFiles, type ImageLimits } from './image.ts'
import { eachEntry, expanded } from './image-files.ts'
import { type Entry, type FileNode, type FolderNode, ImageTree } from './image-tree.ts'
import type { FoundImage, Layer } from './manifest.ts'

/** Small files are written whole, which saves a stream for each of many thousands. */
const maxWholeBytes = 256 * 1024
const types: Readonly<Record<string, Entry['type']>> = {
  file: 'file',
  'contiguous-file': 'file',
  directory: 'folder',
  symlink: 'symlink',
  link: 'link',
}

/** The merged layers of an image. Devices and pipes are left out: a job has its own few. */
export const readTree = async (
  files: ImageFiles,
  { layers }: FoundImage,
  limits: ImageLimits,
): Promise<ImageTree> => {
  if (layers.length > limits.maxLayers)
    throw new BadImage(`The image has more than ${limits.maxLayers} layers.`)
  const tree = new ImageTree(limits)
  for (const [layer, place] of layers.entries()) {
    let entry = 0
    await eachLayerEntry(files, place, limits.maxBytes, (header) => {
      const type = types[header.type ?? 'file']
      if (type) tree.add(layer, entry, entryOf(header, type))
      entry++
    })
  }
  return tree
}

const entryOf = ({ name, mode, mtime, size, linkname }: Header, type: Entry['type']): Entry => ({
  path: name,
  type,
  isExecutable: ((mode ?? 0) & 0o111) !== 0,
  mtime: mtime ?? new Date(0),
  size: type === 'file' ? (size ?? 0) : 0,
  target: linkname ?? '',
})

/** Reads a layer and holds it to its digests: that of its tar, and that of its bytes as they are stored. */
const eachLayerEntry = async (
  files: ImageFiles,
  { path, sha256, diffId }: Layer,
  maxBytes: number,
  act: (header: Header, body: Readable) => Promise<void> | void,
): Promise<void> => {
  const stored = await files.open(path)
  if (!stored) throw new BadImage(`The image names the layer ${path.slice(0, 200)}, which is not in it.`)
  const [before, after] = [createHash('sha256'), createHash('sha256')]
  const compressed = new PassThrough()
  stored.on('data', (piece: Buffer) => before.update(piece))
  stored.on('error', (error) => compressed.destroy(error))
  stored.pipe(compressed)
  const tar = await expanded(compressed)
  let bytes = 0
  tar.on('data', (piece: Buffer) => {
    bytes += piece.length
    after.update(piece)
    if (bytes > 2 * maxBytes) tar.destroy(new BadImage(`The image unpacks to more than ${maxBytes} bytes.`))
  })
  try {
    await eachEntry(tar, act)
  } finally {
    stored.destroy()
  }
  if (after.digest('hex') !== diffId)
    throw new BadImage(`The layer ${path.slice(0, 200)} does not unpack to what the configuration names.`)
  if (sha256 !== undefined && before.digest('hex') !== sha256)
    throw new BadImage(`${path} does not have the digest of its name.`)
}

/** Writes a tree to a folder that is empty: folders, then files, then links, which no write can meet. */
export const layOut = async (
  files: ImageFiles,
  { layers }: FoundImage,
  tree: ImageTree,
  parts: { readonly root: string; readonly limits: ImageLimits },
): Promise<number> => {
  const { root, limits } = parts
  const plan = planOf(tree.root)
  for (const path of plan.folders) await mkdir(join(root, path), { recursive: true, mode: 0o700 })
  let bytes = 0
  for (const [layer, place] of layers.entries()) {
    const wanted = plan.contents.get(layer)
    if (!wanted) continue
    let entry = 0
    await eachLayerEntry(files, place, limits.maxBytes, async (_header, body) => {
      const file = wanted.get(entry++)
      if (!file) return
      bytes += file.node.size
      await writeContent(join(root, file.paths[0] ?? ''), file.node, body)
    })
  }
  for (const { paths } of plan.empty) await writeFile(join(root, paths[0] ?? ''), '', { mode: 0o644 })
  const written = [...plan.contents.values()].flatMap((byEntry) => [...byEntry.values()])
  for (const { paths } of [...plan.empty, ...written])
    for (const other of paths.slice(1)) await link(join(root, paths[0] ?? ''), join(root, other))
  for (const { path, target } of plan.links) await symlink(target, join(root, path))
  for (const path of plan.folders) await chmod(join(root, path), 0o755)
  return bytes
}

const writeContent = async (
  path: string,
  { isExecutable, mtime, size }: FileNode,
  body: Readable,
): Promise<void> => {
  if (size > maxWholeBytes) await pipeline(body, createWriteStream(path, { flags: 'wx', mode: 0o600 }))
  else {
    const file = await open(path, 'wx', 0o600)
    try {
      for await (const piece of body) await file.writeFile(piece)
    } finally {
      await file.close()
    }
  }
  // An agent reads all of its image under any user, nobody writes it, and no file lends its owner's rights.
  await chmod(path, isExecutable ? 0o555 : 0o444)
  // Python compares the times of sources with those of their compiled forms.
  await utimes(path, mtime, mtime)
}

interface PlannedFile {
  readonly node: FileNode
  readonly paths: string[]
}

interface Plan {
  readonly folders: string[]
  readonly links: { readonly path: string; readonly target: string }[]
  /** By layer, then by position in it. */
  readonly contents: Map<number, Map<number, PlannedFile>>
  readonly empty: PlannedFile[]
}

const planOf = (root: FolderNode): Plan => {
  const plan: Plan = { folders: [], links: [], contents: new Map(), empty: [] }
  const byNode = new Map<FileNode, PlannedFile>()
  const visit = (folder: FolderNode, path: string): void => {
    plan.folders.push(path)
    for (const [name, node] of folder.children) {
      const at = path === '' ? name : `${path}/${name}`
      if (node.kind === 'folder') visit(node, at)
      else if (node.kind === 'link') plan.links.push({ path: at, target: node.target })
      else addFile(node, at)
    }
  }
  const addFile = (node: FileNode, path: string): void => {
    const known = byNode.get(node)
    if (known) {
      known.paths.push(path)
      return
    }
    const file = { node, paths: [path] }
    byNode.set(node, file)
    if (!node.content) {
      plan.empty.push(file)
      return
    }
    const byEntry = plan.contents.get(node.content.layer) ?? new Map<number, PlannedFile>()
    plan.contents.set(node.content.layer, byEntry.set(node.content.entry, file))
  }
  visit(root, '')
  return plan
}
