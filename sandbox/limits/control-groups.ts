/**
 * Where the service may make control groups, the kernel holds each job to its memory, its processes and its share of the
 * processors, and ends it whole. Where it may not, limits of single processes and the watch (process-watch.ts) are all there is.
 */
import { execFile } from 'node:child_process'
import { access, constants, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { isAbandoned } from '../stage/abandoned.ts'
import { type Controller, findHierarchies, type Hierarchy } from './hierarchies.ts'
import { endGroup, type GroupHome, type GroupLimits, JobGroup, removed } from './job-group.ts'

/** Ours in a folder that others may share; the process that made one is named next. */
const ownGroupName = /^diorama-(\d+)-/
/** Where the service runs in the same group as its jobs: the leader of a group of this name leaves the one above it to us. */
const serviceGroup = 'diorama-service'

/** What our own processes in the group, and the kernel on behalf of all of them, may take beside the job. */
const ownBytes = 64 * 2 ** 20
const ownProcesses = 8

/** As many as rest for the next jobs. */
const maxIdleGroups = 256

/**
 * Making and removing a group blocks the caller for milliseconds on a busy machine, so a group is used again by a
 * job with the same limits, the longest empty one first.
 */
export class ControlGroups implements AsyncDisposable {
  readonly #homes: readonly GroupHome[]
  readonly #resting: JobGroup[] = []

  constructor(homes: readonly GroupHome[]) {
    this.#homes = homes
  }

  get controllers(): readonly Controller[] {
    return this.#homes.flatMap(({ controllers }) => controllers)
  }

  take(job: GroupLimits): JobGroup {
    const memoryBytes = job.memoryBytes + ownBytes
    const processes = job.processes + ownProcesses
    const at = this.#resting.findIndex(
      ({ limits }) => limits.memoryBytes === memoryBytes && limits.processes === processes,
    )
    const [known] = at < 0 ? [] : this.#resting.splice(at, 1)
    if (known?.pids.length === 0) return known
    if (known) this.drop(known)
    return new JobGroup(this.#homes, { memoryBytes, processes })
  }

  /** After a job that ended on its own; the kernel's counts of the others would be taken for the next job's. */
  give(group: JobGroup): void {
    this.#resting.push(group)
    const [oldest] = this.#resting.length > maxIdleGroups ? this.#resting.splice(0, 1) : []
    if (oldest) this.drop(oldest)
  }

  drop(group: JobGroup): void {
    group.kill()
    void group.remove()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#resting.splice(0).map((group) => group.remove()))
  }
}

export type OpenedGroups = { readonly groups: ControlGroups } | { readonly unavailable: string }

/** On its own (`auto`) only where no one else's order is disturbed; elsewhere in the folder that the operator names. */
export const openControlGroups = async (choice: string): Promise<OpenedGroups> => {
  if (choice === 'off') return { unavailable: 'they are switched off' }
  try {
    const homes = choice === 'auto' ? await findHomes() : [await namedHome(choice)]
    if (!homes.some(({ controllers }) => controllers.includes('memory')))
      return { unavailable: 'the service has no control group that limits memory' }
    for (const { folder } of homes) await removeAbandoned(folder)
    const groups = new ControlGroups(homes)
    await attempt(groups)
    return { groups }
  } catch (error) {
    return { unavailable: error instanceof Error ? error.message : String(error) }
  }
}

const findHomes = async (): Promise<GroupHome[]> => {
  const read = (path: string) => readFile(path, 'utf8').catch(() => '')
  const { memory, pids, cpu } = findHierarchies(
    await read('/proc/self/cgroup'),
    await read('/proc/self/mountinfo'),
  )
  if (!memory) return []
  if (memory.generation === 2) return [await homeInOwnGroup(memory)]
  const homes: GroupHome[] = [{ folder: memory.folder, generation: 1, controllers: ['memory'] }]
  for (const [controller, hierarchy] of Object.entries({ pids, cpu } as const)) {
    if (hierarchy?.generation !== 1 || !(await isWritable(hierarchy.folder))) continue
    homes.push({
      folder: hierarchy.folder,
      generation: 1,
      controllers: [controller === 'pids' ? 'pids' : 'cpu'],
    })
  }
  return homes
}

const isWritable = (folder: string): Promise<boolean> =>
  access(folder, constants.W_OK).then(
    () => true,
    () => false,
  )

/** A group of the second generation can be divided only while no process is in it itself. */
const homeInOwnGroup = async ({ folder, isTop }: Hierarchy): Promise<GroupHome> => {
  if (basename(folder) === serviceGroup) return await divide(dirname(folder))
  const home = await divide(folder).catch(() => undefined)
  if (home) return home
  if (!isTop) throw new Error(`the group ${folder} is not the service's own; see DIORAMA_SANDBOX_CGROUP`)
  await mkdir(join(folder, serviceGroup), { recursive: true })
  const inside = (await readFile(join(folder, 'cgroup.procs'), 'utf8')).split('\n').filter(Boolean)
  for (const pid of inside)
    await writeFile(join(folder, serviceGroup, 'cgroup.procs'), pid).catch(() => undefined)
  return await divide(folder)
}

const namedHome = async (folder: string): Promise<GroupHome> => {
  await stat(join(folder, 'cgroup.procs')).catch(() => {
    throw new Error(`${folder} is not a control group`)
  })
  const second = await stat(join(folder, 'cgroup.controllers')).catch(() => undefined)
  return second ? await divide(folder) : { folder, generation: 1, controllers: ['memory'] }
}

const divide = async (folder: string): Promise<GroupHome> => {
  const offered = (await readFile(join(folder, 'cgroup.controllers'), 'utf8')).trim().split(' ')
  const controllers = (['memory', 'pids', 'cpu'] as const).filter((name) => offered.includes(name))
  await writeFile(join(folder, 'cgroup.subtree_control'), controllers.map((name) => `+${name}`).join(' '))
  return { folder, generation: 2, controllers }
}

/** A group that accepts no process is useless; better to know before the first job. */
const attempt = async (groups: ControlGroups): Promise<void> => {
  const group = groups.take({ memoryBytes: 2 ** 26, processes: 8 })
  const script = 'for entrance; do echo 0 > "$entrance" || exit 1; done'
  try {
    await promisify(execFile)('/bin/sh', ['-c', script, 'sh', ...group.entrances], { timeout: 10_000 })
    groups.give(group)
  } catch (error) {
    await group.remove()
    throw error
  }
}

/** A service that was killed leaves its groups behind; the next one ends and removes them. */
const removeAbandoned = async (folder: string): Promise<void> => {
  for (const name of await readdir(folder)) {
    const owner = ownGroupName.exec(name)?.[1]
    if (!owner || !(await isAbandoned(join(folder, name), Number(owner)))) continue
    endGroup(join(folder, name))
    removed(join(folder, name))
  }
}
