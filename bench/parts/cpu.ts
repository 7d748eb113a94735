import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import type pg from 'pg'

/** What Linux counts in: its clock runs at 100 ticks a second on every machine that we know. */
const tickMs = 10

interface Counted {
  readonly pid: number
  readonly name: string
  readonly parent: number
  readonly ownMs: number
  /** Of children that have ended and were waited for. */
  readonly endedMs: number
}

const read = (pid: number): Counted | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    const [parent = 0, user = 0, system = 0, endedUser = 0, endedSystem = 0] = [1, 11, 12, 13, 14].map(
      (place) => fields[place] ?? 0,
    )
    const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'))
    return { pid, name, parent, ownMs: (user + system) * tickMs, endedMs: (endedUser + endedSystem) * tickMs }
  } catch {
    return undefined
  }
}

const reaped = 'BENCH_REAPED'

/**
 * Runs the present script again below a process that inherits its orphans, and ends with it; returns in the second life
 * alone. Without it the time of whatever ends after its parent would be lost.
 */
export const countingOrphans = async (python: string): Promise<void> => {
  if (process.env[reaped] !== undefined) return
  const reaper = new URL('reaper.py', import.meta.url).pathname
  const child = spawn(python, [reaper, process.execPath, ...process.argv.slice(1)], {
    stdio: 'inherit',
    env: { ...process.env, [reaped]: '1' },
  })
  const [code] = await once(child, 'exit')
  process.exit(code ?? 1)
}

/** A process and everything below it. */
const familyOf = (root: number): Counted[] => {
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (read(Number(name)) ?? []) : []))
  const family = new Set([root])
  for (let grown = true; grown; ) {
    grown = false
    for (const { pid, parent } of all)
      if (family.has(parent) && !family.has(pid)) {
        family.add(pid)
        grown = true
      }
  }
  return all.filter(({ pid }) => family.has(pid))
}

/** Processor time of everything that this process has started, by whichever way. */
const startedCpuMs = (): number =>
  familyOf(process.ppid).reduce(
    (sum, { pid, ownMs, endedMs }) => sum + endedMs + (pid === process.pid ? 0 : ownMs),
    0,
  )

export interface FamilyCpu {
  readonly serviceMs: number
  readonly databaseMs: number
  readonly startedMs: number
}

/** Processor time of a service in its own process, of its database, and of everything else below this bench's parent. */
export const familyCpu = (service: number): FamilyCpu => {
  const sums = { serviceMs: 0, databaseMs: 0, startedMs: 0 }
  for (const { pid, name, ownMs, endedMs } of familyOf(process.ppid)) {
    if (pid === process.pid) continue
    const isDatabase = name.startsWith('postgres')
    if (pid === service) sums.serviceMs += ownMs
    else sums[isDatabase ? 'databaseMs' : 'startedMs'] += ownMs
    sums[isDatabase ? 'databaseMs' : 'startedMs'] += endedMs
  }
  return sums
}

/** Processor time of the database's processes that serve connections of ours. */
const databaseCpuMs = async (pool: pg.Pool): Promise<number> => {
  const { rows } = await pool.query<{ pid: number }>(
    'select pid from pg_stat_activity where datname = current_database()',
  )
  return rows.reduce((sum, { pid }) => sum + (read(pid)?.ownMs ?? 0), 0)
}

export interface Spent<Result> {
  readonly result: Result
  readonly serviceMs: number
  readonly databaseMs: number
  readonly startedMs: number
}

/** What a piece of work takes of the processors, by who takes it. */
export const spentBy = async <Result>(pool: pg.Pool, work: () => Promise<Result>): Promise<Spent<Result>> => {
  const [databaseMs, startedMs, own] = [await databaseCpuMs(pool), startedCpuMs(), process.cpuUsage()]
  const result = await work()
  const { user, system } = process.cpuUsage(own)
  return {
    result,
    serviceMs: (user + system) / 1_000,
    databaseMs: (await databaseCpuMs(pool)) - databaseMs,
    startedMs: startedCpuMs() - startedMs,
  }
}
