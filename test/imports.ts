import { posix } from 'node:path'
import type { Source } from './sources.ts'

export interface Import {
  /** The file or package as it was written. */
  readonly written: string
  /** The file from the root, for one of ours; the package's name or `node:…` otherwise. */
  readonly target: string
  readonly ours: boolean
}

const statements =
  /^\s*(?:import|export)\b[^'"();]*?\bfrom\s*['"]([^'"]+)['"]|^\s*import\s+['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm
const scope = '@diorama/'

/** What a file imports, statically or not, types included. */
export const importsOf = ({ path, text }: Source): Import[] =>
  [...text.matchAll(statements)].map((found) => {
    const written = found[1] ?? found[2] ?? found[3] ?? ''
    if (written.startsWith('.'))
      return { written, target: posix.join(posix.dirname(path), written), ours: true }
    if (written.startsWith(scope)) return { written, target: workspaceFile(written), ours: true }
    return { written, target: packageName(written), ours: false }
  })

/** The workspaces give out their files by name, and `index.ts` by the workspace's own. */
const workspaceFile = (written: string): string => {
  const path = written.slice(scope.length)
  if (!path.includes('/')) return `${path}/index.ts`
  return /\.\w+$/.test(path) ? path : `${path}.ts`
}

const packageName = (written: string): string =>
  written.startsWith('node:')
    ? written
    : written
        .split('/')
        .slice(0, written.startsWith('@') ? 2 : 1)
        .join('/')
