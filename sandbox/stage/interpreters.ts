import { execFile } from 'node:child_process'
import { access, constants, realpath } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface Interpreters {
  /** The Node that runs us; agents and scorers get the same one. */
  readonly node: string
  /** The real interpreter behind any shim, and the folders it needs beside the system's own. */
  readonly python: { readonly executable: string; readonly prefixes: readonly string[] } | undefined
}

/** The first executable of that name in the search path. */
export const findExecutable = async (name: string, searchPath: string): Promise<string | undefined> => {
  for (const folder of searchPath.split(delimiter).filter(Boolean)) {
    const candidate = join(folder, name)
    const found = await access(candidate, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (found) return candidate
  }
  return undefined
}

/**
 * A python3 on the path may be a version manager's shim, which needs its manager and its home folder. Asking the
 * interpreter itself gives the executable and the prefixes that are enough to run it.
 */
const findPython = async (searchPath: string): Promise<Interpreters['python']> => {
  const shim = await findExecutable('python3', searchPath)
  if (!shim) return undefined
  const question = 'import sys; print(sys.executable); print(sys.prefix); print(sys.base_prefix)'
  try {
    const { stdout } = await run(shim, ['-I', '-c', question], { timeout: 10_000 })
    const [executable, ...prefixes] = stdout.trim().split('\n')
    if (!executable) return undefined
    return { executable, prefixes: [...new Set(prefixes)] }
  } catch {
    return undefined
  }
}

export const findInterpreters = async (searchPath: string): Promise<Interpreters> => {
  return { node: await realpath(process.execPath), python: await findPython(searchPath) }
}

/** The folders to put first on a job's PATH, in order. */
export const interpreterFolders = (interpreters: Interpreters): readonly string[] => {
  const folders = [dirname(interpreters.node)]
  if (interpreters.python) folders.push(dirname(interpreters.python.executable))
  return folders.filter((folder) => folder !== '/usr/bin' && folder !== '/bin')
}
