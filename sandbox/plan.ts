import { lstat, readdir, readFile } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { commandVector } from './arrangement.ts'
import { SandboxFault, type SandboxJob, type SandboxPaths } from './sandbox.ts'

const FOLDER_BYTES = 256 * 2 ** 20
const FOLDER_FILES = 20_000

/** What a driver tells the launcher beside the job itself. */
export interface LauncherSetting {
  readonly paths: SandboxPaths
  readonly env: Readonly<Record<string, string>>
  /** The programs that take rights away from the command, each of which runs the next. */
  readonly confine: readonly string[]
  readonly relay: { readonly socket: string; readonly ports: readonly number[] } | undefined
  readonly namespaced: boolean
  /** Whether every other process that the launcher may signal belongs to the job. */
  readonly alone: boolean
}

/** The launcher's standard input: one line of plan, then the bytes of the files in order. */
export async function launcherInput(job: SandboxJob, setting: LauncherSetting): Promise<(string | Buffer)[]> {
  const { paths, ...rest } = setting
  const copied = job.folder === undefined ? {} : await readFolder(job.folder)
  const files = [
    ...Object.entries({ ...copied, ...job.files }).map(([path, content]) => ({
      at: paths.home,
      path,
      content,
    })),
    ...Object.entries(job.inputs ?? {}).map(([path, content]) => ({ at: paths.inputs, path, content })),
  ].map(({ at, path, content }) => ({ path: placed(at, path), bytes: Buffer.from(content) }))
  const plan = {
    ...rest,
    files: files.map(({ path, bytes }) => ({ path, size: bytes.length, mode: 0o755 })),
    bundleBytes: job.bundle?.length ?? 0,
    cwd: paths.home,
    work: paths.work,
    command: commandVector(job.command, paths),
    collect: job.collect,
    stdin: job.stdin,
    channelBytes: job.channelBytes,
  }
  const input: (string | Buffer)[] = [`${JSON.stringify(plan)}\n`, ...files.map(({ bytes }) => bytes)]
  if (job.bundle) input.push(Buffer.from(job.bundle))
  return input
}

/** Where a job's file goes; a path that climbs out of its folder is a mistake of the caller. */
export function placed(folder: string, path: string): string {
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
