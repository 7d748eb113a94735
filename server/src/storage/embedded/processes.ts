import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

export const isAlive = (pid: number): boolean => {
  // Zero and below mean groups of processes.
  if (!(pid > 0)) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // The process is there, it is only not ours to signal.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/**
 * When a living process started, in the kernel's own words. A pid alone is not a name: after a restart of the
 * machine or the container another process has it.
 */
export const startOf = (pid: number): string | undefined => {
  try {
    if (process.platform === 'linux') {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
      // The second field is a name that may hold anything; the fields after its bracket are plain: the state
      // first, and the start as the 22nd field of all.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      // A dead process that its parent has not reaped yet still has its pid.
      return fields[0] === 'Z' || fields[0] === 'X' ? undefined : `${boot}:${fields[19]}`
    }
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim()
  } catch {
    return undefined
  }
}

/** The processes that work in a folder, as a PostgreSQL server and its children do in their data folder. */
export const processesIn = (folder: string): readonly number[] => {
  if (process.platform !== 'linux') return listedWith(folder)
  const found: number[] = []
  for (const entry of readdirSync('/proc')) {
    const pid = Number(entry)
    if (Number.isInteger(pid) && workingFolder(pid) === folder) found.push(pid)
  }
  return found
}

const workingFolder = (pid: number): string | undefined => {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return undefined
  }
}

const listedWith = (folder: string): readonly number[] => {
  const lines = execFileSync('ps', ['-axo', 'pid=,command='], { encoding: 'utf8' }).split('\n')
  return lines
    .filter((line) => line.includes('postgres') && line.includes(`-D ${folder}`))
    .map((line) => Number.parseInt(line, 10))
}
