import { mkdtempSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Controller } from './hierarchies.ts'

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

const KILL_ROUNDS = 50
const REMOVE_ROUNDS = 100
const REMOVE_MS = 20

/** What the kernel itself holds one job to, and the way to end all of it. */
export class JobGroup {
  /** A process that writes 0 to each of these files joins, and so does everything that it starts. */
  readonly entrances: readonly string[]
  readonly #folders: readonly { readonly folder: string; readonly home: GroupHome }[]
  #limits: GroupLimits = { memoryBytes: 0, processes: 0 }
  #killsBefore = 0

  constructor(homes: readonly GroupHome[]) {
    this.#folders = homes.map((home) => {
      const folder = mkdtempSync(join(home.folder, `diorama-${process.pid}-`))
      return { folder, home }
    })
    this.entrances = this.#folders.map(({ folder }) => join(folder, 'cgroup.procs'))
  }

  /** From here on it is the next job's. */
  begin(limits: GroupLimits): void {
    this.#killsBefore = this.#kills()
    const { memoryBytes, processes } = this.#limits
    if (memoryBytes === limits.memoryBytes && processes === limits.processes) return
    for (const { folder, home } of this.#folders) setLimits(folder, home, limits)
    this.#limits = limits
  }

  get isEmpty(): boolean {
    return this.entrances.every((entrance) => readOrNothing(entrance) === '')
  }

  /** Whether the kernel ended one of the job's processes because the group needed more than it may have. */
  ranOutOfMemory(): boolean {
    return this.#kills() > this.#killsBefore
  }

  #kills(): number {
    let kills = 0
    for (const { folder, home } of this.#folders) {
      if (!home.controllers.includes('memory')) continue
      const file = home.generation === 1 ? 'memory.oom_control' : 'memory.events'
      kills += Number(/^oom_kill (\d+)/m.exec(readOrNothing(join(folder, file)))?.[1] ?? 0)
    }
    return kills
  }

  /** Nothing in it survives, whatever it has done to its parents, names and users. */
  kill(): void {
    for (const { folder } of this.#folders) endGroup(folder)
  }

  /** Once its last process is over, which the kernel may take a moment to see. */
  async remove(): Promise<void> {
    for (const { folder } of this.#folders) {
      for (let round = 0; round < REMOVE_ROUNDS && !removed(folder); round++)
        await wait(REMOVE_MS, undefined, { ref: false })
    }
  }
}

function setLimits(folder: string, { generation, controllers }: GroupHome, limits: GroupLimits): void {
  const set = (name: string, value: number) => writeFileSync(join(folder, name), String(value))
  const setWhereKnown = (name: string, value: number) => {
    try {
      set(name, value)
    } catch {
      // This kernel counts no swap, or has no such switch; the limit on memory stands without it.
    }
  }
  if (controllers.includes('pids')) set('pids.max', limits.processes)
  if (!controllers.includes('memory')) return
  if (generation === 1) {
    // Memory with swap may never be less than memory, so a group that is used again lets go of it first.
    setWhereKnown('memory.memsw.limit_in_bytes', -1)
    set('memory.limit_in_bytes', limits.memoryBytes)
    setWhereKnown('memory.memsw.limit_in_bytes', limits.memoryBytes)
    return
  }
  set('memory.max', limits.memoryBytes)
  setWhereKnown('memory.swap.max', 0)
  setWhereKnown('memory.oom.group', 1)
}

/** Newer kernels end a group in one stroke; in older ones, whoever is there is ended until nobody is. */
export function endGroup(folder: string): void {
  try {
    writeFileSync(join(folder, 'cgroup.kill'), '1', { flag: 'r+' })
    return
  } catch {
    // There is no such file here.
  }
  for (let round = 0; round < KILL_ROUNDS; round++) {
    const pids = readOrNothing(join(folder, 'cgroup.procs'))
      .split('\n')
      .filter((pid) => Number(pid) > 0)
    if (pids.length === 0) return
    for (const pid of pids.map(Number)) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // It ended by itself between the two lines.
      }
    }
  }
}

export function removed(folder: string): boolean {
  try {
    rmdirSync(folder)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ENOENT'
  }
}

function readOrNothing(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}
