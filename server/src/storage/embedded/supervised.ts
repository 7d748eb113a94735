import { type ChildProcess, spawn } from 'node:child_process'
import type { Account } from './account.ts'

/**
 * The shell between us and the program holds the reading end of a pipe whose writing end is ours alone:
 * whatever ends us, kill -9 included, closes it, and the program is stopped. The shell itself ends when
 * the program does, which is how we learn of it.
 */
const watcher = `exec 3<&0 </dev/null
"$@" 3<&- & program=$!
{ read -r _ <&3; kill -INT $program; } & watch=$!
exec 3<&-
wait $program; status=$?
kill $watch 2>/dev/null
exit $status`

/** Where the few programs of the system lie that the database is started with. */
const programFolders = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

export interface Supervised {
  readonly command: readonly string[]
  readonly account: Account
  readonly environment: Readonly<Record<string, string>>
}

/** Runs a program for no longer than we live. Ending its stdin tells it to stop. */
export const spawnSupervised = ({ command, account, environment }: Supervised): ChildProcess => {
  const child = spawn('/bin/sh', ['-c', watcher, 'database', ...account.prefix, ...command], {
    ...account.spawn,
    cwd: '/',
    env: { ...environment, PATH: programFolders },
    stdio: ['pipe', 'ignore', 'pipe'],
    // In its own session: Ctrl-C in a terminal must reach us, who drain first, and not the server.
    detached: true,
  })
  // The watcher may end before it has read the word to stop.
  child.stdin?.on('error', () => {})
  return child
}
