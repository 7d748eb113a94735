import type { SandboxLimits } from '../sandbox.ts'

/** A confined Node needs address space for its threads' stacks and code beside what it really uses. */
const dataReserveBytes = 512 * 2 ** 20
const maxOpenFiles = 1024

/**
 * Resource limits of each process, by their names in lower case. Data, not address space: V8 reserves gigabytes that it
 * never touches, while data counts what a process may really write. The sum over a tree of processes is the watch's
 * business (process-watch.ts).
 */
export const resourceLimits = (limits: SandboxLimits, extraProcesses: number): Record<string, number> => {
  return {
    data: limits.memoryBytes + dataReserveBytes,
    nproc: limits.processes + extraProcesses,
    fsize: limits.fileBytes,
    nofile: maxOpenFiles,
    core: 0,
    memlock: 65_536,
    msgqueue: 65_536,
    ...(limits.cpuSeconds === undefined ? {} : { cpu: limits.cpuSeconds }),
  }
}
