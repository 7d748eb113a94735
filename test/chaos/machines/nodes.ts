import { spawnSync } from 'node:child_process'
import { mkdirSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { killProcess, type Running, startProcess, stopProcess } from '../../../server/src/testing-process.ts'
import type { ChaosDatabase } from './database.ts'
import type { Machine } from './network.ts'

/** One process of the service on its machine, over all its lives. */
export interface ChaosNode {
  readonly machine: Machine
  readonly baseUrl: string
  readonly isUp: boolean
  readonly hasOwnDisk: boolean
  readonly start: (more?: { skewMs?: number; main?: string }) => Promise<void>
  readonly stop: () => Promise<void>
  readonly kill: () => Promise<void>
  readonly pause: () => void
  readonly wake: () => void
  readonly fillDisk: () => void
  readonly freeDisk: () => void
  /** What all its lives have printed. */
  readonly output: () => string
  /** Kills it and takes its disk away, at once. */
  readonly abandon: () => void
}

const diskSize = '256m'
const skewModule = fileURLToPath(new URL('./clock-skew.mjs', import.meta.url))

export interface NodeDeps {
  readonly machine: Machine
  readonly database: ChaosDatabase
  readonly folder: string
  readonly key: string
  readonly environment?: Readonly<Record<string, string>>
}

export const chaosNode = ({ machine, database, folder, key, environment }: NodeDeps): ChaosNode => {
  const disk = openDisk(folder)
  const ballast = join(folder, 'ballast')
  mkdirSync(join(folder, 'data'), { mode: 0o700 })
  mkdirSync(join(folder, 'tmp'), { mode: 0o711 })
  let running: Running | undefined
  let before = ''
  let baseUrl = ''
  const end = async (how: (running: Running) => Promise<void>) => {
    const ending = running
    running = undefined
    if (!ending) return
    await how(ending)
    before += ending.output()
  }
  return {
    machine,
    get baseUrl() {
      return baseUrl
    },
    get isUp() {
      return running !== undefined
    },
    hasOwnDisk: disk.isOwn,
    start: async ({ skewMs, main } = {}) => {
      const skew =
        skewMs === undefined
          ? {}
          : { NODE_OPTIONS: `--import=${skewModule}`, CHAOS_CLOCK_SKEW_MS: String(skewMs) }
      running = await startProcess(
        join(folder, 'data'),
        key,
        {
          HOST: machine.address,
          TMPDIR: join(folder, 'tmp'),
          DATABASE_URL: database.url,
          DIORAMA_LOG: 'warnings',
          DIORAMA_WORKER_SLOTS: '2',
          ...environment,
          ...skew,
        },
        { enter: machine.enter, ...(main === undefined ? {} : { main }) },
      )
      baseUrl = running.baseUrl
    },
    stop: () => end(stopProcess),
    kill: () => end(killProcess),
    pause: () => void running?.process.kill('SIGSTOP'),
    wake: () => void running?.process.kill('SIGCONT'),
    fillDisk: () => fill(ballast),
    freeDisk: () => unlinkSync(ballast),
    output: () => before + (running?.output() ?? ''),
    abandon: () => {
      running?.process.kill('SIGKILL')
      disk.close()
    },
  }
}

/** A small separate file system for the data and temporary folders, where the machine lets us mount one. */
const openDisk = (folder: string): { readonly isOwn: boolean; close(): void } => {
  mkdirSync(folder, { recursive: true, mode: 0o711 })
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${diskSize},mode=711`, 'chaos', folder])
  return {
    isOwn: mounted.status === 0,
    close: () => void (mounted.status === 0 && spawnSync('umount', ['--lazy', folder])),
  }
}

/** Takes every block that is left. */
const fill = (file: string): void => {
  const chunk = Buffer.alloc(65_536)
  try {
    for (;;) writeFileSync(file, chunk, { flag: 'a' })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
  }
}
