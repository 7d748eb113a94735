import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { findDebootstrap, findMirror } from './mirror.ts'
import { connectAsMachine, networkEnvironment } from './network.ts'

const run = promisify(execFile)
const maxBuffer = 64 * 1_048_576
const maxInstallMs = 1_500_000
/** Where programs are in the root. */
export const searchPath = '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin'
const enterScript = fileURLToPath(new URL('./enter.sh', import.meta.url))

/**
 * Runs the words that follow with private mounts and processes. The kernel ends them all with the process that started
 * them, however that one ends, so that no mount and no process stays behind.
 */
const namespaces = [
  ...['setpriv', '--pdeathsig', 'KILL', 'unshare'],
  ...['--mount', '--pid', '--fork', '--kill-child', '--propagation', 'private'],
]

export interface Job {
  /** What it has printed so far, on both streams. */
  readonly printed: () => string
  readonly hasEnded: () => boolean
  /** Sends SIGTERM to it and all that it started, and waits until they are gone. */
  readonly stop: () => Promise<void>
}

export interface CleanRoot {
  readonly folder: string
  /** Runs a shell script to its end; a failure has what it printed. */
  readonly shell: (script: string, env?: Readonly<Record<string, string>>) => Promise<string>
  /** Runs a command until it is stopped. */
  readonly untilStopped: (script: string, env?: Readonly<Record<string, string>>) => Job
  /** Ends all that still runs in it, and deletes it. */
  readonly remove: () => Promise<void>
}

/** Why there can be no such root here; undefined where there can. */
export const whyNoRoot = (): string | undefined => {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return 'only root on Linux can make a clean root'
  for (const program of ['/usr/bin/apt-get', '/usr/bin/wget', '/usr/bin/unshare', '/usr/bin/setpriv'])
    if (!existsSync(program)) return `${program} is not there`
  return undefined
}

/** A package of the npm registry, unpacked. */
const unpack = async (specification: string, place: string, folder: string): Promise<void> => {
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', place, specification])
  mkdirSync(folder, { recursive: true })
  await run('tar', ['-xzf', join(place, stdout.trim()), '-C', folder, '--strip-components=1'])
}

/** The smallest system of the machine's distribution, with git, Node and npm of the versions named, and no more. */
export const makeCleanRoot = async ({ node, npm }: { node: string; npm: string }): Promise<CleanRoot> => {
  const place = mkdtempSync(join(tmpdir(), 'diorama-clean-root-'))
  const folder = join(place, 'root')
  const entered = inside(folder)
  const remove = async () => {
    await entered.endAll()
    // Not rmSync: there are a hundred thousand files, and the reports of the tests wait for the event loop.
    await run('rm', ['-rf', place])
  }
  try {
    const { suite, address } = await findMirror()
    const { program, env } = await findDebootstrap(place)
    const [first = '', ...isolated] = namespaces
    const wanted = ['--variant=minbase', '--include=git,ca-certificates', suite, folder, address]
    await run(first, [...isolated, 'sh', program, ...wanted], {
      env: { ...process.env, ...env },
      maxBuffer,
      timeout: maxInstallMs,
      killSignal: 'SIGKILL',
    })
    const local = join(folder, 'usr/local')
    await unpack(`node-linux-${process.arch}@${node}`, place, join(local, 'lib/node'))
    await unpack(`npm@${npm}`, place, join(local, 'lib/node_modules/npm'))
    copyFileSync(join(local, 'lib/node/bin/node'), join(local, 'bin/node'))
    chmodSync(join(local, 'bin/node'), 0o755)
    for (const name of ['npm', 'npx'])
      symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(local, 'bin', name))
    connectAsMachine(folder)
    return { folder, shell: entered.shell, untilStopped: entered.untilStopped, remove }
  } catch (error) {
    await remove()
    throw error
  }
}

/** How commands run in a root. */
const inside = (folder: string): Omit<CleanRoot, 'folder' | 'remove'> & { endAll: () => Promise<void> } => {
  const running = new Map<ChildProcess, Promise<number | null>>()
  const start = (script: string, env: Readonly<Record<string, string>>) => {
    const own = Object.entries({ HOME: '/srv', LANG: 'C.UTF-8', PATH: searchPath, ...env })
    const variables = [...networkEnvironment(), ...own.map(([name, value]) => `${name}=${value}`)]
    const [first = '', ...isolated] = namespaces
    const words = [...isolated, enterScript, folder, 'env', '-i', ...variables, 'sh', '-euc', script]
    const child = spawn(first, words, { stdio: ['pipe', 'pipe', 'pipe'] })
    let printed = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        printed = (printed + text).slice(-maxBuffer)
      })
    const ended = once(child, 'close').then(([status]) => {
      running.delete(child)
      return status as number | null
    })
    running.set(child, ended)
    return { child, printed: () => printed, ended }
  }
  return {
    shell: async (script, env = {}) => {
      const { child, printed, ended } = start(script, env)
      child.stdin.end()
      const status = await ended
      if (status !== 0) throw new Error(`It ended with ${status}:\n${printed().slice(-8_000)}`)
      return printed()
    },
    untilStopped: (script, env = {}) => {
      const { child, printed, ended } = start(stoppable(script), env)
      return {
        printed,
        hasEnded: () => !running.has(child),
        stop: async () => {
          child.stdin.end()
          await ended
        },
      }
    },
    endAll: async () => {
      // With the first process of its namespace all others end, and with the namespace its mounts.
      for (const child of running.keys()) child.kill('SIGKILL')
      await Promise.all(running.values())
    },
  }
}

/**
 * A command that ends when standard input does: all that it started gets SIGTERM, since npx does not forward it. The
 * first process stays until the last program is gone.
 */
const stoppable = (script: string): string => `exec 3<&0
  { ${script}; } </dev/null 3<&- & job=$!
  { read _ <&3 || true; kill -TERM -1; } &
  wait $job || true
  while ls -l /proc/[0-9]*/exe 2>/dev/null | grep -qE 'node|postgres'; do sleep 0.2; done`
