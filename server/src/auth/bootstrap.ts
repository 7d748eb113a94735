import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Leases } from '../storage/leases.ts'
import type { Organizations } from './organizations.ts'
import type { AuthStore } from './store.ts'

export interface BootstrapParts {
  readonly store: AuthStore
  readonly organizations: Organizations
  readonly leases: Leases
  readonly holder: string
  readonly dataDir: string
  /** The operator's own choice of a first key. */
  readonly apiKey: string | undefined
}

const keyFile = 'api-key'

/**
 * On an empty database makes the organization `default` with one operator key. A key that was made up here is given
 * back to be shown once, and kept for the command line on the same machine.
 */
export const bootstrap = async (parts: BootstrapParts): Promise<string | undefined> => {
  const { store, organizations, leases, holder, dataDir, apiKey } = parts
  if (await store.anyOrganization()) return undefined
  const lease = await leases.acquire('bootstrap', { holder, ttlMs: 30_000 })
  if (!lease) return undefined
  try {
    if (await store.anyOrganization()) return undefined
    const { key } = await organizations.createOrganization({
      name: 'default',
      limits: {},
      keyClass: 'operator',
      secret: apiKey,
    })
    await writeFile(join(dataDir, keyFile), `${key.secret}\n`, { mode: 0o600 })
    return apiKey === undefined ? key.secret : undefined
  } finally {
    await leases.release(lease)
  }
}

/** Where the first key was kept, if it is still there. */
export const keptKey = async (dataDir: string): Promise<string | undefined> => {
  try {
    return (await readFile(join(dataDir, keyFile), 'utf8')).trim()
  } catch {
    return undefined
  }
}
