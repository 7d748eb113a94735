import type { SandboxLimits } from '../sandbox.ts'

/** Each thread of an interpreter takes address space for its stack, heap and code beside what it really uses. */
const dataReserveBytes = 4 * 2 ** 30
const maxOpenFiles = 1024

/**
 * Resource limits of each process, by their names in lower case. Data, not address space: V8 reserves gigabytes that it
 * never touches, while data counts what a process may really write. It only bounds how far a process gets between two
 * looks of the watch (process-watch.ts), so it is left out where a control group holds the job's memory.
 */
export const resourceLimits = (
  limits: SandboxLimits,
  { ownProcesses, memoryIsHeld }: { ownProcesses: number; memoryIsHeld: boolean },
): Record<string, number> => ({
  ...(memoryIsHeld ? {} : { data: 2 * limits.memoryBytes + dataReserveBytes }),
  nproc: limits.processes + ownProcesses,
  fsize: limits.fileBytes,
  nofile: maxOpenFiles,
  core: 0,
  memlock: 65_536,
  msgqueue: 65_536,
  ...(limits.cpuSeconds === undefined ? {} : { cpu: limits.cpuSeconds }),
})
