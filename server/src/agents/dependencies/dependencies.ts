import { buffer } from 'node:stream/consumers'
import type { AgentRunSpec, InstalledDependencies, PackageManager } from '@diorama/contract'
import type { Kysely } from 'kysely'
import { z } from 'zod'
import { ApiError } from '../../http/api-error.ts'
import type { Blobs } from '../../storage/blobs.ts'
import { BoundedCache } from '../../storage/bounded-cache.ts'
import type { Log } from '../../storage/log.ts'
import type { Database } from '../../storage/schema.ts'
import type { Wake } from '../../storage/wake.ts'
import { inspected } from '../bundle.ts'
import {
  type Installation,
  type InstallDeps,
  install,
  maxArchiveBytes,
  notAllowed,
  platformOf,
  type Registries,
} from './install.ts'
import { type DependencyLock, lockBytes, lockDigest } from './lock-files.ts'
import { type DependencyRow, dependencyStore, type InstallationKey } from './store.ts'

const claimMs = 60_000
const renewMs = 20_000
const maxAttempts = 3
const maxExpansion = 8
/** Archives that trials of this node have used lately. */
const maxHeldBytes = 256 * 1_048_576
const pollMs = 500
/** A trial waits for other installations before its own, and no longer than this. */
const maxWaitMs = 1_800_000
const touchEveryMs = 60_000
const topic = 'dependencies'

export interface DependencyDeps extends Omit<InstallDeps, 'registries'> {
  readonly db: Kysely<Database>
  readonly blobs: Blobs
  readonly wake: Wake
  readonly registries: Registries
  /** What one organization's installations may take together. */
  readonly quotaBytes: number
  readonly log: Log
  readonly now: () => number
}

/** Why a version cannot have its dependencies. */
export class DependenciesFailed extends Error {
  override readonly name = 'DependenciesFailed'
}

export interface Dependencies {
  /** Refuses a version whose package managers the deployment does not allow. */
  readonly check: (run: AgentRunSpec | null) => void
  /** Stores a lock; gives its digest. */
  readonly keep: (lock: DependencyLock) => Promise<string>
  /** Asks for the installation of a lock, and for another try of one that failed. */
  readonly request: (organizationId: string, lockSha256: string) => Promise<void>
  readonly shown: (organizationId: string, lockSha256: string) => Promise<InstalledDependencies | undefined>
  /** The packed packages for this machine; waits until they are installed, and throws DependenciesFailed if they cannot be. */
  readonly archive: (organizationId: string, lockSha256: string) => Promise<Uint8Array>
  /** Begins to install what is asked for, one at a time. */
  readonly start: () => void
  readonly close: () => Promise<void>
}

const StoredLock = z.object({
  managers: z.array(z.enum(['npm', 'pip'])),
  scripts: z.boolean(),
  files: z.record(z.string(), z.string()),
})

/** The packages of agents: installed once for each organization, lock and platform, before any trial needs them. */
export const openDependencies = (deps: DependencyDeps): Dependencies => {
  const { db, blobs, wake, registries, quotaBytes, log, now } = deps
  const store = dependencyStore(db)
  const held = new BoundedCache<Uint8Array>({ most: maxHeldBytes, weigh: ({ length }) => length })
  const touched = new BoundedCache<number>({ most: 1_000 })
  const closing = new AbortController()
  let platform: Promise<string> | undefined
  let working: Promise<void> | undefined
  let stopHearing = () => {}

  const ownPlatform = (): Promise<string> => {
    platform ??= deps.sandbox().then(platformOf)
    platform.catch(() => {
      platform = undefined
    })
    return platform
  }

  /** Works until nothing is left to install; a second call while it does is answered by the first. */
  const work = (): Promise<void> => {
    working ??= installAll()
      .catch((error: unknown) => {
        if (!closing.signal.aborted)
          log.warn({ event: 'dependencies.failed', error }, 'An installation could not be carried out.')
      })
      .finally(() => {
        working = undefined
      })
    return working
  }

  const installAll = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      // Nothing to do costs one query, and opens no sandbox.
      if (!(await store.hasOpen())) return
      const at = now()
      const claim = Buffer.from(deps.random(12)).toString('hex')
      const row = await store.claim({
        platform: await ownPlatform(),
        claim,
        at: new Date(at),
        until: new Date(at + claimMs),
        maxAttempts,
      })
      if (!row) return
      await installOne(row, claim)
    }
  }

  const installOne = async (row: DependencyRow, claim: string): Promise<void> => {
    const key = keyOf(row)
    const lost = new AbortController()
    const renewing = setInterval(() => {
      void store.renew(key, claim, new Date(now() + claimMs)).then(
        (isOurs) => isOurs || lost.abort(),
        () => undefined,
      )
    }, renewMs)
    try {
      const done = await carryOut(key, AbortSignal.any([closing.signal, lost.signal]))
      if (closing.signal.aborted) return await store.release(key, claim)
      await settle(key, claim, done)
      log.info(
        {
          event: 'dependencies.installed',
          organization: key.organizationId,
          lock: key.lockSha256,
          ok: 'archive' in done,
        },
        'An installation has ended.',
      )
    } catch (error) {
      // Left to the next attempt, once the claim has run out.
      if (closing.signal.aborted) await store.release(key, claim)
      else throw error
    } finally {
      clearInterval(renewing)
      await wake.send(topic)
    }
  }

  const carryOut = async ({ lockSha256 }: InstallationKey, signal: AbortSignal): Promise<Installation> => {
    const stored = await blobs.get(lockSha256)
    if (!stored) return { failed: 'The lock files are gone; register the version again.', log: '' }
    const bytes = await buffer(stored)
    if (lockDigest(bytes) !== lockSha256) throw new Error(`the stored lock ${lockSha256} has other bytes`)
    return install(deps, StoredLock.parse(JSON.parse(bytes.toString())), signal)
  }

  const settle = async (key: InstallationKey, claim: string, done: Installation): Promise<void> => {
    const kept = 'archive' in done ? await keepArchive(done.archive) : { failed: done.failed }
    const archive = 'sha256' in kept ? kept : null
    await db.transaction().execute(async (trx) => {
      const isOurs = await dependencyStore(trx).finish(key, claim, {
        status: archive ? 'ready' : 'failed',
        error: 'failed' in kept ? kept.failed : null,
        log: storable(done.log),
        archive,
        at: new Date(now()),
      })
      if (isOurs && archive) await blobs.own(trx, archive.sha256, ownerOf(key))
    })
    if (archive) await evict(key)
  }

  /** What a sandbox hands out is held to the rules of bundles. */
  const keepArchive = async (archive: Uint8Array) => {
    try {
      return await blobs.put(inspected(once(archive), maxArchiveBytes * maxExpansion), maxArchiveBytes)
    } catch (error) {
      if (error instanceof ApiError) return { failed: `The packages cannot be kept: ${error.message}` }
      throw error
    }
  }

  /** LRU: what was used last stays, and what has just been installed always does. */
  const evict = async (kept: InstallationKey): Promise<void> => {
    for (const key of await store.beyond(kept.organizationId, quotaBytes)) {
      if (key.lockSha256 === kept.lockSha256 && key.platform === kept.platform) continue
      await db.transaction().execute(async (trx) => {
        await dependencyStore(trx).remove(key)
        await blobs.release(trx, ownerOf(key))
      })
      log.info({ event: 'dependencies.evicted', ...key }, 'Packages that were not used for longest are gone.')
    }
  }

  const used = async (key: InstallationKey): Promise<void> => {
    const id = ownerOf(key)
    if (now() - (touched.get(id) ?? 0) < touchEveryMs) return
    touched.set(id, now())
    await store.touch(key, new Date(now()))
  }

  const archive = async (organizationId: string, lockSha256: string): Promise<Uint8Array> => {
    const key = { organizationId, lockSha256, platform: await ownPlatform() }
    const deadline = now() + maxWaitMs
    while (now() < deadline) {
      closing.signal.throwIfAborted()
      const row = await store.find(key)
      if (!row) await store.requestFor(key, new Date(now()))
      else if (row.status === 'failed')
        throw new DependenciesFailed(`Its dependencies could not be installed: ${row.error ?? ''}`)
      else if (row.status === 'ready' && row.archive_sha256 !== null) {
        await used(key)
        const there = held.get(row.archive_sha256) ?? (await readBlob(blobs, row.archive_sha256))
        if (there) {
          held.set(row.archive_sha256, there)
          return there
        }
        await store.remove(key)
      }
      void work()
      await pause(pollMs, closing.signal)
    }
    throw new DependenciesFailed('Its dependencies were not installed in time.')
  }

  return {
    check: (run) => {
      const barred = run?.dependencies?.find((manager: PackageManager) => registries[manager] === undefined)
      if (barred) throw new ApiError('not_configured', notAllowed(barred))
    },
    keep: async (lock) => (await blobs.keep(lockBytes(lock))).sha256,
    request: async (organizationId, lockSha256) => {
      await store.request({ organizationId, lockSha256 }, new Date(now()))
      await wake.send(topic)
    },
    shown: store.shown,
    archive,
    start: () => {
      if (Object.keys(registries).length === 0) return
      stopHearing = wake.on(topic, () => void work())
      // What a dead node had begun is taken up when its claim has run out.
      const timer = setInterval(() => void work(), claimMs).unref()
      closing.signal.addEventListener('abort', () => clearInterval(timer), { once: true })
      void work()
    },
    close: async () => {
      stopHearing()
      closing.abort(new Error('The service is stopping.'))
      await working
    },
  }
}

const keyOf = (row: DependencyRow): InstallationKey => ({
  organizationId: row.organization_id,
  lockSha256: row.lock_sha256,
  platform: row.platform,
})

const ownerOf = ({ organizationId, lockSha256, platform }: InstallationKey): string =>
  `dependencies ${organizationId} ${lockSha256} ${platform}`

const readBlob = async (blobs: Blobs, sha256: string): Promise<Uint8Array | undefined> => {
  const stream = await blobs.get(sha256)
  return stream && buffer(stream)
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** PostgreSQL's text takes every character but this one. */
const storable = (text: string): string => text.replaceAll('\0', '').toWellFormed()

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done, { once: true })
    function done() {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
  })
