import type { Readable } from 'node:stream'

/** Why an image is refused; the reason is for the one who registered the agent. */
export class BadImage extends Error {
  override readonly name = 'BadImage'
}

/** The files of an image archive or of a folder in the OCI image layout, by their path in it. */
export interface ImageFiles extends AsyncDisposable {
  /** Undefined where there is no such file. */
  readonly open: (path: string) => Promise<Readable | undefined>
}

/** Where an image comes from. */
export interface ImageSource {
  /** Names the content: the same key is never another image. */
  readonly key: string
  /** Which image, where the source holds several: one of its tags. */
  readonly tag?: string | undefined
  /** Brings its files to a folder of ours, or shows them where they are. */
  readonly files: (spool: string) => Promise<ImageFiles>
}

export interface ImageLimits {
  /** Of all files of the unpacked image together, and of all layers before they are merged. */
  readonly maxBytes: number
  readonly maxFiles: number
  readonly maxLayers: number
}

export const imageLimits: ImageLimits = { maxBytes: 8 * 2 ** 30, maxFiles: 500_000, maxLayers: 256 }

/** What an image says of the program in it. */
export interface ImageConfig {
  readonly command: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Where the program starts; the home folder when absent. */
  readonly workingDir: string | undefined
}

/** An image on disk, ready to be the root of jobs. */
export interface UnpackedImage {
  /** The digest of its configuration, which holds those of its layers. */
  readonly digest: string
  readonly root: string
  readonly config: ImageConfig
  /** The version of the GNU C library in it, such as `2.36`; undefined where it has another or none. */
  readonly glibc: string | undefined
  readonly bytes: number
  /** Where the mount points of jobs really are, by the path that a job knows. */
  readonly places: ReadonlyMap<string, string>
}

/** An image that stays on disk until it is given back. */
export interface HeldImage extends UnpackedImage, Disposable {}
