import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export interface WritingChild {
  readonly process: ChildProcess
  /** The ids the child saw acknowledged, so far. */
  readonly wrote: ReadonlySet<string>
  /** The ids that were in the database when it was opened, or the refusal. */
  readonly opened: Promise<readonly string[]>
  /** Resolves when so many more writes were acknowledged. */
  more(count: number): Promise<void>
  readonly ended: Promise<unknown>
  /** Kills it, if the test has not: one that fails leaves nothing behind. */
  [Symbol.asyncDispose](): Promise<void>
}

export interface ChildOptions {
  readonly dataDir: string
  readonly rows: number
  readonly databaseUrl?: string
  /** A command to run it under, such as one that changes the user. */
  readonly under?: readonly string[]
}

const patienceMs = 30_000

/** Starts a process that writes rows, to be killed at will. */
export const startWriting = ({ dataDir, rows, databaseUrl, under = [] }: ChildOptions): WritingChild => {
  const program = fileURLToPath(new URL('./crash-child.ts', import.meta.url))
  const given = databaseUrl === undefined ? [] : [databaseUrl]
  const [command = '', ...args] = [...under, process.execPath, program, dataDir, String(rows), ...given]
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'], cwd: '/' })
  const wrote = new Set<string>()
  const waiting = new Set<() => void>()
  const opened = Promise.withResolvers<readonly string[]>()
  opened.promise.catch(() => {})
  createInterface({ input: child.stdout }).on('line', (line) => {
    const [word, ...rest] = line.split(' ')
    if (word === 'open') opened.resolve(JSON.parse(rest.join(' ')))
    if (word === 'refused') opened.reject(new Error(rest.join(' ')))
    if (word !== 'wrote') return
    wrote.add(rest.join(' '))
    for (const look of [...waiting]) look()
  })
  const ended = once(child, 'close')
  void ended.then(() => opened.reject(new Error('the child ended before it opened the database')))

  const more = (count: number): Promise<void> => {
    const goal = wrote.size + count
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`only ${wrote.size} of ${goal} rows`)), patienceMs)
      const look = (): void => {
        if (wrote.size < goal) return
        clearTimeout(late)
        waiting.delete(look)
        resolve()
      }
      waiting.add(look)
      look()
    })
  }
  const dispose = async (): Promise<void> => {
    child.kill('SIGKILL')
    await ended
  }
  return { process: child, wrote, opened: opened.promise, more, ended, [Symbol.asyncDispose]: dispose }
}
