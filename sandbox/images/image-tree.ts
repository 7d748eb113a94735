/**
 * The file system of an image, put together from its layers before anything is written. Layers are merged here, in
 * memory, and the result is laid out in one go: no link of an image exists yet while files are written, so none can lead
 * a write elsewhere.
 */
import { BadImage, type ImageLimits } from './image.ts'

export interface FileNode {
  readonly kind: 'file'
  readonly isExecutable: boolean
  readonly mtime: Date
  readonly size: number
  /** The layer and the position in it that hold the bytes; undefined for a file that is empty. */
  readonly content: { readonly layer: number; readonly entry: number } | undefined
  readonly layer: number
}
export interface LinkNode {
  readonly kind: 'link'
  readonly target: string
  readonly layer: number
}
export interface FolderNode {
  readonly kind: 'folder'
  readonly children: Map<string, Node>
  layer: number
}
export type Node = FileNode | LinkNode | FolderNode

export interface Entry {
  readonly path: string
  readonly type: 'file' | 'folder' | 'symlink' | 'link'
  readonly isExecutable: boolean
  readonly mtime: Date
  readonly size: number
  readonly target: string
}

const maxLinksFollowed = 40
const maxDepth = 200
const maxPathBytes = 4_096
const maxNameBytes = 255
const whiteout = '.wh.'
const opaque = '.wh..wh..opq'

const createFolder = (layer: number): FolderNode => ({ kind: 'folder', children: new Map(), layer })

/** The parts of a path; `.` and doubled slashes mean nothing, and `..` is never taken. */
export const partsOf = (path: string): string[] => {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.')
  if (parts.includes('..')) throw new BadImage(`The entry ${shown(path)} climbs out of its layer.`)
  if (path.includes('\0') || Buffer.byteLength(path) > maxPathBytes || parts.length > maxDepth)
    throw new BadImage(`The entry ${shown(path)} has a path that no system takes.`)
  if (parts.some((part) => Buffer.byteLength(part) > maxNameBytes))
    throw new BadImage(`The entry ${shown(path)} has a name of more than ${maxNameBytes} bytes.`)
  return parts
}

const shown = (path: string) => JSON.stringify(path.length > 100 ? `${path.slice(0, 100)}…` : path)

export class ImageTree {
  readonly root: FolderNode = createFolder(0)
  readonly #limits: ImageLimits
  #entries = 0
  #bytes = 0

  constructor(limits: ImageLimits) {
    this.#limits = limits
  }

  /** Adds one entry of a layer; `entry` is its position there. */
  add(layer: number, entry: number, { path, type, target, ...file }: Entry): void {
    this.#count(file.size)
    const parts = partsOf(path)
    const name = parts.pop()
    if (name === undefined) return
    const folder = this.#folderAt(parts, layer)
    if (name === opaque) this.#hideLower(folder, layer)
    else if (name.startsWith(whiteout)) this.#remove(folder, name.slice(whiteout.length), layer)
    else if (type === 'folder') this.#addFolder(folder, name, layer)
    else if (type === 'symlink') folder.children.set(name, { kind: 'link', target, layer })
    else if (type === 'link') folder.children.set(name, this.#linked(path, target))
    else folder.children.set(name, { kind: 'file', ...file, content: { layer, entry }, layer })
  }

  #count(size: number): void {
    this.#entries++
    this.#bytes += size
    const { maxBytes, maxFiles } = this.#limits
    if (this.#entries > maxFiles) throw new BadImage(`The image holds more than ${maxFiles} files.`)
    if (this.#bytes > maxBytes) throw new BadImage(`The image unpacks to more than ${maxBytes} bytes.`)
  }

  /** Of what a layer hides, only what lower layers brought: its own entries may come before or after. */
  #hideLower(folder: FolderNode, layer: number): void {
    for (const [name, child] of folder.children) if (child.layer < layer) folder.children.delete(name)
  }

  #remove(folder: FolderNode, name: string, layer: number): void {
    const child = folder.children.get(name)
    if (child && child.layer < layer) folder.children.delete(name)
  }

  #addFolder(folder: FolderNode, name: string, layer: number): void {
    const there = folder.children.get(name)
    if (there?.kind === 'folder') there.layer = layer
    else folder.children.set(name, createFolder(layer))
  }

  #linked(path: string, target: string): FileNode {
    const node = this.find(target)
    if (node?.kind !== 'file')
      throw new BadImage(
        `The entry ${shown(path)} is a link to ${shown(target)}, which is no file before it.`,
      )
    return node
  }

  /** The node at a path, where links on the way lead within the image; the last part is not followed. */
  find(path: string): Node | undefined {
    const parts = partsOf(path)
    const name = parts.pop()
    if (name === undefined) return this.root
    const folder = this.#walk(parts, undefined)
    return folder?.children.get(name)
  }

  /** The file at a path, with its last part followed too, and where it really is. */
  follow(path: string): { readonly file: FileNode; readonly trail: readonly string[] } | undefined {
    let at = partsOf(path)
    for (let followed = 0; followed < maxLinksFollowed; followed++) {
      const name = at.at(-1)
      if (name === undefined) return undefined
      const trail: string[] = []
      const node = this.#walk(at.slice(0, -1), undefined, trail)?.children.get(name)
      if (node?.kind === 'file') return { file: node, trail: [...trail, name] }
      if (node?.kind !== 'link') return undefined
      at = resolved(trail, node.target)
    }
    return undefined
  }

  /** A folder that is there or is made, and where it really is. */
  reach(path: string): { readonly folder: FolderNode; readonly trail: readonly string[] } {
    const trail: string[] = []
    return { folder: this.#folderAt(partsOf(path), 0, trail), trail }
  }

  #folderAt(parts: readonly string[], layer: number, trail: string[] = []): FolderNode {
    const folder = this.#walk(parts, layer, trail)
    if (!folder)
      throw new BadImage(`The entry ${shown(parts.join('/'))} lies below something that is no folder.`)
    return folder
  }

  /** `trail` receives where the way really led. */
  #walk(parts: readonly string[], make: number | undefined, trail: string[] = []): FolderNode | undefined {
    let ahead = [...parts]
    let folder: FolderNode = this.root
    let followed = 0
    for (let part = ahead.shift(); part !== undefined; part = ahead.shift()) {
      const next = folder.children.get(part)
      if (next?.kind === 'folder') {
        folder = next
        trail.push(part)
      } else if (next?.kind === 'link') {
        if (++followed > maxLinksFollowed) return undefined
        ahead = [...resolved(trail, next.target), ...ahead]
        folder = this.root
        trail.length = 0
      } else if (next === undefined && make !== undefined) {
        const made = createFolder(make)
        folder.children.set(part, made)
        folder = made
        trail.push(part)
      } else return undefined
    }
    return folder
  }
}

/** Where a link leads from a folder, as seen by a program whose root is the image: `..` stops there. */
const resolved = (folder: readonly string[], target: string): string[] => {
  const at = target.startsWith('/') ? [] : [...folder]
  for (const part of target.split('/')) {
    if (part === '..') at.pop()
    else if (part !== '' && part !== '.') at.push(part)
  }
  return at
}
