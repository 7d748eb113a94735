import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import type { Client } from '@diorama/sdk/index.ts'
import { type ConnectionFlags, connect } from '../connection.ts'
import { Complaint } from '../failure.ts'
import { starterOfService } from '../service-program.ts'
import type { Terminal } from '../terminal.ts'

const maxStartMs = 180_000
const maxKeptText = 20_000

/**
 * The shell between us and the service holds the reading end of a pipe whose writing end is ours alone: whatever ends
 * us, kill -9 included, closes it, and the service is stopped.
 */
const watcher = `exec 3<&0 </dev/null
"$@" 3<&- & service=$!
{ read -r _ <&3; kill -TERM $service; } & watch=$!
exec 3<&-
wait $service; status=$?
kill $watch 2>/dev/null
exit $status`

/** A service to work with, and how to stop it where it was started for this. */
export interface UsedService {
  readonly client: Client
  readonly started: boolean
  readonly stop: () => Promise<void>
}

/** The service that is up, or one that is started here and ends with the command. */
export const useService = async (
  flags: ConnectionFlags,
  terminal: Terminal,
  note: (text: string) => void,
): Promise<UsedService> => {
  const client = connect(flags, terminal)
  const isUp = await client.health.ready({ retries: 0, timeoutMs: 2_000 }).then(
    () => true,
    () => false,
  )
  // A service that was named is not replaced by another one.
  const named = flags.url ?? terminal.env.DIORAMA_BASE_URL
  if (isUp || named !== undefined) return { client, started: false, stop: async () => {} }
  note('no service is running: starting one for this evaluation')
  return start(flags, terminal)
}

const start = async (flags: ConnectionFlags, terminal: Terminal): Promise<UsedService> => {
  const dataDir = resolve(terminal.cwd, terminal.env.DIORAMA_DATA_DIR || '.diorama')
  const env = { DIORAMA_LOG: 'warnings', ...terminal.env, DIORAMA_DATA_DIR: dataDir }
  const command = [process.execPath, '--no-warnings', starterOfService()]
  const service = spawn('/bin/sh', ['-c', watcher, 'service', ...command], {
    cwd: terminal.cwd,
    env,
    stdio: ['pipe', 'ignore', 'pipe'],
    // An interrupt at the terminal is for the command, which then stops the service.
    detached: true,
  })
  const ended = once(service, 'exit')
  // The shell may end before it has read the end.
  service.stdin.on('error', () => {})
  const stop = async () => {
    service.stdin.end()
    await ended
  }
  let said = ''
  const baseUrl = await new Promise<string | undefined>((settle) => {
    const timer = setTimeout(() => settle(undefined), maxStartMs)
    const end = (url: string | undefined) => {
      clearTimeout(timer)
      settle(url)
    }
    terminal.signal.addEventListener('abort', () => end(undefined), { once: true })
    service.on('exit', () => end(undefined))
    service.stderr.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-maxKeptText)
      const url = /ready at (\S+)/.exec(said)?.[1]
      if (url !== undefined) end(url)
    })
  })
  if (baseUrl === undefined) {
    await stop()
    const [reason = ''] = said.trim().split('\n').slice(-1)
    throw new Complaint(`The service did not start. ${reason.replace(/^diorama: /, '')}`)
  }
  const client = connect({ ...flags, url: baseUrl }, { ...terminal, env })
  return { client, started: true, stop }
}
