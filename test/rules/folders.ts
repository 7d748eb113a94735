import { posix } from 'node:path'
import { isCode, isForTests, type Source } from '../sources.ts'

const maxFiles = 15

/** Folders with more source files than a reader takes in at once; `allowed` names those that may have more. */
export const crowdedFolders = (sources: readonly Source[], allowed: readonly string[]): string[] => {
  const files = sources.filter(
    (source) => isCode(source) && !isForTests(source.path) && !/\.d\.m?ts$/.test(source.path),
  )
  const folders = Map.groupBy(files, ({ path }) => posix.dirname(path))
  return [...folders]
    .filter(([folder, { length }]) => length > maxFiles && !allowed.includes(folder))
    .map(([folder, { length }]) => `${folder} has ${length} source files; group them by subject`)
}
