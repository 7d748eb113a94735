import { lstat, readdir, readFile } from 'node:fs/promises'
import { dirname, join, posix } from 'node:path'
import { type Interpreters, interpreterFolders } from './interpreters.ts'
import { prlimitArguments } from './limits.ts'
import { interceptionVariables } from './proxy/environment.ts'
import { type FileTree, SandboxFault, type SandboxJob, type SandboxPaths } from './sandbox.ts'
import { INSIDE } from './stage.ts'

export const PATHS: SandboxPaths = {
  home: '/home/agent',
  work: '/work',
  inputs: '/inputs',
  temporary: '/tmp',
}

const GATEWAY_SOCKET = '/run/gateway.sock'
const AUTHORITIES = '/etc/ssl/certs/ca-certificates.crt'
const PROXY_PORT = 3128
const RELAY_PORTS = [80, 443, PROXY_PORT]
const SHARED_MEMORY_BYTES = 64 * 2 ** 20
/** Threads of the launcher's own Node and bwrap's first process, which count against the job's user. */
const LAUNCHER_THREADS = 24
const FOLDER_BYTES = 256 * 2 ** 20
const FOLDER_FILES = 20_000

/** Everything bwrap needs for one job. */
export interface Arrangement {
  readonly launched: boolean
  /** Options for bwrap, sent by a pipe so that no secret shows in the process list. */
  readonly args: readonly string[]
  readonly command: readonly string[]
  /** Bytes for file descriptors 6 and up, where `args` names them. */
  readonly data: readonly Buffer[]
  /** What the first program reads on standard input. */
  readonly input: readonly (string | Buffer)[]
}

export interface Arranging {
  readonly job: SandboxJob
  readonly etc: string
  readonly system: readonly string[]
  readonly interpreters: Interpreters
  readonly disablesUserns: boolean
}

/**
 * The few devices that programs need. Not bwrap's own --dev: its terminals cost a second user namespace, in which
 * the launcher could no longer take the ports below 1024.
 */
const DEVICES = [
  '--tmpfs',
  '/dev',
  ...['null', 'zero', 'full', 'random', 'urandom'].flatMap((name) => [
    '--dev-bind',
    `/dev/${name}`,
    `/dev/${name}`,
  ]),
  ...['--symlink', '/proc/self/fd', '/dev/fd', '--symlink', '/proc/self/fd/0', '/dev/stdin'],
  ...['--symlink', '/proc/self/fd/1', '/dev/stdout', '--symlink', '/proc/self/fd/2', '/dev/stderr'],
]

function commonArguments({ job, etc, system }: Arranging): string[] {
  const size = String(job.limits.workBytes)
  const args = ['--unshare-user', '--unshare-all', '--uid', '1000', '--gid', '1000', '--hostname', 'sandbox']
  args.push('--die-with-parent', '--new-session', '--clearenv', '--json-status-fd', '4')
  args.push(...system, '--ro-bind', etc, '/etc', '--proc', '/proc', ...DEVICES)
  args.push('--size', String(SHARED_MEMORY_BYTES), '--tmpfs', '/dev/shm')
  for (const folder of [PATHS.home, PATHS.work, PATHS.temporary]) args.push('--size', size, '--tmpfs', folder)
  for (const [target, source] of Object.entries(job.readOnly ?? {})) args.push('--ro-bind', source, target)
  args.push('--chdir', PATHS.home)
  return args
}

/** The root and /dev are memory too: left writable, they would be a disk without a limit. */
const SEAL = ['--remount-ro', '/dev', '--remount-ro', '/']

function environment({ job, interpreters }: Arranging): Record<string, string> {
  const folders = [
    ...interpreterFolders(interpreters).filter((folder) => folder !== dirname(interpreters.node)),
  ]
  const path = [dirname(INSIDE.node), ...folders, '/usr/local/bin', '/usr/bin', '/bin'].join(':')
  const proxied =
    job.network === 'none'
      ? {}
      : interceptionVariables({ proxyUrl: `http://127.0.0.1:${PROXY_PORT}`, authoritiesPath: AUTHORITIES })
  return {
    PATH: path,
    HOME: PATHS.home,
    USER: 'agent',
    LANG: 'C.UTF-8',
    TMPDIR: PATHS.temporary,
    WORK_DIR: PATHS.work,
    ...proxied,
    ...job.env?.(PATHS),
  }
}

function commandVector(command: SandboxJob['command']): string[] {
  return typeof command === 'string' ? ['/bin/sh', '-c', command] : [...command]
}

/** A job that needs neither network nor collection starts with nothing of ours before it: scorers must be quick. */
export async function arrangeDirect(arranging: Arranging): Promise<Arrangement> {
  const { job } = arranging
  const args = commonArguments(arranging)
  const data: Buffer[] = []
  const lay = (folder: string, files: FileTree, option: string) => {
    args.push('--dir', folder)
    for (const [path, content] of Object.entries(files)) {
      args.push(option, String(6 + data.length), placed(folder, path))
      data.push(Buffer.from(content))
    }
  }
  lay(PATHS.inputs, job.inputs ?? {}, '--ro-bind-data')
  lay(PATHS.home, job.files ?? {}, '--file')
  args.push(...SEAL, '--cap-drop', 'ALL')
  if (arranging.disablesUserns) args.push('--disable-userns')
  for (const [name, value] of Object.entries(environment(arranging))) args.push('--setenv', name, value)
  const command = [
    '/usr/bin/prlimit',
    ...prlimitArguments(job.limits, 1),
    '--',
    ...commandVector(job.command),
  ]
  return { launched: false, args, command, data, input: job.stdin === undefined ? [] : [job.stdin] }
}

/** A job with network or artifacts starts with our launcher, which lays out, relays and collects. */
export async function arrangeLaunched(arranging: Arranging): Promise<Arrangement> {
  const { job } = arranging
  const args = commonArguments(arranging)
  args.push('--size', String(job.limits.workBytes), '--tmpfs', PATHS.inputs)
  if (job.network !== 'none') args.push('--ro-bind', job.network.gatewaySocket, GATEWAY_SOCKET)
  args.push(...SEAL, '--cap-add', 'CAP_NET_BIND_SERVICE', '--cap-add', 'CAP_SYS_RESOURCE')
  const copied = job.folder === undefined ? {} : await readFolder(job.folder)
  const files = [
    ...Object.entries({ ...copied, ...job.files }).map(([path, content]) => ({
      at: PATHS.home,
      path,
      content,
    })),
    ...Object.entries(job.inputs ?? {}).map(([path, content]) => ({ at: PATHS.inputs, path, content })),
  ].map(({ at, path, content }) => ({ path: placed(at, path), bytes: Buffer.from(content) }))
  const limits = prlimitArguments(job.limits, LAUNCHER_THREADS)
  const plan = {
    files: files.map(({ path, bytes }) => ({ path, size: bytes.length, mode: 0o755 })),
    bundleBytes: job.bundle?.length ?? 0,
    cwd: PATHS.home,
    work: PATHS.work,
    env: environment(arranging),
    // The command holds no capability at all, so it can neither take our ports nor look into the launcher.
    confine: [
      '/usr/bin/setpriv',
      '--ambient-caps=-all',
      '--inh-caps=-all',
      '/usr/bin/prlimit',
      ...limits,
      '--',
    ],
    command: commandVector(job.command),
    relay: job.network === 'none' ? undefined : { socket: GATEWAY_SOCKET, ports: RELAY_PORTS },
    collect: job.collect,
  }
  const input = [`${JSON.stringify(plan)}\n`, ...files.map(({ bytes }) => bytes)]
  if (job.bundle) input.push(Buffer.from(job.bundle))
  return { launched: true, args, command: [INSIDE.node, `${INSIDE.scripts}/launcher.mjs`], data: [], input }
}

function placed(folder: string, path: string): string {
  const full = posix.normalize(posix.join(folder, path))
  if (full.includes('\0') || !full.startsWith(`${folder}/`)) {
    throw new SandboxFault(`A job's file must stay in its folder: ${JSON.stringify(path)}`)
  }
  return full
}

/** Regular files only: a link in the folder could point at anything of ours. */
async function readFolder(root: string): Promise<Record<string, Uint8Array>> {
  const files: Record<string, Uint8Array> = {}
  let bytes = 0
  const names = await readdir(root, { recursive: true })
  if (names.length > FOLDER_FILES)
    throw new SandboxFault(`The folder ${root} holds more than ${FOLDER_FILES} files.`)
  for (const name of names) {
    const full = join(root, name)
    const found = await lstat(full)
    if (!found.isFile()) continue
    bytes += found.size
    if (bytes > FOLDER_BYTES)
      throw new SandboxFault(`The folder ${root} holds more than ${FOLDER_BYTES} bytes.`)
    files[name] = await readFile(full)
  }
  return files
}
