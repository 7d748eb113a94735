import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readDeclarations } from './declarations.ts'
import type { SchemaModel } from './model.ts'

/** Raised when what is read from the package changes, so that an older cache is not taken. */
const layout = 1

/**
 * The schema that the installed client package was generated from. Reading its declarations takes a good part of a
 * second; with a folder to keep the result in, later starts only read that.
 */
export const loadModel = ({ cacheDir }: { cacheDir?: string } = {}): SchemaModel => {
  const folder = dirname(fileURLToPath(import.meta.resolve('@linear/sdk')))
  const version = packageVersion(folder)
  const file = cacheDir === undefined ? undefined : join(cacheDir, `tracker-schema-${version}-${layout}.json`)
  const kept = file === undefined ? undefined : readKept(file)
  if (kept) return kept
  const model = readDeclarations(readFileSync(join(folder, declarations(folder)), 'utf8'), version)
  if (file !== undefined) keep(file, model)
  return model
}

const packageVersion = (folder: string): string => {
  const read: unknown = JSON.parse(readFileSync(join(folder, '..', 'package.json'), 'utf8'))
  const version = typeof read === 'object' && read !== null && 'version' in read ? read.version : undefined
  if (typeof version !== 'string') throw new Error('the client package does not say its version')
  return version
}

/** The declarations are in a file with a hash in its name, beside the index that re-exports them. */
const declarations = (folder: string): string => {
  const file = readdirSync(folder).find((name) => /^index-.+\.d\.mts$/.test(name))
  if (!file) throw new Error(`no type declarations in ${folder}: install @linear/sdk again`)
  return file
}

const readKept = (file: string): SchemaModel | undefined => {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}

/** Written beside and renamed, so that another process never reads half a file. A cache that cannot be written is no loss. */
const keep = (file: string, model: SchemaModel): void => {
  try {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(`${file}.${process.pid}`, JSON.stringify(model))
    renameSync(`${file}.${process.pid}`, file)
  } catch {
    return
  }
}
