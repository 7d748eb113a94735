import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startProcess, stopProcess } from '../../server/src/testing-process.ts'
import { type FamilyCpu, familyCpu } from './cpu.ts'

/** The service as `npm start` runs it: its own process, embedded PostgreSQL, logs on. */
export interface RunningService {
  readonly baseUrl: string
  readonly key: string
  readonly pid: number
  /** Calls the API; anything but a success is thrown. */
  // biome-ignore lint/suspicious/noExplicitAny: replies of many routes.
  readonly call: (method: string, path: string, body?: unknown) => Promise<any>
  /** Processor time so far, by who has used it. */
  readonly cpu: () => FamilyCpu
  [Symbol.asyncDispose](): Promise<void>
}

export const startService = async (
  environment: Readonly<Record<string, string>> = {},
): Promise<RunningService> => {
  const folder = mkdtempSync(join(tmpdir(), 'bench-service-'))
  const key = `dk_${randomBytes(24).toString('hex')}`
  const running = await startProcess(folder, key, { DIORAMA_LOG: 'all', ...environment })
  return {
    baseUrl: running.baseUrl,
    key,
    pid: running.process.pid ?? 0,
    call: async (method, path, body) => {
      const reply = await fetch(`${running.baseUrl}${path}`, {
        method,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const text = await reply.text()
      if (!reply.ok) throw new Error(`${method} ${path} was answered ${reply.status}: ${text}`)
      return text === '' ? undefined : JSON.parse(text)
    },
    cpu: () => familyCpu(running.process.pid ?? 0),
    [Symbol.asyncDispose]: async () => {
      await stopProcess(running)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
