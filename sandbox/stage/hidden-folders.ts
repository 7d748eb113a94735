import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdir, stat } from 'node:fs/promises'
import { Socket } from 'node:net'
import { dirname, join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { SandboxFault } from '../sandbox.ts'

/** Sets the real folder aside where only we can go, and puts an empty one in its place that anybody may pass. */
const coverScript = 'mkdir "$2" && mount --bind "$1" "$2" && mount -t tmpfs -o mode=711,size=1m diorama "$1"'
/** Puts one thing back, read-only, at its own path. */
const uncoverScript = `umask 022 && mkdir -p "$(dirname "$2")" &&
  if [ -d "$1" ]; then mkdir -p "$2"; else [ -e "$2" ] || : > "$2"; fi &&
  mount --bind "$1" "$2" && mount -o remount,bind,ro "$2"`

/**
 * As root, jobs run as users who cannot enter private home folders, while an interpreter may live in one. It is shown
 * to them alone, at its own path since its libraries may name that, in a mount namespace that no one else sees.
 */
export class HiddenFolders implements AsyncDisposable {
  readonly #aside: string
  readonly #shown = new Map<string, Promise<void>>()
  readonly #covered = new Map<string, Promise<string>>()
  #holder: Promise<ChildProcess> | undefined
  #pid: number | undefined

  /** `aside` is a folder of ours in which what was covered is kept. */
  constructor(aside: string) {
    this.#aside = aside
  }

  /** What to put before a command so that it sees what is shown. */
  get enter(): readonly string[] {
    return this.#pid ? ['nsenter', `--mount=/proc/${this.#pid}/ns/mnt`, '--'] : []
  }

  /** As root, makes the mount namespace now, for programs that must be in it from the start, where we may make one. */
  async hold(): Promise<void> {
    if (process.getuid?.() === 0) await this.#hold().catch(() => undefined)
  }

  async #hold(): Promise<void> {
    this.#holder ??= holdMounts()
    this.#pid = (await this.#holder).pid
  }

  /** From here on a job's user reaches this file or folder. */
  show(path: string): Promise<void> {
    const known = this.#shown.get(path)
    if (known) return known
    const shown = this.#show(path)
    this.#shown.set(path, shown)
    shown.catch(() => this.#shown.delete(path))
    return shown
  }

  async #show(path: string): Promise<void> {
    await stat(path).catch((cause: unknown) => {
      throw new SandboxFault(`A job needs ${path}, which is not there.`, { cause })
    })
    const closed = process.getuid?.() === 0 ? await closedFolderAbove(path) : undefined
    if (closed === undefined) return
    await this.#hold()
    const aside = this.#covered.get(closed) ?? this.#cover(closed)
    this.#covered.set(closed, aside)
    await this.#inside(uncoverScript, join(await aside, relative(closed, path)), path)
  }

  async #cover(folder: string): Promise<string> {
    const aside = join(this.#aside, String(this.#covered.size))
    await mkdir(this.#aside, { recursive: true, mode: 0o700 })
    await this.#inside(coverScript, folder, aside)
    return aside
  }

  async #inside(script: string, from: string, to: string): Promise<void> {
    const [program = '', ...args] = [...this.enter, 'sh', '-c', script, 'sh', from, to]
    await promisify(execFile)(program, args, { timeout: 10_000, cwd: '/' })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const holder = await this.#holder?.catch(() => undefined)
    if (!holder || holder.exitCode !== null || holder.signalCode !== null) return
    holder.ref()
    const gone = new Promise((resolve) => holder.once('exit', resolve))
    holder.stdin?.end()
    await gone
  }
}

/** The highest folder on the way that only its owner may pass; undefined when everybody reaches the path. */
export const closedFolderAbove = async (path: string): Promise<string | undefined> => {
  const above = dirname(path)
  if (above === path) return undefined
  const closed = await closedFolderAbove(above)
  return closed ?? (((await stat(above)).mode & 0o001) === 0 ? above : undefined)
}

/** Our own mount namespace, which lives exactly as long as our end of its standard input. */
const holdMounts = async (): Promise<ChildProcess> => {
  const args = ['--mount', '--propagation', 'private', 'sh', '-c', 'echo ready; read -r _; exit 0']
  const child = spawn('unshare', args, { stdio: ['pipe', 'pipe', 'inherit'], cwd: '/' })
  const ready = await new Promise<boolean>((resolve) => {
    child.once('error', () => resolve(false))
    child.once('exit', () => resolve(false))
    createInterface({ input: child.stdout }).once('line', () => resolve(true))
  })
  if (!ready) throw new SandboxFault('Could not make a mount namespace for sandboxed users.')
  child.unref()
  for (const pipe of [child.stdin, child.stdout]) if (pipe instanceof Socket) pipe.unref()
  return child
}
