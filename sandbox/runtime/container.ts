import {
  type Arrangement,
  authoritiesPath,
  folderBytes,
  gatewaySocketPath,
  ownProcesses,
  proxyPort,
  relayPorts,
  sandboxPaths,
  sharedMemoryBytes,
  storyBellPath,
  storyPagePath,
  storyTablePath,
  trustStorePath,
  watchedFolders,
} from '../drivers/arrangement.ts'
import { launcherInput, unconfined } from '../drivers/launcher-input.ts'
import { pythonScript } from '../drivers/python-script.ts'
import { interceptionVariables } from '../gateway/environment.ts'
import type { UnpackedImage } from '../images/image.ts'
import type { MountPoints } from '../images/mount-points.ts'
import { resourceLimits } from '../limits/resource-limits.ts'
import type { SandboxJob, StoryLibrary } from '../sandbox.ts'
import { insidePaths } from '../stage/stage.ts'
import { storyLibraryFile } from '../story/story-library.ts'
import type { LauncherHome } from './launcher-home.ts'

const launcherPath = '/opt/launcher'
/** Where a job that changes folders of its image finds them as they were. */
const imagePath = '/opt/image'
const devices = ['null', 'zero', 'full', 'random', 'urandom']
/** Of the synthetic /etc; the rest of it is the image's own. */
const etcFiles = [
  ...['passwd', 'group', 'hosts', 'nsswitch.conf', 'resolv.conf', 'hostname'],
  ...['ssl/cert.pem', 'ssl/certs/ca-certificates.crt', 'pki/tls/certs/ca-bundle.crt'],
  ...['ssl/certs/java/cacerts', 'pki/java/cacerts'],
]
const { home, work, inputs, temporary, scripts } = sandboxPaths
const defaultPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
/**
 * What the launcher needs: the ports below 1024, to be out of the command's reach, and the one right without which the
 * kernel lets nobody map a namespace's root into another.
 */
const launcherRights = ['CAP_NET_BIND_SERVICE', 'CAP_SYS_RESOURCE', 'CAP_SETFCAP']
const containerUser = { uid: 0, gid: 0 }

/** The places of an image that every job covers with its own. */
export const containerMountPoints: MountPoints = {
  folders: ['/proc', '/dev', home, work, inputs, temporary, scripts, launcherPath, imagePath],
  files: [gatewaySocketPath, storyPagePath, ...etcFiles.map((name) => `/etc/${name}`)],
  spare: ['/logs', '/tests'],
}

/** What a folder for /dev must hold; the devices themselves are mounted on empty files. */
export const deviceFolder = {
  files: devices,
  folders: ['shm'],
  links: {
    fd: '/proc/self/fd',
    stdin: '/proc/self/fd/0',
    stdout: '/proc/self/fd/1',
    stderr: '/proc/self/fd/2',
  },
} as const

export interface ContainerParts {
  readonly job: SandboxJob
  readonly image: UnpackedImage
  readonly etc: string
  readonly scripts: string
  readonly devices: string
  readonly launcher: LauncherHome
  readonly storyLibrary: StoryLibrary
  readonly filter: Buffer | undefined
  readonly memoryIsHeld: boolean
  /** The user of this machine that is root in the container. */
  readonly user: { readonly uid: number; readonly gid: number }
}

interface Mount {
  readonly destination: string
  readonly type: string
  readonly source: string
  readonly options: readonly string[]
}

const shown = (source: string, destination: string): Mount => ({
  destination,
  type: 'bind',
  source,
  options: ['bind', 'ro', 'nosuid', 'nodev'],
})

const memory = (destination: string, bytes: number): Mount => ({
  destination,
  type: 'tmpfs',
  source: 'tmpfs',
  options: ['nosuid', 'nodev', 'mode=0755', `size=${bytes}`],
})

const mountsOf = ({
  job,
  image,
  etc,
  scripts: ours,
  devices: dev,
  launcher,
  storyLibrary,
}: ContainerParts): Mount[] => {
  const at = (path: string) => image.places.get(path) ?? path
  const { workBytes, homeBytes = workBytes } = job.limits
  const devicesAt = at('/dev')
  return [
    { destination: at('/proc'), type: 'proc', source: 'proc', options: ['nosuid', 'nodev', 'noexec'] },
    { ...shown(dev, devicesAt), options: ['bind', 'ro', 'nosuid', 'noexec'] },
    ...devices.map((name) => ({
      destination: `${devicesAt}/${name}`,
      type: 'bind',
      source: `/dev/${name}`,
      options: ['bind', 'nosuid', 'noexec'],
    })),
    memory(`${devicesAt}/shm`, sharedMemoryBytes),
    memory(at(home), homeBytes),
    memory(at(work), workBytes),
    memory(at(temporary), workBytes),
    memory(at(inputs), workBytes),
    shown(ours, at(scripts)),
    shown(launcher.folder, at(launcherPath)),
    ...etcFiles.map((name) => shown(`${etc}/${name}`, at(`/etc/${name}`))),
    ...(job.network === 'none' ? [] : [shown(job.network.gatewaySocket, at(gatewaySocketPath))]),
    ...(job.story && storyLibrary.from !== 'none' ? [shown(job.story.path, at(storyPagePath))] : []),
    ...(job.imageUse
      ? [shown(image.root, at(imagePath)), ...job.imageUse.writable.map((path) => memory(path, workBytes))]
      : []),
  ]
}

/** The configuration of a container in the form of the OCI runtime specification. Nothing in it is secret. */
export const containerConfig = (parts: ContainerParts): object => {
  const { image, launcher, user } = parts
  const [, ...program] = pythonScript('', scripts, 'launcher')
  const rights = Object.fromEntries(
    ['bounding', 'effective', 'inheritable', 'permitted', 'ambient'].map((set) => [set, launcherRights]),
  )
  const mapping = (hostID: number) => [{ containerID: 0, hostID, size: 1 }]
  return {
    ociVersion: '1.0.2',
    hostname: 'sandbox',
    root: { path: image.root, readonly: true },
    process: {
      terminal: false,
      user: containerUser,
      args: [...launcher.python(launcherPath), ...program],
      env: [`PATH=${defaultPath}`],
      cwd: '/',
      capabilities: rights,
      noNewPrivileges: true,
    },
    mounts: mountsOf(parts),
    linux: {
      uidMappings: mapping(user.uid),
      gidMappings: mapping(user.gid),
      namespaces: ['user', 'pid', 'network', 'ipc', 'uts', 'mount'].map((type) => ({ type })),
    },
  }
}

/** What the image sets, then what every job has, then what this one asks for. */
const environment = ({ job, image }: ContainerParts): Record<string, string> => ({
  PATH: defaultPath,
  LANG: 'C.UTF-8',
  ...image.config.env,
  HOME: home,
  USER: 'agent',
  TMPDIR: temporary,
  WORK_DIR: work,
  SANDBOX_INPUTS: inputs,
  ...(job.network === 'none'
    ? {}
    : interceptionVariables({
        proxyUrl: `http://127.0.0.1:${proxyPort}`,
        authoritiesPath,
        trustStorePath,
        transparent: true,
      })),
  ...job.env?.(sandboxPaths),
})

/** A job in a container: the launcher does there what it does under bwrap. */
export const arrangeContainer = async (
  parts: ContainerParts,
  argv: readonly string[],
): Promise<Arrangement> => {
  const { job, image, storyLibrary, filter, memoryIsHeld } = parts
  const lives = job.story !== undefined && storyLibrary.from !== 'none'
  const input = await launcherInput(job, {
    paths: sandboxPaths,
    start: job.imageUse?.start ?? image.config.workingDir,
    imageFolder: imagePath,
    env: environment(parts),
    limits: resourceLimits(job.limits, { ownProcesses, memoryIsHeld }),
    confinement: { ...unconfined, systemCallFilter: filter },
    ownUserNamespace: true,
    relay: job.network === 'none' ? undefined : { socket: gatewaySocketPath, ports: relayPorts },
    story: lives
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
  return {
    namespaces: 'runtime',
    watchedFolders: [...watchedFolders, ...(job.imageUse?.writable ?? [])],
    folderBytes: folderBytes(job, 4 + (job.imageUse?.writable.length ?? 0)),
    launched: true,
    args: [],
    command: argv,
    data: [],
    input,
  }
}
