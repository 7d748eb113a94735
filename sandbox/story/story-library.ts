import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { StoryLibrary } from '../sandbox.ts'

/** Its name among our scripts in every sandbox. */
export const storyLibraryFile = 'story-time.so'

const folder = new URL('../preload/story/', import.meta.url)
const probe = promisify(execFile)

/**
 * Puts the library that shows programs a story's time among the scripts: the one that this machine's compiler made at
 * install, else the prebuilt one for this processor. One that was made from other source, or that this machine's
 * programs cannot load, is not used.
 */
export const placeStoryLibrary = async (scripts: string): Promise<StoryLibrary> => {
  if (process.platform !== 'linux') return { from: 'none', reason: 'it needs Linux' }
  const source = await readFile(new URL('story-time.c', folder))
  const sourceSha256 = createHash('sha256').update(source).digest('hex')
  const reasons: string[] = []
  for (const from of ['compiled', 'prebuilt'] as const) {
    const path = join(scripts, storyLibraryFile)
    const problem = await place({ from, path, sourceSha256 }).catch((error: unknown) =>
      error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error),
    )
    if (problem === undefined) return { from, path }
    reasons.push(`${from}: ${problem}`)
  }
  return { from: 'none', reason: reasons.join('; ') }
}

const place = async (parts: {
  from: 'compiled' | 'prebuilt'
  path: string
  sourceSha256: string
}): Promise<string | undefined> => {
  const { from, path, sourceSha256 } = parts
  const place = new URL(`${from}/`, folder)
  const manifest: { source_sha256?: string } = JSON.parse(
    await readFile(new URL('manifest.json', place), 'utf8').catch(() => '{}'),
  )
  if (manifest.source_sha256 === undefined) return 'there is none'
  if (manifest.source_sha256 !== sourceSha256) return 'it was made from other source'
  await copyFile(fileURLToPath(new URL(`story-time-${process.arch}.so`, place)), path)
  // The linker of a program that cannot load the library says so on its errors, or does not start it.
  const { stderr } = await probe('/bin/true', [], { env: { LD_PRELOAD: path }, timeout: 10_000 })
  return stderr === '' ? undefined : stderr.trim()
}
