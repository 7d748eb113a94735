import { execFileSync } from 'node:child_process'
import { readdirSync, readlinkSync } from 'node:fs'

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
