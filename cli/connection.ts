import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Client, createClient } from '@diorama/sdk/index.ts'
import { Complaint } from './failure.ts'
import type { Terminal } from './terminal.ts'

export interface ConnectionFlags {
  readonly url?: string | undefined
  readonly key?: string | undefined
}

/** Where the project's own scripts lie, when the command line is run from its repository. */
export const projectRoot = dirname(dirname(fileURLToPath(import.meta.url)))

export const baseUrlOf = ({ url }: ConnectionFlags, { env }: Terminal): string => {
  const named = url ?? env.DIORAMA_BASE_URL
  if (named !== undefined) {
    if (!/^https?:$/.test(URL.parse(named)?.protocol ?? ''))
      throw new Complaint(
        `${url === undefined ? 'DIORAMA_BASE_URL' : '--url'} must be an address such as http://127.0.0.1:4400, not ${JSON.stringify(named)}.`,
      )
    return named
  }
  const port = env.PORT || '4400'
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
    throw new Complaint(`PORT must be a number from 0 to 65535, not ${JSON.stringify(port)}.`)
  return `http://127.0.0.1:${port}`
}

/** The flag, the variable, or the key that a service on the same machine keeps in its data folder. */
export const keyOf = ({ key }: ConnectionFlags, { env, cwd }: Terminal): string | undefined => {
  if (key) return key
  if (env.DIORAMA_API_KEY) return env.DIORAMA_API_KEY
  const folders = env.DIORAMA_DATA_DIR
    ? [resolve(cwd, env.DIORAMA_DATA_DIR)]
    : [resolve(cwd, '.diorama'), join(projectRoot, '.diorama')]
  for (const folder of folders) {
    const kept = readKept(join(folder, 'api-key'))
    if (kept) return kept
  }
  return undefined
}

const readKept = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    return undefined
  }
}

export const connect = (flags: ConnectionFlags, terminal: Terminal): Client =>
  createClient({ baseUrl: baseUrlOf(flags, terminal), apiKey: keyOf(flags, terminal) })
