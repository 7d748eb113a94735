import { type ChildProcess, spawn } from 'node:child_process'

/** The service as its own process, for tests that kill it. */
export interface Running {
  readonly process: ChildProcess
  readonly baseUrl: string
  /** What it has printed so far: its log, and what it says to the operator. */
  output(): string
}

/** A start takes two seconds of one core; a machine that is busy with other tests may need many times that. */
const maxStartMs = 120_000

export interface HowToStart {
  /** Goes in front of the command, such as one that enters a namespace. */
  readonly enter?: readonly string[]
  /** The entry point of another checkout. */
  readonly main?: string
}

/** Starts it on a data folder and waits until it is ready; one that never is, is killed. */
export const startProcess = (
  dataDir: string,
  key: string,
  more: Readonly<Record<string, string>> = {},
  { enter = [], main = new URL('./main.ts', import.meta.url).pathname }: HowToStart = {},
): Promise<Running> => {
  const [program = process.execPath, ...args] = [...enter, process.execPath, main]
  const child = spawn(program, args, {
    env: {
      ...process.env,
      PORT: '0',
      DIORAMA_DATA_DIR: dataDir,
      DIORAMA_API_KEY: key,
      DIORAMA_LOG: 'none',
      DIORAMA_EMBEDDINGS: 'off',
      // Processes that share a database share its key; data folders are not shared.
      DIORAMA_ENCRYPTION_KEY: '5eed'.repeat(16),
      ...more,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return new Promise((resolve, reject) => {
    let said = ''
    let printed = ''
    child.stdout?.on('data', (chunk) => {
      printed += chunk
    })
    const timer = setTimeout(() => child.kill('SIGKILL'), maxStartMs)
    child.stderr?.on('data', (chunk) => {
      said += chunk
      const baseUrl = /ready at (\S+)/.exec(said)?.[1]
      if (!baseUrl) return
      clearTimeout(timer)
      resolve({ process: child, baseUrl, output: () => printed + said })
    })
    child.once('exit', (_, signal) => {
      clearTimeout(timer)
      reject(new Error(`the service ended${signal ? ` by ${signal}` : ''}: ${said}`))
    })
  })
}

/** Kills it without a warning, and waits until it is gone. */
export const killProcess = (running: Running): Promise<void> => endBy(running, 'SIGKILL')

/** Asks it to drain, and waits until it is gone. */
export const stopProcess = (running: Running): Promise<void> => endBy(running, 'SIGTERM')

const endBy = (running: Running, signal: NodeJS.Signals): Promise<void> =>
  new Promise((resolve) => {
    if (running.process.exitCode !== null || running.process.signalCode !== null) return resolve()
    running.process.removeAllListeners('exit')
    running.process.once('exit', () => resolve())
    running.process.kill(signal)
  })
