/** What an engine makes of an image to run it, as far as this runtime bundle needs it. */
export interface ImageConfig {
  readonly User: string
  readonly Env: readonly string[]
  readonly Entrypoint: readonly string[]
  readonly WorkingDir: string
}

interface BundleOptions {
  readonly image: ImageConfig
  readonly rootFolder: string
  readonly dataFolder: string
  readonly env: readonly string[]
  /** Whether parts of /proc are masked, as engines do unless they are asked not to. */
  readonly masked: boolean
}

const maskedPaths = [
  '/proc/acpi',
  '/proc/kcore',
  '/proc/keys',
  '/proc/timer_list',
  '/proc/scsi',
  '/sys/firmware',
]
const readonlyPaths = ['/proc/bus', '/proc/fs', '/proc/irq', '/proc/sys', '/proc/sysrq-trigger']

const mount = (destination: string, type: string, options: readonly string[] = []) => ({
  destination,
  type,
  source: type,
  options,
})

/** The configuration of an OCI runtime for the flags that the handbook names: no capability, no new privileges. */
export const runtimeConfig = ({ image, rootFolder, dataFolder, env, masked }: BundleOptions) => {
  const [uid, gid] = image.User.split(':').map(Number)
  const none = { bounding: [], effective: [], permitted: [], inheritable: [] }
  const bind = (destination: string, source: string, options: readonly string[]) => ({
    destination,
    type: 'bind',
    source,
    options: ['rbind', ...options],
  })
  return {
    ociVersion: '1.0.2',
    process: {
      user: { uid, gid },
      args: image.Entrypoint,
      env: [...image.Env, ...env],
      cwd: image.WorkingDir,
      capabilities: none,
      noNewPrivileges: true,
    },
    root: { path: rootFolder },
    hostname: 'diorama',
    mounts: [
      mount('/proc', 'proc'),
      mount('/dev', 'tmpfs', ['nosuid', 'mode=755']),
      mount('/dev/pts', 'devpts', ['nosuid', 'noexec', 'newinstance', 'ptmxmode=0666', 'mode=0620']),
      mount('/dev/shm', 'tmpfs', ['nosuid', 'noexec', 'nodev', 'mode=1777']),
      mount('/tmp', 'tmpfs', ['mode=1777']),
      bind('/sys', '/sys', ['nosuid', 'noexec', 'nodev', 'ro']),
      bind('/data', dataFolder, ['rw']),
    ],
    linux: {
      // The network is the machine's, as with `--network host`.
      namespaces: ['pid', 'ipc', 'uts', 'mount'].map((type) => ({ type })),
      ...(masked ? { maskedPaths, readonlyPaths } : {}),
    },
  }
}
