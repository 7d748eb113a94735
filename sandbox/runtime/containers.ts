import { chmod, chown, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Arrangement } from '../drivers/arrangement.ts'
import type { HeldImage, ImageLimits, ImageSource, UnpackedImage } from '../images/image.ts'
import { ImageStore } from '../images/image-store.ts'
import { requireWritable } from '../images/writable-folders.ts'
import {
  type Images,
  SandboxFault,
  type SandboxJob,
  type SandboxOutcome,
  type StoryLibrary,
  scorerLimits,
} from '../sandbox.ts'
import type { Stage } from '../stage/stage.ts'
import { arrangeContainer, containerConfig, containerMountPoints, deviceFolder } from './container.ts'
import { type LauncherHome, makeLauncherHome } from './launcher-home.ts'
import { findRuntimes, missingRuntime, type Runtime, type RuntimeChoice, runArguments } from './runtimes.ts'
import { storyLibraryFor } from './story-in-image.ts'

/** A container and the job's user, ready to be run. */
export interface ContainerRun {
  readonly job: SandboxJob
  readonly arrangement: Arrangement
  readonly argv: readonly string[]
}

export interface ContainersParts {
  readonly stage: Stage
  readonly python: string
  readonly filter: Buffer | undefined
  readonly memoryIsHeld: boolean
  readonly choice: RuntimeChoice
  readonly searchPath: string
  readonly limits?: ImageLimits
  readonly execute: (
    run: ContainerRun,
    user: JobOwner,
    signal: AbortSignal | undefined,
  ) => Promise<SandboxOutcome>
  readonly lease: () => JobOwner
}

/** The user of this machine that a job's processes have. */
export interface JobOwner extends Disposable {
  /** Its number among the jobs that run at once. */
  readonly place: number
  readonly uid: number
  readonly gid: number
  /** Whether files must be given to it, as it is not ours. */
  readonly isOther: boolean
}

interface Ready {
  readonly runtime: Runtime
  readonly launcher: LauncherHome
  readonly devices: string
}

/** Runs jobs whose root is an image, by an OCI runtime, beside the jobs that see this machine's programs. */
export class Containers implements Images {
  readonly #parts: ContainersParts
  readonly #folder: string
  readonly #store: ImageStore
  #ready: Promise<Ready | { readonly unavailable: string }> | undefined

  constructor(parts: ContainersParts) {
    this.#parts = parts
    this.#folder = join(parts.stage.folder, 'containers')
    this.#store = new ImageStore({
      folder: join(this.#folder, 'images'),
      mountPoints: containerMountPoints,
      ...(parts.limits ? { limits: parts.limits } : {}),
    })
  }

  hold(source: ImageSource): Promise<HeldImage> {
    return this.#store.hold(source)
  }

  /** The runtime that runs containers here, found out by trying, once; or why there is none. */
  async available(): Promise<{ readonly runtime: string } | { readonly unavailable: string }> {
    this.#ready ??= this.#prepare()
    const ready = await this.#ready
    return 'unavailable' in ready ? ready : { runtime: ready.runtime.name }
  }

  async run(job: SandboxJob, image: UnpackedImage, signal: AbortSignal | undefined): Promise<SandboxOutcome> {
    this.#ready ??= this.#prepare()
    const ready = await this.#ready
    if ('unavailable' in ready) throw new SandboxFault(`No container can be run here: ${ready.unavailable}.`)
    return this.#run(ready, job, image, signal)
  }

  async #prepare(): Promise<Ready | { readonly unavailable: string }> {
    const { choice, searchPath, stage, python } = this.#parts
    const found = await findRuntimes(choice, searchPath)
    if (found.length === 0) return { unavailable: missingRuntime(choice) }
    await mkdir(this.#folder, { recursive: true, mode: 0o755 })
    const devices = await makeDevices(join(this.#folder, 'dev'))
    const scripts = join(stage.folder, 'scripts')
    const launcher = await makeLauncherHome(join(this.#folder, 'launcher'), { python, scripts })
    const reasons: string[] = []
    for (const runtime of found) {
      const ready = { runtime, launcher, devices }
      const problem = await this.#attempt(ready).catch((error: unknown) =>
        error instanceof Error ? error.message : String(error),
      )
      if (problem === undefined) return ready
      reasons.push(`${runtime.name} does not work here (${problem})`)
    }
    return { unavailable: reasons.join('; ') }
  }

  /** A container with nothing in it but what we mount: the launcher's own interpreter is the command. */
  async #attempt(ready: Ready): Promise<string | undefined> {
    const root = join(this.#folder, `attempt-${ready.runtime.name}`)
    for (const path of containerMountPoints.folders) await mkdir(join(root, path), { recursive: true })
    for (const path of containerMountPoints.files) {
      await mkdir(join(root, path, '..'), { recursive: true })
      await writeFile(join(root, path), '')
    }
    const config = { command: [], env: {}, workingDir: undefined }
    const image = { digest: '', root, config, glibc: undefined, bytes: 0, places: new Map() }
    const command = [...ready.launcher.python('/opt/launcher'), '-I', '-S', '-c', 'pass']
    const job: SandboxJob = { command, limits: scorerLimits, network: 'none' }
    const { exitCode, stderr } = await this.#run(ready, job, image, undefined)
    return exitCode === 0 ? undefined : stderr.text.trim().slice(0, 300)
  }

  async #run(
    { runtime, launcher, devices }: Ready,
    job: SandboxJob,
    image: UnpackedImage,
    signal: AbortSignal | undefined,
  ): Promise<SandboxOutcome> {
    if (Object.keys(job.readOnly ?? {}).length > 0)
      throw new SandboxFault('A container shows no other folders of this machine.')
    await requireWritable(image.root, job.imageUse?.writable ?? [])
    const { stage, filter, memoryIsHeld } = this.#parts
    using user = this.#parts.lease()
    const network = job.network === 'none' ? { hosts: [], authorities: '' } : job.network
    const etc = await stage.etc(network.hosts, network.authorities)
    const storyLibrary: StoryLibrary = await storyLibraryFor(image, stage.storyLibrary)
    const scripts = join(stage.folder, 'scripts')
    const own = { etc, scripts, devices, launcher, storyLibrary, filter, memoryIsHeld }
    const parts = { job, image, user, ...own }
    const bundle = await mkdtemp(join(tmpdir(), `diorama-job-${process.pid}-`))
    try {
      const state = join(bundle, 'state')
      await mkdir(state, { mode: 0o700 })
      await chmod(bundle, 0o711)
      await writeFile(join(bundle, 'config.json'), JSON.stringify(containerConfig(parts)), { mode: 0o644 })
      if (user.isOther) await chown(state, user.uid, user.gid)
      const argv = runArguments(runtime, { state, bundle, id: `job-${user.place}` })
      const arrangement = await arrangeContainer(parts, argv)
      return await this.#parts.execute({ job, arrangement, argv }, user, signal)
    } finally {
      await rm(bundle, { recursive: true, force: true })
    }
  }
}

const makeDevices = async (folder: string): Promise<string> => {
  await mkdir(folder, { recursive: true, mode: 0o755 })
  for (const name of deviceFolder.folders) await mkdir(join(folder, name), { mode: 0o755 })
  for (const name of deviceFolder.files) await writeFile(join(folder, name), '')
  for (const [name, target] of Object.entries(deviceFolder.links)) await symlink(target, join(folder, name))
  return folder
}
