import { mkdtempSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Controller } from './hierarchies.ts'
import { readKernelFile } from './kernel-file.ts'

/** A folder in which groups for jobs are made. */
export interface GroupHome {
  readonly folder: string
  readonly generation: 1 | 2
  readonly controllers: readonly Controller[]
}

export interface GroupLimits {
  readonly memoryBytes: number
  readonly processes: number
}

/** A quarter of the weight that others have when both want a processor, in the units of either generation. */
const cpuShare = { shares: 256, weight: 25 } as const
/** For each of its processes, where no group holds them together. */
export const jobNiceness = 15
const killRounds = 50
const removeRounds = 100
const removeRetryMs = 20

/** What the kernel itself holds one job to, and the way to end all of it. */
export class JobGroup {
  /** A process that writes 0 to each of these files joins, and so does everything that it starts. */
  readonly entrances: readonly string[]
  readonly limits: GroupLimits
  readonly #folders: readonly { readonly folder: string; readonly home: GroupHome }[]

  constructor(homes: readonly GroupHome[], limits: GroupLimits) {
    this.#folders = homes.map((home) => {
      const folder = mkdtempSync(join(home.folder, `diorama-${process.pid}-`))
      return { folder, home }
    })
    // In the first generation a single thread may join on its own, for which the kernel need not stop all others.
    this.entrances = this.#folders.map(({ folder, home }) =>
      join(folder, home.generation === 1 ? 'tasks' : 'cgroup.procs'),
    )
    this.limits = limits
    try {
      for (const { folder, home } of this.#folders) setLimits(folder, home, limits)
    } catch (error) {
      for (const { folder } of this.#folders) removed(folder)
      throw error
    }
  }

  /** A process in one of its folders is in all of them. */
  get pids(): readonly number[] {
    return pidsIn(this.#folders[0]?.folder ?? '')
  }

  /** Whether the kernel ended one of its processes because the group needed more than it may have. */
  ranOutOfMemory(): boolean {
    return this.#folders.some(({ folder, home }) => {
      if (!home.controllers.includes('memory')) return false
      const file = home.generation === 1 ? 'memory.oom_control' : 'memory.events'
      return /^oom_kill [1-9]/m.test(readKernelFile(join(folder, file)))
    })
  }

  /** Nothing in it survives, whatever it has done to its parents, names and users. */
  kill(): void {
    for (const { folder } of this.#folders) endGroup(folder)
  }

  /** Once its last process is over, which the kernel may take a moment to see. */
  async remove(): Promise<void> {
    for (const { folder } of this.#folders) {
      for (let round = 0; round < removeRounds && !removed(folder); round++)
        await wait(removeRetryMs, undefined, { ref: false })
    }
  }
}

const setLimits = (folder: string, { generation, controllers }: GroupHome, limits: GroupLimits): void => {
  const set = (name: string, value: number) => writeFileSync(join(folder, name), String(value))
  const setWhereKnown = (name: string, value: number) => {
    try {
      set(name, value)
    } catch {
      // This kernel counts no swap, or has no such switch; the limit on memory stands without it.
    }
  }
  if (controllers.includes('cpu')) {
    if (generation === 1) set('cpu.shares', cpuShare.shares)
    else set('cpu.weight', cpuShare.weight)
  }
  if (controllers.includes('pids')) set('pids.max', limits.processes)
  if (!controllers.includes('memory')) return
  if (generation === 1) {
    set('memory.limit_in_bytes', limits.memoryBytes)
    setWhereKnown('memory.memsw.limit_in_bytes', limits.memoryBytes)
    return
  }
  set('memory.max', limits.memoryBytes)
  setWhereKnown('memory.swap.max', 0)
  setWhereKnown('memory.oom.group', 1)
}

/** Newer kernels end a group in one stroke; in older ones, processes are killed until none is left. */
export const endGroup = (folder: string): void => {
  try {
    writeFileSync(join(folder, 'cgroup.kill'), '1', { flag: 'r+' })
    return
  } catch {
    // There is no such file here.
  }
  for (let round = 0; round < killRounds; round++) {
    const pids = pidsIn(folder)
    if (pids.length === 0) return
    for (const pid of pids) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // It ended on its own between the two lines.
      }
    }
  }
}

export const removed = (folder: string): boolean => {
  try {
    rmdirSync(folder)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ENOENT'
  }
}

/** Those that we can see: in a namespace beside ours a process has no number. */
const pidsIn = (folder: string): number[] => {
  return readKernelFile(join(folder, 'cgroup.procs'))
    .split('\n')
    .map(Number)
    .filter((pid) => pid > 0)
}
