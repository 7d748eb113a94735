import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A text file of the repository; its path is from the root, with slashes. */
export interface Source {
  readonly path: string
  readonly text: string
}

export const root = fileURLToPath(new URL('../', import.meta.url))

const passedOver = new Set(['node_modules', 'dist', '.git', '.diorama', 'artifacts', '__pycache__'])
const textual =
  /\.(ts|tsx|mjs|py|json|md|css|html|ya?ml|sh|toml)$|(^|\/)(run|Dockerfile|\.npmrc|\.gitignore)$/
const code = /\.(ts|tsx|mjs|py)$/
const generated = /\.generated\.\w+$/

/** Every text file that belongs to the repository. What is installed, built or kept by a running service is not. */
export const readSources = (): Source[] =>
  filesUnder('')
    .filter((path) => textual.test(path))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))

const filesUnder = (folder: string): string[] =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (entry.isDirectory()) return passedOver.has(entry.name) ? [] : filesUnder(path)
    return entry.isFile() ? [path] : []
  })

export const isCode = ({ path }: Source): boolean => code.test(path) && !generated.test(path)
export const isGenerated = ({ path }: Source): boolean => generated.test(path)
export const isTest = (path: string): boolean => /\.test\.tsx?$/.test(path)

/** Tests, and files whose names say that only tests use them. */
export const isForTests = (path: string): boolean =>
  isTest(path) || /(^|\/)(testing|conformance|simulate|crash|test)\b[^/]*(\/|\.ts$)/.test(path)

/** Where a pattern first occurs in a text, as `path:line: what`. */
export const placesOf = ({ path, text }: Source, pattern: RegExp, what: string): string[] =>
  text
    .split('\n')
    .flatMap((line, index) =>
      pattern.test(line) ? [`${path}:${index + 1}: ${what}: ${line.trim().slice(0, 100)}`] : [],
    )
