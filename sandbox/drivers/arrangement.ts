import { dirname } from 'node:path'
import { servicePorts } from '@diorama/contract/kinds'
import { interceptionVariables } from '../gateway/environment.ts'
import { resourceLimits } from '../limits/resource-limits.ts'
import {
  type FileTree,
  SandboxFault,
  type SandboxJob,
  type SandboxPaths,
  type StoryLibrary,
} from '../sandbox.ts'
import { type Interpreters, interpreterFolders } from '../stage/interpreters.ts'
import { insidePaths } from '../stage/stage.ts'
import type { StoryClock } from '../story/story-clock.ts'
import { storyLibraryFile } from '../story/story-library.ts'
import { bytesOf, commandVector, launcherInput, placed } from './launcher-input.ts'
import { pythonScript } from './python-script.ts'

export const sandboxPaths: SandboxPaths = {
  home: '/home/agent',
  work: '/work',
  inputs: '/inputs',
  temporary: '/tmp',
  scripts: insidePaths.scripts,
}

export const gatewaySocketPath = '/run/gateway.sock'
export const storyPagePath = '/run/story-time'
/** In memory that the job's limits count. */
export const storyTablePath = '/dev/shm/.story-table'
export const storyBellPath = '/dev/shm/.story-bell'
export const authoritiesPath = '/etc/ssl/certs/ca-certificates.crt'
export const trustStorePath = '/etc/ssl/certs/java/cacerts'
export const proxyPort = 3128
/** The web's ports, those of the installed services, and the proxy's. */
export const relayPorts = [80, 443, ...servicePorts, proxyPort]
export const sharedMemoryBytes = 64 * 2 ** 20
/** bwrap and the launcher, which count against the job's user. */
export const ownProcesses = 4

/** Everything bwrap needs for one job. */
export interface Arrangement {
  /** Whether our launcher runs first and reports; otherwise the command is alone and has the channel itself. */
  readonly launched: boolean
  /** What makes the job's namespaces, which die with their first process: bwrap, an OCI runtime, or nothing. */
  readonly namespaces: 'bwrap' | 'runtime' | 'none'
  readonly watchedFolders: readonly string[]
  /** How much of the machine's memory its writable folders may take. */
  readonly folderBytes: number
  /** Options for bwrap, sent by a pipe so that no secret shows in the process list. */
  readonly args: readonly string[]
  readonly command: readonly string[]
  /** Bytes for file descriptors 6 and up, where `args` names them. */
  readonly data: readonly Buffer[]
  /** What the launcher reads on its control connection, or a command alone on standard input. */
  readonly input: readonly (string | Buffer)[]
}

export interface Arranging {
  readonly job: SandboxJob
  readonly etc: string
  readonly system: readonly string[]
  readonly interpreters: Interpreters
  readonly python: string
  readonly disablesUserns: boolean
  readonly storyLibrary: StoryLibrary
  readonly filter: Buffer | undefined
  /** Whether a control group holds the job's memory. */
  readonly memoryIsHeld: boolean
}

/**
 * The few devices that programs need. Not bwrap's own --dev: its terminals cost a second user namespace, in which
 * the launcher could no longer take the ports below 1024.
 */
const deviceArguments = [
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

const commonArguments = ({ job, etc, system }: Arranging): string[] => {
  const size = String(job.limits.workBytes)
  const args = ['--unshare-user', '--unshare-all', '--uid', '1000', '--gid', '1000', '--hostname', 'sandbox']
  args.push('--die-with-parent', '--new-session', '--clearenv', '--json-status-fd', '4')
  args.push(...system, '--ro-bind', etc, '/etc', '--proc', '/proc', ...deviceArguments)
  args.push('--size', String(sharedMemoryBytes), '--tmpfs', '/dev/shm')
  args.push('--size', String(job.limits.homeBytes ?? job.limits.workBytes), '--tmpfs', sandboxPaths.home)
  for (const folder of [sandboxPaths.work, sandboxPaths.temporary])
    args.push('--size', size, '--tmpfs', folder)
  for (const [target, source] of Object.entries(job.readOnly ?? {})) args.push('--ro-bind', source, target)
  args.push('--chdir', sandboxPaths.home)
  return args
}

export const watchedFolders = [sandboxPaths.home, sandboxPaths.work, sandboxPaths.temporary, '/dev/shm']

const namespacedJob = {
  namespaces: 'bwrap',
  watchedFolders,
} as const

export const folderBytes = ({ limits }: SandboxJob, folders: number) =>
  (folders - 1) * limits.workBytes + (limits.homeBytes ?? limits.workBytes) + sharedMemoryBytes

/** The root and /dev are memory too: left writable, they would be a disk without a limit. */
const sealArguments = ['--remount-ro', '/dev', '--remount-ro', '/']

const environment = ({ job, interpreters }: Arranging): Record<string, string> => {
  const folders = [
    ...interpreterFolders(interpreters).filter((folder) => folder !== dirname(interpreters.node)),
  ]
  const path = [dirname(insidePaths.node), ...folders, '/usr/local/bin', '/usr/bin', '/bin'].join(':')
  const proxied =
    job.network === 'none'
      ? {}
      : interceptionVariables({
          proxyUrl: `http://127.0.0.1:${proxyPort}`,
          authoritiesPath,
          trustStorePath,
          transparent: true,
        })
  return {
    PATH: path,
    HOME: sandboxPaths.home,
    USER: 'agent',
    LANG: 'C.UTF-8',
    TMPDIR: sandboxPaths.temporary,
    WORK_DIR: sandboxPaths.work,
    SANDBOX_INPUTS: sandboxPaths.inputs,
    ...proxied,
    ...job.env?.(sandboxPaths),
  }
}

const addFilter = ({ filter }: Arranging, args: string[], data: Buffer[]): void => {
  if (!filter) return
  args.push('--seccomp', String(6 + data.length))
  data.push(filter)
}

/**
 * A job that needs neither network nor collection starts with nothing of ours before it: scorers must be quick. It has no
 * environment but ours, since bwrap and prlimit run with it before the limits hold.
 */
export const arrangeDirect = async (arranging: Arranging): Promise<Arrangement> => {
  const { job } = arranging
  const args = commonArguments(arranging)
  const data: Buffer[] = []
  const lay = (folder: string, files: FileTree, option: string) => {
    args.push('--dir', folder)
    for (const [path, content] of Object.entries(files)) {
      args.push(option, String(6 + data.length), placed(folder, path))
      data.push(bytesOf(content))
    }
  }
  lay(sandboxPaths.inputs, job.inputs ?? {}, '--ro-bind-data')
  lay(sandboxPaths.home, job.files ?? {}, '--file')
  args.push(...sealArguments, '--cap-drop', 'ALL')
  addFilter(arranging, args, data)
  if (arranging.disablesUserns) args.push('--disable-userns')
  if (job.env) throw new SandboxFault('A job with a separate environment needs the launcher.')
  for (const [name, value] of Object.entries(environment(arranging))) args.push('--setenv', name, value)
  const command = [
    '/usr/bin/prlimit',
    ...Object.entries(
      resourceLimits(job.limits, { ownProcesses: 1, memoryIsHeld: arranging.memoryIsHeld }),
    ).map(([name, value]) => `--${name}=${value}`),
    '--',
    ...commandVector(job.command, sandboxPaths),
  ]
  return {
    ...namespacedJob,
    folderBytes: folderBytes(job, 3),
    launched: false,
    args,
    command,
    data,
    input: job.stdin === undefined ? [] : [job.stdin],
  }
}

/** The story in whose time a job's programs live: where it has one, and the library is here. */
const livedStory = ({ job, storyLibrary }: Arranging): StoryClock | undefined =>
  storyLibrary.from === 'none' ? undefined : job.story

/**
 * A job with network or artifacts starts with our launcher, which lays out, relays and collects. It is the namespace's
 * first process: bwrap's own holds no capability, so the command could trace it and write on the descriptors it keeps.
 */
export const arrangeLaunched = async (arranging: Arranging): Promise<Arrangement> => {
  const { job } = arranging
  const args = commonArguments(arranging)
  args.push('--size', String(job.limits.workBytes), '--tmpfs', sandboxPaths.inputs)
  if (job.network !== 'none') args.push('--ro-bind', job.network.gatewaySocket, gatewaySocketPath)
  const story = livedStory(arranging)
  if (story) args.push('--ro-bind', story.path, storyPagePath)
  args.push(
    ...sealArguments,
    '--as-pid-1',
    '--cap-add',
    'CAP_NET_BIND_SERVICE',
    '--cap-add',
    'CAP_SYS_RESOURCE',
  )
  const data: Buffer[] = []
  addFilter(arranging, args, data)
  const input = await launcherInput(job, {
    paths: sandboxPaths,
    env: environment(arranging),
    limits: resourceLimits(job.limits, { ownProcesses, memoryIsHeld: arranging.memoryIsHeld }),
    relay: job.network === 'none' ? undefined : { socket: gatewaySocketPath, ports: relayPorts },
    story: story
      ? {
          library: `${insidePaths.scripts}/${storyLibraryFile}`,
          page: storyPagePath,
          table: storyTablePath,
          bell: storyBellPath,
        }
      : undefined,
    namespaced: true,
    alone: true,
  })
  const command = pythonScript(arranging.python, insidePaths.scripts, 'launcher')
  return { ...namespacedJob, folderBytes: folderBytes(job, 4), launched: true, args, command, data, input }
}
