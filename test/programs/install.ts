import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
/** Registries answer slowly at times, and a busy machine unpacks slowly. */
const timeout = 900_000

/** Runs an installation; where it cannot be done, the reason. */
const tried = async (what: string, command: string, args: readonly string[], cwd: string) => {
  try {
    await run(command, [...args], { cwd, timeout })
    return undefined
  } catch (error) {
    return `${what}: ${(error as Error).message.slice(0, 300)}`
  }
}

/** Packages of npm, without the programs that they would run while they are installed. */
export const installNpm = async (
  folder: string,
  packages: readonly string[],
): Promise<string | undefined> => {
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'package.json'), '{"private":true}')
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock']
  return tried('npm could not install the programs', 'npm', ['install', ...flags, ...packages], folder)
}

export const installPython = (folder: string, packages: readonly string[]): Promise<string | undefined> => {
  const flags = ['--quiet', '--no-compile', '--disable-pip-version-check', '--target', folder]
  const args = ['-m', 'pip', 'install', ...flags, ...packages]
  return tried('pip could not install the programs', 'python3', args, '.')
}

/** Static programs, which need nothing of the machine that they run on. Only what cannot be fetched is a reason to skip. */
export const buildGo = async (source: string, target: string): Promise<string | undefined> => {
  const missing = await tried('go could not fetch the modules', 'go', ['mod', 'download'], source)
  if (missing) return missing
  const env = { ...process.env, CGO_ENABLED: '0' }
  await run('go', ['build', '-o', target, './chat', './tracker'], { cwd: source, timeout, env })
  return undefined
}
