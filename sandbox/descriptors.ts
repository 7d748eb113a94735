import { openSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'

const CLOSED_ON_EXEC = 0o2000000
const HIGHEST = 4096

/**
 * Whoever started us may have left us open files that every child inherits. Node marks its own, so what is unmarked
 * is theirs, and no job may hold it. The answer is a list for `stdio`, by descriptor: the null device for each, to be
 * put over them from the first descriptor that a job's own pipes do not replace.
 */
export async function coversForInherited(): Promise<readonly number[]> {
  let highest = -1
  for (const name of await readdir('/proc/self/fdinfo').catch(() => [])) {
    const info = await readFile(`/proc/self/fdinfo/${name}`, 'utf8').catch(() => '')
    const flags = /^flags:\s*(\d+)/m.exec(info)?.[1]
    const inherited = flags !== undefined && (Number.parseInt(flags, 8) & CLOSED_ON_EXEC) === 0
    if (inherited && Number(name) > 2) highest = Math.max(highest, Number(name))
  }
  if (highest < 0) return []
  const nothing = openSync('/dev/null', 'r+')
  return Array.from({ length: Math.min(highest, HIGHEST) + 1 }, () => nothing)
}
