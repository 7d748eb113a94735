import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmod,
  copyFile,
  cp,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Interpreters } from './interpreters.ts'
import { SandboxFault } from './sandbox.ts'

const PREFIX = 'diorama-sandbox-'
const SCRIPTS = [
  new URL('./inside/launcher.mjs', import.meta.url),
  new URL('./inside/relay.mjs', import.meta.url),
  new URL('./preload/redirect.mjs', import.meta.url),
  new URL('./verifier/runner.py', import.meta.url),
  new URL('./verifier/runner.mjs', import.meta.url),
  new URL('./verifier/world_state.py', import.meta.url),
  new URL('./verifier/world-state.ts', import.meta.url),
]

/** Where our own scripts and Node are found inside every sandbox. */
export const INSIDE = { scripts: '/opt/sandbox', node: '/opt/node/bin/node' } as const

/**
 * The files that every sandbox of one driver sees: a synthetic /etc, our scripts, the interpreters. Nothing in it is
 * secret. As root, jobs run as users who cannot enter private home folders; an interpreter that lives in one is
 * shown to them through a mount namespace of the stage's own, which the machine's other processes never see.
 */
export class Stage implements AsyncDisposable {
  readonly folder: string
  readonly #interpreters: Interpreters
  readonly #holder: ChildProcess | undefined
  readonly #mounted: ReadonlyMap<string, string>
  readonly #etc = new Map<string, Promise<string>>()

  constructor(parts: {
    folder: string
    interpreters: Interpreters
    holder: ChildProcess | undefined
    mounted: ReadonlyMap<string, string>
  }) {
    this.folder = parts.folder
    this.#interpreters = parts.interpreters
    this.#holder = parts.holder
    this.#mounted = parts.mounted
  }

  /** What to put before a command so that it sees the stage's mounts. */
  get enter(): readonly string[] {
    return this.#holder ? ['nsenter', `--mount=/proc/${this.#holder.pid}/ns/mnt`, '--'] : []
  }

  /** bwrap arguments for the read-only system: the same in each job. */
  async systemArguments(): Promise<string[]> {
    const args = ['--ro-bind', '/usr', '/usr']
    for (const folder of ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32']) {
      const found = await lstat(folder).catch(() => undefined)
      if (found?.isSymbolicLink()) args.push('--symlink', `usr${folder}`, folder)
      else if (found) args.push('--ro-bind', folder, folder)
    }
    args.push('--ro-bind', join(this.folder, 'scripts'), INSIDE.scripts)
    args.push('--ro-bind', this.#source(this.#interpreters.node), INSIDE.node)
    for (const prefix of this.#interpreters.python?.prefixes ?? []) {
      args.push('--ro-bind', this.#source(prefix), prefix)
    }
    return args
  }

  #source(path: string): string {
    return this.#mounted.get(path) ?? path
  }

  /** A read-only /etc with these names on loopback and these authorities; made once for each combination. */
  etc(hosts: readonly string[], authorities: string): Promise<string> {
    const digest = createHash('sha256')
      .update(JSON.stringify([hosts, authorities]))
      .digest('hex')
      .slice(0, 24)
    const known = this.#etc.get(digest)
    if (known) return known
    const made = writeEtc(join(this.folder, `etc-${digest}`), { hosts, authorities })
    this.#etc.set(digest, made)
    return made
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#holder && this.#holder.exitCode === null && this.#holder.signalCode === null) {
      this.#holder.ref()
      const gone = new Promise((resolve) => this.#holder?.once('exit', resolve))
      this.#holder.stdin?.end()
      await gone
    }
    await rm(this.folder, { recursive: true, force: true })
  }
}

export async function openStage(interpreters: Interpreters): Promise<Stage> {
  await removeAbandoned()
  const folder = await mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`))
  const scripts = join(folder, 'scripts')
  await mkdir(scripts, { recursive: true })
  for (const script of SCRIPTS) {
    const source = fileURLToPath(script)
    await copyFile(source, join(scripts, basename(source)))
  }
  await chmod(folder, 0o755)
  const hidden: string[] = []
  if (process.getuid?.() === 0) {
    for (const path of [interpreters.node, ...(interpreters.python?.prefixes ?? [])]) {
      if (!(await othersCanReach(path))) hidden.push(path)
    }
  }
  const mounted = new Map<string, string>()
  for (const [index, path] of hidden.entries()) {
    const target = join(folder, `mount-${index}`)
    if ((await stat(path)).isDirectory()) await mkdir(target)
    else await writeFile(target, '')
    mounted.set(path, target)
  }
  const holder = hidden.length > 0 ? await holdMounts(mounted) : undefined
  return new Stage({ folder, interpreters, holder, mounted })
}

/** Lives exactly as long as our end of its standard input. */
async function holdMounts(mounted: ReadonlyMap<string, string>): Promise<ChildProcess> {
  const script =
    'while [ $# -gt 0 ]; do mount --bind "$1" "$2" && mount -o remount,bind,ro "$2" || exit 1; shift 2; done; ' +
    'echo ready; read -r _; exit 0'
  const pairs = [...mounted].flat()
  const child = spawn(
    'unshare',
    ['--mount', '--propagation', 'private', 'sh', '-c', script, 'sh', ...pairs],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  )
  const ready = await new Promise<boolean>((resolve) => {
    child.once('error', () => resolve(false))
    child.once('exit', () => resolve(false))
    createInterface({ input: child.stdout }).once('line', () => resolve(true))
  })
  if (!ready) throw new SandboxFault('Could not mount the interpreters for sandboxed users.')
  child.unref()
  for (const pipe of [child.stdin, child.stdout])
    if ('unref' in pipe && typeof pipe.unref === 'function') pipe.unref()
  return child
}

async function othersCanReach(path: string): Promise<boolean> {
  for (let at = path; ; at = dirname(at)) {
    const { mode } = await stat(at)
    if ((mode & 0o001) === 0) return false
    if (at === dirname(at)) return true
  }
}

/** A process that was killed leaves its stage behind; the next one sweeps it. */
async function removeAbandoned(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const owner = name.startsWith(PREFIX) ? Number(name.slice(PREFIX.length).split('-')[0]) : 0
    if (!owner) continue
    const alive = await stat(`/proc/${owner}`).catch(() => undefined)
    if (!alive) await rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => undefined)
  }
}

async function writeEtc(
  folder: string,
  parts: { hosts: readonly string[]; authorities: string },
): Promise<string> {
  await mkdir(join(folder, 'ssl/certs'), { recursive: true })
  await mkdir(join(folder, 'pki/tls/certs'), { recursive: true })
  const concrete = parts.hosts.filter((host) => !host.includes('*'))
  const text: Record<string, string> = {
    passwd: 'agent:x:1000:1000:agent:/home/agent:/bin/sh\n',
    group: 'agent:x:1000:\n',
    hosts: ['127.0.0.1 localhost', '::1 localhost', ...concrete.map((host) => `127.0.0.1 ${host}`), ''].join(
      '\n',
    ),
    'nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files dns\n',
    // The relay answers names on loopback; without one nothing listens there and lookups fail at once.
    'resolv.conf': 'nameserver 127.0.0.1\noptions timeout:1 attempts:1\n',
    hostname: 'sandbox\n',
    'ssl/cert.pem': parts.authorities,
    'ssl/certs/ca-certificates.crt': parts.authorities,
    'pki/tls/certs/ca-bundle.crt': parts.authorities,
  }
  for (const [name, content] of Object.entries(text)) await writeFile(join(folder, name), content)
  for (const name of ['ld.so.cache', 'services', 'protocols', 'ssl/openssl.cnf']) {
    await copyFile(join('/etc', name), join(folder, name)).catch(() => undefined)
  }
  await cp('/etc/alternatives', join(folder, 'alternatives'), {
    recursive: true,
    verbatimSymlinks: true,
  }).catch(() => undefined)
  await symlink('/usr/share/zoneinfo/Etc/UTC', join(folder, 'localtime'))
  return folder
}
