import { readFile } from 'node:fs/promises'
import type { UnpackedImage } from '../images/image.ts'
import type { StoryLibrary } from '../sandbox.ts'

const needed = new Map<string, Promise<number>>()

/** The library of a story's time is made for the GNU C library; an image with another one, or an older one, has none. */
export const storyLibraryFor = async (
  { glibc }: Pick<UnpackedImage, 'glibc'>,
  library: StoryLibrary,
): Promise<StoryLibrary> => {
  if (library.from === 'none') return library
  if (glibc === undefined) return { from: 'none', reason: 'the image does not have the GNU C library' }
  const least = needed.get(library.path) ?? newestVersion(library.path)
  needed.set(library.path, least)
  return minor(glibc) >= (await least)
    ? library
    : { from: 'none', reason: `the image has version ${glibc} of the GNU C library` }
}

const minor = (version: string): number => Number(version.split('.')[1] ?? 0)

/** The newest version of the C library whose symbols a program names. */
const newestVersion = async (path: string): Promise<number> => {
  const text = (await readFile(path)).toString('latin1')
  return Math.max(0, ...[...text.matchAll(/GLIBC_2\.(\d+)/g)].map(([, version]) => Number(version)))
}
