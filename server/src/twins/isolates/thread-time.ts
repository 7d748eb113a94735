import { readFileSync, readlinkSync } from 'node:fs'

/** Linux counts the processor time of a thread in hundredths of a second. */
const tickMs = 10

/** The number by which the kernel knows the calling thread; 0 where it cannot be found out. */
export const threadNumber = (): number => {
  try {
    return Number(readlinkSync('/proc/thread-self').split('/').at(-1)) || 0
  } catch {
    return 0
  }
}

/** The processor time that a thread of this process has used; undefined where the kernel does not report it. */
export const threadTimeMs = (thread: number): number | undefined => {
  if (thread === 0) return undefined
  try {
    const text = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8')
    // The name of the thread is in brackets and may hold spaces; user and system time are 12 and 13 fields after it.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[11]) + Number(fields[12])) * tickMs
  } catch {
    return undefined
  }
}
