import { readFileSync } from 'node:fs'

/** A file in which the kernel tells of something that may be gone between two looks; empty when it is. */
export const readKernelFile = (path: string): string => {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}
