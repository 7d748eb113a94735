/**
 * The weaker driver, for machines where namespaces are forbidden. A job is an ordinary process: under its own user
 * when we are root, otherwise as ourselves; with limits, a filter of system calls, private folders and the gateway's
 * proxy variables. Where the kernel has Landlock, a job reads only the system, the interpreters and its own folders,
 * writes only the latter, and signals only its own processes.
 *
 * What it cannot promise: its network is open to a program that ignores the proxy, other processes are visible, and
 * folders have no quota. Without Landlock the machine's files that its user may read are readable too, and, when we are
 * not root, a job may signal and read whatever we may. Every outcome made so is labelled `process` by its sandbox.
 */
import { execFile } from 'node:child_process'
import { chmod, chown, mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { interceptionVariables } from '../gateway/environment.ts'
import { javaTrustStore } from '../gateway/java-trust-store.ts'
import type { ControlGroups } from '../limits/control-groups.ts'
import { ProcessWatch, watchEveryMs } from '../limits/process-watch.ts'
import { resourceLimits } from '../limits/resource-limits.ts'
import { systemCallFilter } from '../limits/seccomp.ts'
import {
  type Images,
  type OpenedSandbox,
  type Sandbox,
  SandboxFault,
  type SandboxJob,
  type SandboxLog,
  type SandboxOptions,
  type SandboxOutcome,
  type SandboxPaths,
  type StoryLibrary,
} from '../sandbox.ts'
import { findInterpreters, type Interpreters, interpreterFolders } from '../stage/interpreters.ts'
import { openStage, type Stage } from '../stage/stage.ts'
import { isWithin, permittedPaths } from '../stage/system-view.ts'
import { Starter } from '../starter/starter.ts'
import type { Arrangement } from './arrangement.ts'
import { endMarked, markVariable, removeOwned, removeTree } from './clean-up.ts'
import { JobRun } from './job-run.ts'
import { JobUsers } from './job-users.ts'
import { launcherInput, type StoryPlaces } from './launcher-input.ts'
import { pythonScript } from './python-script.ts'

const userRange = { first: 1_900_000_000, processes: 100_000 }
const ownProcesses = 4
/** Folders in which every user may write, and so could leave notes for the next trial. */
const sharedFolders = ['/tmp', '/var/tmp', '/dev/shm', '/dev/mqueue', '/run/lock']
const writableDevices = ['null', 'zero', 'full', 'random', 'urandom', 'tty', 'ptmx', 'pts'].map(
  (name) => `/dev/${name}`,
)

const storyFolder = 'story'
const noImages =
  'the process driver runs no images, as it makes no namespaces; DIORAMA_SANDBOX=bubblewrap does'

const privateFolder = (folder: string, shared: string): string =>
  join(folder, 'shared', shared.slice(1).replaceAll('/', '-'))

interface Parts {
  readonly interpreters: Interpreters
  readonly stage: Stage
  readonly isRoot: boolean
  readonly readable: readonly string[]
  readonly python: string
  readonly starter: Starter
  readonly groups: ControlGroups | undefined
  readonly log: SandboxLog
}

export const openProcessDriver = async (
  options: SandboxOptions,
  groups: ControlGroups | undefined,
): Promise<OpenedSandbox> => {
  const found = await findInterpreters(options.searchPath)
  const python = found.python?.executable
  if (!python)
    return { unavailable: 'the program python3 is not installed; install it (apt-get install python3).' }
  const { stateDir, hidden = [], log = () => undefined } = options
  const stage = await openStage({ interpreters: found, stateDir, hidden, log })
  // The checkout's own Node may lie where a job's user cannot go.
  const interpreters = { ...found, node: stage.node }
  const { landlock, privateFolders } = await kernelAbilities(python, stage)
  const isRoot = process.getuid?.() === 0
  log(
    {
      event: 'sandbox.opened',
      isolation: 'process',
      landlock,
      private_folders: privateFolders,
      own_users: isRoot,
    },
    'jobs are not isolated from this machine; run only code you trust',
  )
  const sandbox = new ProcessSandbox({
    interpreters,
    stage,
    isRoot,
    readable: await readablePaths(interpreters, stage),
    python,
    starter: new Starter({ python, script: stage.starter, enter: () => stage.hidden.enter }),
    groups,
    log,
  })
  return { sandbox }
}

/** What the kernel lets a job's user do: its version of Landlock, and whether it may make namespaces for folders. */
const kernelAbilities = async (python: string, stage: Stage) => {
  const scripts = join(stage.folder, 'scripts')
  const program = `import sys; sys.path.insert(0, ${JSON.stringify(scripts)}); import confinement; confinement.describe()`
  const { stdout } = await promisify(execFile)(python, ['-I', '-S', '-B', '-c', program], {
    cwd: '/',
    env: {},
  })
  const [landlock = 0, isPrivate = 0] = stdout.trim().split(' ').map(Number)
  return { landlock, privateFolders: isPrivate === 1 }
}

/** What a job may read beside its own folders: the system's view, and what programs expect around it. */
const readablePaths = async (interpreters: Interpreters, { view, folder }: Stage): Promise<string[]> => {
  const around = ['/etc', '/opt', '/proc', '/sys', '/dev', '/run/systemd/resolve', '/run/resolvconf']
  const shown = view.shown.flatMap(({ source, target }) => [source, target])
  const paths = await permittedPaths([...new Set([...around, ...shown])], view.masked)
  return [...paths, interpreters.node, join(folder, 'scripts')]
}

class ProcessSandbox implements Sandbox {
  readonly isolation = 'process'
  readonly #parts: Parts
  readonly #watch: ProcessWatch
  readonly #users = new JobUsers(userRange)

  constructor(parts: Parts) {
    this.#parts = parts
    this.#watch = new ProcessWatch(watchEveryMs)
  }

  get storyLibrary() {
    return this.#parts.stage.storyLibrary
  }

  readonly images: Images = {
    available: async () => ({ unavailable: noImages }),
    hold: async () => {
      throw new SandboxFault(noImages)
    },
  }

  async run(job: SandboxJob, signal?: AbortSignal): Promise<SandboxOutcome> {
    if (job.image) throw new SandboxFault(noImages)
    using user = this.#users.lease()
    const uid = this.#parts.isRoot ? user.uid : undefined
    const mark = `${process.pid}-${user.place}`
    const folder = await mkdtemp(join(tmpdir(), `diorama-job-${mark}-`))
    try {
      const paths = await this.#makeFolders(folder, uid)
      const arrangement = await this.#arrange({ job, paths, uid, mark, folder })
      const { starter, groups } = this.#parts
      const endTree = () => endMarked(mark, uid)
      const argv = arrangement.command
      const running = {
        job,
        arrangement,
        argv,
        user: uid,
        starter,
        groups,
        watch: this.#watch,
        signal,
        mark: { [markVariable]: mark },
        endTree,
      }
      return await new JobRun(running).outcome()
    } finally {
      await endMarked(mark, uid)
      if (uid !== undefined) await removeOwned(sharedFolders, uid)
      if (!(await removeTree(folder)))
        this.#parts.log({ event: 'sandbox.folder_left', folder }, 'the files of a job could not be removed')
    }
  }

  async #makeFolders(folder: string, uid: number | undefined): Promise<SandboxPaths> {
    const paths = {
      home: join(folder, 'home'),
      work: join(folder, 'work'),
      inputs: join(folder, 'inputs'),
      temporary: join(folder, 'tmp'),
    }
    for (const path of [...Object.values(paths), join(folder, storyFolder)]) {
      await mkdir(path, { mode: 0o700 })
      if (uid !== undefined) await chown(path, uid, uid)
    }
    await mkdir(join(folder, 'shared'), { mode: 0o711 })
    for (const shared of sharedFolders) {
      const own = privateFolder(folder, shared)
      await mkdir(own, { mode: 0o700 })
      if (uid !== undefined) await chown(own, uid, uid)
    }
    await chmod(folder, 0o711)
    return { ...paths, scripts: join(this.#parts.stage.folder, 'scripts') }
  }

  async #arrange(parts: {
    job: SandboxJob
    paths: SandboxPaths
    uid: number | undefined
    mark: string
    folder: string
  }): Promise<Arrangement> {
    const { job, paths, uid, mark, folder } = parts
    const shown = Object.entries(job.readOnly ?? {})
    if (shown.some(([target, source]) => target !== source)) {
      throw new SandboxFault(
        'The process driver cannot show folders at other paths; copy them with `folder`.',
      )
    }
    const { python, stage } = this.#parts
    const story = storyPlaces(stage.storyLibrary, job, folder)
    const readable = [...this.#parts.readable, ...shown.map(([path]) => path), ...(story ? [story.page] : [])]
    const { nproc = 0, ...others } = resourceLimits(job.limits, {
      ownProcesses,
      memoryIsHeld: this.#parts.groups !== undefined,
    })
    // Without its own user, a job's processes cannot be counted apart from ours.
    const limits = uid === undefined ? others : { ...others, nproc }
    const input = await launcherInput(job, {
      paths,
      env: {
        PATH: [...interpreterFolders(this.#parts.interpreters), '/usr/local/bin', '/usr/bin', '/bin'].join(
          ':',
        ),
        HOME: paths.home,
        LANG: 'C.UTF-8',
        TMPDIR: paths.temporary,
        WORK_DIR: paths.work,
        SANDBOX_INPUTS: paths.inputs,
        ...(await this.#networkVariables(job, folder)),
        ...job.env?.(paths),
        [markVariable]: mark,
      },
      limits,
      confinement: {
        systemCallFilter: systemCallFilter(process.arch),
        readable,
        writable: [folder, ...writableDevices],
        replacements: Object.fromEntries(
          sharedFolders.map((shared) => [shared, privateFolder(folder, shared)]),
        ),
        kept: [folder, ...readable].filter((path) => sharedFolders.some((shared) => isWithin(path, shared))),
        mayShare: uid !== undefined,
      },
      relay: undefined,
      story,
      namespaced: false,
      alone: uid !== undefined,
    })
    const command = pythonScript(python, paths.scripts, 'launcher')
    return {
      launched: true,
      namespaces: 'none',
      watchedFolders: [],
      folderBytes: 0,
      args: [],
      command,
      data: [],
      input,
    }
  }

  async #networkVariables(job: SandboxJob, folder: string): Promise<Record<string, string>> {
    if (job.network === 'none') return {}
    const { gatewayUrl, redirects, authorities } = job.network
    if (!gatewayUrl) throw new SandboxFault('The process driver needs the gateway’s loopback address.')
    const authoritiesPath = join(folder, 'authorities.pem')
    await writeFile(authoritiesPath, authorities, { mode: 0o644 })
    const trustStorePath = join(folder, 'authorities.jks')
    await writeFile(trustStorePath, javaTrustStore(authorities), { mode: 0o644 })
    const preload = pathToFileURL(join(this.#parts.stage.folder, 'scripts', 'redirect.mjs')).href
    return {
      ...interceptionVariables({
        proxyUrl: gatewayUrl,
        authoritiesPath,
        trustStorePath,
        transparent: false,
      }),
      ...(redirects
        ? { NODE_OPTIONS: `--import=${preload}`, DIORAMA_REDIRECTS: JSON.stringify(redirects) }
        : {}),
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.starter[Symbol.asyncDispose]()
    await this.#parts.groups?.[Symbol.asyncDispose]()
    await this.#parts.stage[Symbol.asyncDispose]()
  }
}

const storyPlaces = (
  library: StoryLibrary,
  { story }: SandboxJob,
  folder: string,
): StoryPlaces | undefined => {
  if (!story || library.from === 'none') return undefined
  const own = join(folder, storyFolder)
  return { library: library.path, page: story.path, table: join(own, 'table'), bell: join(own, 'bell') }
}
