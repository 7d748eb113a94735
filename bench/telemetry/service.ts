import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { startEmbedded } from '../../server/src/storage/embedded/embedded.ts'
import { silentLog } from '../../server/src/storage/log.ts'

const openDatabase = async (dataDir: string): Promise<{ url: string; close: () => Promise<void> }> => {
  const given = process.env.BENCH_DATABASE_URL
  if (given === undefined) return startEmbedded({ dataDir, log: silentLog, random: randomBytes })
  return { url: given, close: async () => {} }
}

export interface BenchService extends AsyncDisposable {
  readonly baseUrl: string
  readonly key: string
  /** Processor time that the service's own process has used, in milliseconds. */
  readonly processorMs: () => number
  readonly pool: pg.Pool
  readonly call: (
    method: string,
    path: string,
    body?: string | Uint8Array<ArrayBuffer>,
    type?: string,
  ) => Promise<string>
  readonly organizationId: string
  /** Of the service's process, in bytes. */
  readonly memory: () => Promise<number>
}

/** The service in its own process, on a database that syncs its disk and that the bench reaches directly too. */
export const openService = async (
  environment: Readonly<Record<string, string>> = {},
): Promise<BenchService> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'diorama-bench-'))
  const database = await openDatabase(dataDir)
  const key = `dk_${randomBytes(24).toString('hex')}`
  const main = fileURLToPath(new URL('../../server/src/main.ts', import.meta.url))
  const child = spawn(process.execPath, [main], {
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      DIORAMA_DATA_DIR: dataDir,
      DATABASE_URL: database.url,
      DIORAMA_API_KEY: key,
      DIORAMA_EMBEDDINGS: 'off',
      DIORAMA_LOG: 'none',
      ...environment,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const baseUrl = await new Promise<string>((resolve, reject) => {
    let text = ''
    child.stderr.on('data', (chunk) => {
      text += String(chunk)
      const ready = /ready at (\S+)/.exec(text)?.[1]
      if (ready) resolve(ready)
    })
    child.once('exit', () => reject(new Error(`the service ended: ${text}`)))
  })
  const pool = new pg.Pool({ connectionString: database.url, max: 4 })
  const call = async (
    method: string,
    path: string,
    body?: string | Uint8Array<ArrayBuffer>,
    type = 'application/json',
  ) => {
    const send = () =>
      fetch(`${baseUrl}${path}`, {
        method,
        headers: { authorization: `Bearer ${key}`, ...(body === undefined ? {} : { 'content-type': type }) },
        ...(body === undefined ? {} : { body }),
      })
    // A connection that rested too long may be closed just as it is used again.
    const reply = await send().catch(send)
    const text = await reply.text()
    if (!reply.ok) throw new Error(`${method} ${path} answered ${reply.status}: ${text.slice(0, 300)}`)
    return text
  }
  return {
    baseUrl,
    key,
    processorMs: () => processorMs(child.pid ?? 0),
    pool,
    call,
    organizationId: (await pool.query<{ id: string }>('select id from organizations')).rows[0]?.id ?? '',
    memory: async () =>
      Number(/^diorama_process_resident_memory_bytes (\S+)/m.exec(await call('GET', '/metrics'))?.[1]),
    [Symbol.asyncDispose]: async () => {
      await pool.end()
      const gone = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGTERM')
      await gone
      await database.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** The kernel counts in hundredths of a second. */
const processorMs = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/** How many times a second work gets done, with so many workers for so long. */
export const rate = async (workers: number, ms: number, work: () => Promise<number>): Promise<number> => {
  const start = performance.now()
  let done = 0
  await Promise.all(
    Array.from({ length: workers }, async () => {
      while (performance.now() - start < ms) {
        const more = await work()
        done += more
      }
    }),
  )
  return (done * 1_000) / (performance.now() - start)
}

export const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ??
  Number.NaN

/** One result beside its target; the bench fails when any misses. */
export interface Line {
  readonly what: string
  readonly value: number
  readonly target: string
  readonly met: boolean
}
