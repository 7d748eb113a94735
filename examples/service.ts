import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface Service extends AsyncDisposable {
  readonly baseUrl: string
  readonly apiKey: string
}

/**
 * The service that DIORAMA_BASE_URL and DIORAMA_API_KEY name; where they are not set, a new one on a free port,
 * which is gone when the example ends.
 */
export const openService = async (): Promise<Service> => {
  const { DIORAMA_BASE_URL: baseUrl, DIORAMA_API_KEY: apiKey } = process.env
  if (baseUrl && apiKey) return { baseUrl, apiKey, [Symbol.asyncDispose]: async () => {} }
  return startService()
}

const startService = async (): Promise<Service> => {
  const folder = await mkdtemp(join(tmpdir(), 'diorama-example-'))
  const main = fileURLToPath(new URL('../server/src/main.ts', import.meta.url))
  const child = spawn(process.execPath, [main], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      DIORAMA_EMBEDDINGS: 'off',
      DIORAMA_LOG: 'warnings',
      DIORAMA_SANDBOX: process.env.DIORAMA_SANDBOX,
      DIORAMA_AGENT_HOSTS: process.env.DIORAMA_AGENT_HOSTS,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = once(child, 'exit')
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
    await rm(folder, { recursive: true, force: true })
  }
  let said = ''
  for await (const text of child.stderr) {
    said += text
    if (/ready at \S+\s/.test(said)) break
  }
  const baseUrl = /ready at (\S+)/.exec(said)?.[1]
  if (!baseUrl) {
    await stop()
    throw new Error(`The service did not start: ${said}`)
  }
  const apiKey = (await readFile(join(folder, '.diorama', 'api-key'), 'utf8')).trim()
  return { baseUrl, apiKey, [Symbol.asyncDispose]: stop }
}
