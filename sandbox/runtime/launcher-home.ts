import { execFile } from 'node:child_process'
import { copyFile, mkdir, realpath } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Prints the prefix of the interpreter, then the file of each module that the launcher can come to need. */
const question = `
import sys
sys.path.insert(0, sys.argv[1])
import warnings, launcher, relay, collection, image_folders, confinement, story, encodings.utf_8, encodings.latin_1, encodings.ascii
print(sys.base_prefix)
for module in list(sys.modules.values()):
    for name in ("__file__", "__cached__"):
        path = getattr(module, name, None)
        if path: print(path)
`

export interface LauncherHome {
  readonly folder: string
  /** How Python is started where that folder is mounted. */
  readonly python: (mounted: string) => readonly string[]
}

/**
 * A Python of a few dozen files, with its own dynamic linker and libraries: an image need not have any of them, and may
 * have others. It is mounted beside the image and runs nothing but the launcher.
 */
export const makeLauncherHome = async (
  folder: string,
  { python, scripts }: { python: string; scripts: string },
): Promise<LauncherHome> => {
  const { stdout } = await run(python, ['-I', '-S', '-c', question, scripts], { timeout: 30_000, env: {} })
  const [prefix = '', ...files] = stdout.trim().split('\n')
  const modules = files.filter((file) => !relative(prefix, file).startsWith('..'))
  for (const file of new Set(modules)) await copied(file, join(folder, relative(prefix, file)))
  const executable = await realpath(python)
  await copied(executable, join(folder, 'bin', 'python3'))
  const native = modules.filter((file) => file.endsWith('.so'))
  const libraries = new Set<string>()
  let linker: string | undefined
  for (const program of [executable, ...native]) {
    const { stdout: listed } = await run('ldd', [program], {
      timeout: 10_000,
      env: { PATH: '/usr/bin:/bin' },
    })
    for (const line of listed.split('\n')) {
      const found = /=> (\/\S+) \(/.exec(line)?.[1]
      if (found) libraries.add(found)
      linker ??= /^\s*(\/\S*ld[-.]\S+) \(/.exec(line)?.[1]
    }
  }
  if (!linker) throw new Error('the dynamic linker of python3 was not found')
  await copied(linker, join(folder, 'linker'))
  for (const library of libraries) await copied(library, join(folder, 'libraries', basename(library)))
  return {
    folder,
    python: (mounted) => [
      `${mounted}/linker`,
      '--library-path',
      `${mounted}/libraries`,
      `${mounted}/bin/python3`,
    ],
  }
}

/** Some of the compiled forms that Python names are not there. */
const copied = async (from: string, to: string): Promise<void> => {
  await mkdir(dirname(to), { recursive: true, mode: 0o755 })
  await copyFile(from, to).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' || !from.endsWith('.pyc')) throw error
  })
}
