import { lstat, readdir, readFile } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { nssDatabase, nssDatabasePath } from '../gateway/nss-database.ts'
import { type FileTree, SandboxFault, type SandboxJob, type SandboxPaths } from '../sandbox.ts'

const maxFolderBytes = 256 * 2 ** 20
const maxFolderFiles = 20_000

/** What a driver passes to the launcher besides the job. */
export interface LauncherSetting {
  readonly paths: SandboxPaths
  readonly env: Readonly<Record<string, string>>
  /** Resource limits that the launcher sets just before the command, by name, such as `nproc`. */
  readonly limits: Readonly<Record<string, number>>
  /** Where no namespace confines the command, the launcher does it; absent where bwrap has. */
  readonly confinement?: Confinement
  /** Where the command starts; its home when absent. */
  readonly start?: string | undefined
  /** Where the image of a job with one is shown read-only, to be copied from. */
  readonly imageFolder?: string | undefined
  /** Whether the command is moved to its own user namespace, as where the launcher is root in one. */
  readonly ownUserNamespace?: boolean
  readonly relay: { readonly socket: string; readonly ports: readonly number[] } | undefined
  /** Where a story's time is found, for a job that lives in it. */
  readonly story?: StoryPlaces | undefined
  readonly namespaced: boolean
  /** Whether every other process that the launcher may signal belongs to the job. */
  readonly alone: boolean
}

/** Paths as the job sees them; the table and the bell are made by the launcher. */
export interface StoryPlaces {
  readonly library: string
  readonly page: string
  readonly table: string
  readonly bell: string
}

/** What a command without namespaces is held to; see inside/confinement.py. */
export interface Confinement {
  readonly systemCallFilter: Buffer | undefined
  /** Everything else on the machine is neither readable nor writable, where the kernel has Landlock. */
  readonly readable: readonly string[]
  readonly writable: readonly string[]
  /** Private folders to put in the place of those that all users share, by the path of the latter. */
  readonly replacements: Readonly<Record<string, string>>
  /** Paths below the shared folders that stay visible. */
  readonly kept: readonly string[]
  /** Whether the shared folders themselves may be written where they cannot be replaced, since they are cleaned after. */
  readonly mayShare: boolean
}

export const unconfined: Confinement = {
  systemCallFilter: undefined,
  readable: [],
  writable: [],
  replacements: {},
  kept: [],
  mayShare: false,
}

/**
 * What the launcher reads: the plan's size on a line, the plan, then the bytes of the files, the archives and the
 * command's standard input. The plan is words with a zero byte between them, lists with their length before them:
 * the launcher reads it before every trial, in an order that both sides know, without a parser.
 */
export const launcherInput = async (
  job: SandboxJob,
  setting: LauncherSetting,
): Promise<(string | Buffer)[]> => {
  const { paths, env, limits, confinement = unconfined, relay, story, namespaced, alone } = setting
  const { start = paths.home, ownUserNamespace = false } = setting
  const copied = job.folder === undefined ? {} : await readFolder(job.folder)
  const files = [
    ...Object.entries({ ...browserTrust(job), ...copied, ...job.files }).map(([path, content]) => ({
      at: paths.home,
      path,
      content,
    })),
    ...Object.entries(job.inputs ?? {}).map(([path, content]) => ({ at: paths.inputs, path, content })),
    ...imageFiles(job),
  ].map(({ at, path, content }) => ({ path: placed(at, path), bytes: bytesOf(content) }))
  const archives = [job.dependencies, job.bundle].filter((archive) => archive !== undefined)
  const stdin = job.stdin === undefined ? undefined : Buffer.from(job.stdin)
  const flag = (value: boolean) => (value ? '1' : '0')
  const words = [
    flag(namespaced),
    flag(alone),
    paths.home,
    start,
    paths.work,
    String(job.channelBytes ?? 0),
    String(job.collect?.maxFiles ?? -1),
    String(job.collect?.maxBytes ?? 0),
    relay?.socket ?? '',
    ...list((relay?.ports ?? []).map(String)),
    ...list(Object.entries(limits).flatMap(([name, value]) => [name, String(value)])),
    flag(ownUserNamespace),
    confinement.systemCallFilter?.toString('hex') ?? '',
    ...list(confinement.readable),
    ...list(confinement.writable),
    ...list(Object.entries(confinement.replacements).flatMap(([target, source]) => [source, target])),
    ...list(confinement.kept),
    flag(confinement.mayShare),
    story?.library ?? '',
    story?.page ?? '',
    story?.table ?? '',
    story?.bell ?? '',
    flag(job.onRunning !== undefined),
    ...list(commandVector(job.command, paths)),
    ...list(Object.entries(env).flat()),
    ...list(files.flatMap(({ path, bytes }) => [path, String(bytes.length)])),
    ...list(archives.map(({ length }) => String(length))),
    String(stdin?.length ?? -1),
    ...list((job.imageUse?.writable ?? []).flatMap((path) => [`${setting.imageFolder}${path}`, path])),
    ...list(job.imageUse?.emptied ?? []),
    ...list(job.imageUse?.collect ?? []),
  ]
  if (words.some((word) => word.includes('\0')))
    throw new SandboxFault('There is a zero byte in the command, its environment or a path.')
  const plan = Buffer.from(words.join('\0'))
  const input: (string | Buffer)[] = [`${plan.length}\n`, plan, ...files.map(({ bytes }) => bytes)]
  input.push(...archives.map(bytesOf))
  if (stdin) input.push(stdin)
  return input
}

/** What makes a browser trust the gateway, where there is one. */
const browserTrust = ({ network }: SandboxJob): FileTree =>
  network === 'none' ? {} : { [nssDatabasePath]: nssDatabase(network.authorities) }

/** The files for the writable folders of an image, each with the folder that it must stay in. */
const imageFiles = ({ imageUse: { writable, files = {} } = { writable: [] } }: SandboxJob) =>
  Object.entries(files).map(([path, content]) => {
    const at = writable.find((folder) => path.startsWith(`${folder}/`))
    if (at === undefined) throw new SandboxFault(`${path} is in no folder that the job may write.`)
    return { at, path: path.slice(at.length + 1), content }
  })

export const commandVector = (command: SandboxJob['command'], paths: SandboxPaths): string[] => {
  if (typeof command === 'string') return ['/bin/sh', '-c', command]
  return [...(typeof command === 'function' ? command(paths) : command)]
}

/** The same bytes, not a copy of them: a world's file is large, and goes to every scorer. */
export const bytesOf = (content: string | Uint8Array): Buffer => {
  if (typeof content === 'string') return Buffer.from(content)
  return Buffer.from(content.buffer, content.byteOffset, content.byteLength)
}

const list = (words: readonly string[]): string[] => [String(words.length), ...words]

/** Where a job's file goes; a path that climbs out of its folder is a mistake of the caller. */
export const placed = (folder: string, path: string): string => {
  const full = posix.normalize(posix.join(folder, path))
  if (full.includes('\0') || !full.startsWith(`${folder}/`)) {
    throw new SandboxFault(`A job's file must stay in its folder: ${JSON.stringify(path)}`)
  }
  return full
}

/** Regular files only: a link in the folder could point at anything of ours. */
const readFolder = async (root: string): Promise<Record<string, Uint8Array>> => {
  const files: Record<string, Uint8Array> = {}
  let bytes = 0
  const names = await readdir(root, { recursive: true })
  if (names.length > maxFolderFiles)
    throw new SandboxFault(`The folder ${root} holds more than ${maxFolderFiles} files.`)
  for (const name of names) {
    const full = join(root, name)
    const found = await lstat(full)
    if (!found.isFile()) continue
    bytes += found.size
    if (bytes > maxFolderBytes)
      throw new SandboxFault(`The folder ${root} holds more than ${maxFolderBytes} bytes.`)
    files[name] = await readFile(full)
  }
  return files
}
