import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

const tickMicros = 10_000

interface Entry {
  readonly pid: number
  readonly parent: number
  readonly cpuMicros: number
  readonly isDatabase: boolean
}

const read = (pid: number): Entry | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'))
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    const [parent = 0, user = 0, system = 0] = [1, 11, 12].map((place) => fields[place] ?? 0)
    return { pid, parent, cpuMicros: (user + system) * tickMicros, isDatabase: name.startsWith('postgres') }
  } catch {
    return undefined
  }
}

export interface Usage {
  readonly serviceMicros: number
  readonly databaseMicros: number
}

/** Processor time of a process and its children: the database's apart from the rest. */
export const usageOf = (root: number): Usage => {
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (read(Number(name)) ?? []) : []))
  const family = new Set([root])
  for (let size = 0; size !== family.size; ) {
    size = family.size
    for (const { pid, parent } of all) if (family.has(parent)) family.add(pid)
  }
  const sum = (isDatabase: boolean) =>
    all
      .filter((one) => family.has(one.pid) && one.isDatabase === isDatabase)
      .reduce((total, { cpuMicros }) => total + cpuMicros, 0)
  return { serviceMicros: sum(false), databaseMicros: sum(true) }
}

export const rssMb = (pid: number): number => {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024
  } catch {
    return 0
  }
}

/** What a database's folder holds of tables and indexes: its write-ahead log is recycled and does not count. */
export const tableBytes = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\/base(\/|$)/.test(entry.parentPath))
    .reduce((total, entry) => total + sizeOf(join(entry.parentPath, entry.name)), 0)

const sizeOf = (path: string): number => {
  try {
    return statSync(path).size
  } catch {
    return 0
  }
}
