import { chmod, mkdir, mkdtemp, open as openFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type HeldImage,
  type ImageLimits,
  type ImageSource,
  imageLimits,
  type UnpackedImage,
} from './image.ts'
import type { ImageTree } from './image-tree.ts'
import { findImage } from './manifest.ts'
import { addMountPoints, type MountPoints } from './mount-points.ts'
import { layOut, readTree } from './unpack.ts'

/** Unused images are kept until they take more than this together. */
const maxKeptBytes = 16 * 2 ** 30
const libraryFolders = [
  ...['lib', 'lib64', 'usr/lib', 'usr/lib64'],
  ...['x86_64', 'aarch64'].flatMap((machine) => [`lib/${machine}-linux-gnu`, `usr/lib/${machine}-linux-gnu`]),
]
const maxLibraryBytes = 8 * 2 ** 20

export interface ImageStoreParts {
  readonly folder: string
  readonly mountPoints: MountPoints
  readonly limits?: ImageLimits
  readonly maxBytes?: number
}

interface Kept {
  readonly image: Promise<UnpackedImage>
  bytes: number
  users: number
}

/** An LRU cache of unpacked images, by the key of their source. Two jobs that want the same one wait for one unpacking. */
export class ImageStore {
  readonly #parts: ImageStoreParts
  /** The least recently used first. */
  readonly #kept = new Map<string, Kept>()

  constructor(parts: ImageStoreParts) {
    this.#parts = parts
  }

  async hold(source: ImageSource): Promise<HeldImage> {
    const name = `${source.key} ${source.tag ?? ''}`
    const known = this.#kept.get(name)
    const kept: Kept = known ?? { image: this.#unpack(source), bytes: 0, users: 0 }
    this.#kept.delete(name)
    this.#kept.set(name, kept)
    kept.users++
    try {
      const image = await kept.image
      kept.bytes = image.bytes
      await this.#makeRoom()
      return { ...image, [Symbol.dispose]: () => void kept.users-- }
    } catch (error) {
      kept.users--
      this.#kept.delete(name)
      throw error
    }
  }

  async #makeRoom(): Promise<void> {
    let bytes = [...this.#kept.values()].reduce((sum, one) => sum + one.bytes, 0)
    for (const [name, { image, users, bytes: freed }] of [...this.#kept]) {
      if (bytes <= (this.#parts.maxBytes ?? maxKeptBytes)) return
      if (users > 0) continue
      this.#kept.delete(name)
      bytes -= freed
      await rm(join((await image).root, '..'), { recursive: true, force: true })
    }
  }

  async #unpack(source: ImageSource): Promise<UnpackedImage> {
    const { folder, limits = imageLimits, mountPoints } = this.#parts
    await mkdir(folder, { recursive: true, mode: 0o755 })
    const own = await mkdtemp(join(folder, 'image-'))
    const root = join(own, 'root')
    await chmod(own, 0o755)
    try {
      await using files = await source.files(join(own, 'archive'))
      const found = await findImage(files, source.tag, process.arch)
      const tree = await readTree(files, found, limits)
      const places = addMountPoints(tree, mountPoints)
      const bytes = await layOut(files, found, tree, { root, limits })
      const glibc = await glibcOf(tree, root)
      return { digest: found.digest, root, config: found.config, glibc, bytes, places }
    } catch (error) {
      await rm(own, { recursive: true, force: true })
      throw error
    }
  }
}

/** The library names its version in a separate sentence. */
const glibcOf = async (tree: ImageTree, root: string): Promise<string | undefined> => {
  for (const folder of libraryFolders) {
    const { trail } = tree.follow(`${folder}/libc.so.6`) ?? {}
    if (!trail) continue
    const file = await openFile(join(root, ...trail))
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(maxLibraryBytes), 0, maxLibraryBytes)
      const version = /GNU C Library [^\n]*version (\d+\.\d+)/.exec(
        buffer.toString('latin1', 0, bytesRead),
      )?.[1]
      if (version) return version
    } finally {
      await file.close()
    }
  }
  return undefined
}
