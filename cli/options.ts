import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { InvalidArgumentError } from 'commander'
import { Complaint, unreadable } from './failure.ts'
import type { Terminal } from './terminal.ts'

/** Reads a whole number between two bounds. */
export const wholeNumber =
  (least: number, most: number) =>
  (text: string): number => {
    const number = Number(text)
    if (!Number.isInteger(number) || number < least || number > most)
      throw new InvalidArgumentError(`Must be a whole number from ${least} to ${most}.`)
    return number
  }

/** Collects an option that can be given several times, or once with commas. */
export const several = (text: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  ...text.split(',').flatMap((part) => part.trim() || []),
]

/** Collects an option that can be given several times; commas are part of its value. */
export const repeated = (text: string, before: readonly string[] = []): readonly string[] => [...before, text]

/** Reads a file, or standard input for `-`. */
export const readText = (path: string, { cwd }: Pick<Terminal, 'cwd'>): Promise<string> =>
  readFile(path === '-' ? '/dev/stdin' : resolve(cwd, path), 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw unreadable(path, cause)
  })

/** Reads a JSON file, or standard input for `-`. */
export const readJson = async (path: string, terminal: Pick<Terminal, 'cwd'>) => {
  const text = await readText(path, terminal)
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Complaint(`${path} is not JSON: ${cause instanceof Error ? cause.message : cause}`, { cause })
  }
}

/** At most so many items of a list, over all its pages. */
export const take = async <T>(items: AsyncIterable<T>, most: number): Promise<T[]> => {
  const taken: T[] = []
  for await (const item of items) {
    taken.push(item)
    if (taken.length >= most) break
  }
  return taken
}
