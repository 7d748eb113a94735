import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { type AgentRegister, type AgentStatus, type AgentUpdate, splitReference } from '@diorama/contract'
import { type ImageSource, imageLimits } from '@diorama/sandbox/images/image'
import { archiveFiles } from '@diorama/sandbox/images/image-files'
import type { Kysely } from 'kysely'
import { ApiError, notFound } from '../http/api-error.ts'
import type { Blobs } from '../storage/blobs.ts'
import { BlobTooLarge } from '../storage/objects/blob-too-large.ts'
import type { Sealing } from '../storage/secrets/sealing.ts'
import { type Capture, inspected } from './bundle.ts'
import { type AgentContent, contentDigest, contentOf, differences } from './content.ts'
import type { Dependencies } from './dependencies/dependencies.ts'
import { lockFilesOf, lockOf, maxLockBytes } from './dependencies/lock-files.ts'
import { sealVariables } from './secrets/sealed-variables.ts'
import { type AgentStore, agentStore, type StoredAgent, type StoredVersion } from './store.ts'
import type { AgentTables } from './tables.ts'

export interface AgentParts {
  readonly db: Kysely<AgentTables>
  readonly blobs: Blobs
  readonly now: () => number
  readonly bundleLimitBytes: number
  readonly dependencies: Dependencies
  /** Seals the variables of versions. */
  readonly sealing: Pick<Sealing, 'seal' | 'open'>
  /** Why an image cannot be used, if it cannot. */
  readonly checkImage?: (source: ImageSource) => Promise<string | undefined>
}

/** An archive may grow to this many times the size that a bundle may have. */
const maxExpansion = 16

export interface Agents {
  readonly store: AgentStore
  readonly register: (
    organizationId: string,
    body: AgentRegister,
  ) => Promise<{ version: StoredVersion; isNew: boolean }>
  readonly read: (organizationId: string, name: string) => Promise<StoredAgent>
  readonly readVersion: (organizationId: string, name: string, version: string) => Promise<StoredVersion>
  readonly update: (organizationId: string, name: string, change: AgentUpdate) => Promise<StoredAgent>
  readonly setStatus: (
    organizationId: string,
    name: string,
    version: string,
    status: AgentStatus,
  ) => Promise<StoredVersion>
  readonly putBundle: (
    organizationId: string,
    version: StoredVersion,
    source: AsyncIterable<Uint8Array>,
  ) => Promise<{ version: StoredVersion; isNew: boolean }>
  /** The version that `name@version`, `name@current` or `name` means. */
  readonly resolve: (organizationId: string, reference: string) => Promise<StoredVersion | undefined>
  readonly bundleStream: (version: StoredVersion) => Promise<Readable | undefined>
  /** The bundle as the archive of an image, unpacked when it is needed. */
  readonly image: (version: StoredVersion) => Promise<ImageSource | undefined>
  /** The bundle's bytes, where there is one; not more than the configured limit. */
  readonly bundle: (version: StoredVersion) => Promise<Uint8Array | undefined>
}

/** The rules of agents and their versions. */
export const openAgents = (parts: AgentParts): Agents => {
  const { db, blobs, now, bundleLimitBytes, checkImage, dependencies } = parts
  const variables = sealVariables(parts.sealing)
  const storeIn = (connection: Parameters<typeof agentStore>[0]) => agentStore(connection, variables)
  const store = storeIn(db)

  const requested = async (organizationId: string, version: StoredVersion): Promise<StoredVersion> => {
    if (version.lockSha256 !== null) await dependencies.request(organizationId, version.lockSha256)
    return version
  }

  const register = async (
    organizationId: string,
    body: AgentRegister,
  ): Promise<{ version: StoredVersion; isNew: boolean }> => {
    const content = contentOf(body)
    dependencies.check(content.run)
    const there = await store.findVersion(organizationId, body.name, body.version)
    if (there)
      return { version: await requested(organizationId, sameOrRefused(there, content)), isNew: false }
    const lockSha256 = await inlineLock(dependencies, content)
    const version: StoredVersion = {
      agent: body.name,
      version: body.version,
      status: body.status,
      framework: content.framework,
      model: content.model,
      tools: [...content.tools],
      contentSha256: contentDigest(content),
      createdAt: new Date(now()),
      content,
      bundleSize: null,
      lockSha256,
    }
    const made = await db.transaction().execute(async (trx) => {
      const inside = storeIn(trx)
      const agent = await inside.hold(organizationId, body.name, version.createdAt)
      if (await inside.findVersion(organizationId, body.name, body.version)) return undefined
      // Queued behind the others of this agent, so that later versions have later times.
      const createdAt = new Date(Math.max(now(), agent.updatedAt.getTime()))
      if (body.status === 'current') await standDown(inside, organizationId, agent, body.version)
      await inside.insertVersion(organizationId, { ...version, createdAt })
      if (lockSha256 !== null)
        await blobs.own(trx, lockSha256, ownerOf(organizationId, body.name, body.version))
      await inside.change(organizationId, {
        ...agent,
        description: body.description ?? agent.description,
        metadata: { ...agent.metadata, ...body.metadata },
        currentVersion: body.status === 'current' ? body.version : agent.currentVersion,
        versionCount: agent.versionCount + 1,
        updatedAt: createdAt,
      })
      return { ...version, createdAt }
    })
    if (made) return { version: await requested(organizationId, made), isNew: true }
    const winner = await readVersion(organizationId, body.name, body.version)
    return { version: sameOrRefused(winner, content), isNew: false }
  }

  const read = async (organizationId: string, name: string): Promise<StoredAgent> => {
    const agent = await store.find(organizationId, name)
    if (!agent) throw notFound('agent')
    return agent
  }

  const readVersion = async (
    organizationId: string,
    name: string,
    version: string,
  ): Promise<StoredVersion> => {
    const found = await store.findVersion(organizationId, name, version)
    if (!found) throw notFound('agent version')
    return found
  }

  const update = async (organizationId: string, name: string, change: AgentUpdate): Promise<StoredAgent> => {
    const { description, metadata, ...flat } = change
    return db.transaction().execute(async (trx) => {
      const inside = storeIn(trx)
      if (!(await inside.find(organizationId, name))) throw notFound('agent')
      const agent = await inside.hold(organizationId, name, new Date(now()))
      const merged = Object.entries({ ...agent.metadata, ...metadata, ...flat })
      const changed = {
        ...agent,
        description: description ?? agent.description,
        metadata: Object.fromEntries(merged.filter(([, value]) => value !== null && value !== undefined)),
        updatedAt: new Date(Math.max(now(), agent.updatedAt.getTime())),
      }
      await inside.change(organizationId, changed)
      return changed
    })
  }

  const setStatus = async (organizationId: string, name: string, version: string, status: AgentStatus) => {
    const found = await readVersion(organizationId, name, version)
    await db.transaction().execute(async (trx) => {
      const inside = storeIn(trx)
      const agent = await inside.hold(organizationId, name, new Date(now()))
      if (status === 'current') await standDown(inside, organizationId, agent, found.version)
      await inside.setStatus(organizationId, name, found.version, status)
      const former = agent.currentVersion === found.version ? null : agent.currentVersion
      await inside.change(organizationId, {
        ...agent,
        currentVersion: status === 'current' ? found.version : former,
        updatedAt: new Date(Math.max(now(), agent.updatedAt.getTime())),
      })
    })
    return readVersion(organizationId, name, found.version)
  }

  const putBundle = async (
    organizationId: string,
    version: StoredVersion,
    source: AsyncIterable<Uint8Array>,
  ): Promise<{ version: StoredVersion; isNew: boolean }> => {
    const reference = `${version.agent}@${version.version}`
    if (Object.keys(version.content.files).length > 0)
      throw new ApiError('conflict', `${reference} has inline files; register another version for a bundle.`)
    if (version.content.bundleSha256 === null && (await store.hasRun(organizationId, version)))
      throw new ApiError(
        'conflict',
        `${reference} has run without a bundle; register another version for one.`,
      )
    const capture: Capture = {
      paths: lockFilesOf(version.content.run),
      maxBytes: maxLockBytes,
      files: new Map(),
    }
    const { sha256, size } = await blobs
      .put(inspected(source, bundleLimitBytes * maxExpansion, capture), bundleLimitBytes)
      .catch((error) => {
        if (!(error instanceof BlobTooLarge)) throw error
        throw new ApiError('too_large', `The bundle is larger than ${bundleLimitBytes} bytes.`, {
          cause: error,
        })
      })
    if (version.content.run?.kind === 'image') {
      const fault = await checkImage?.(imageIn(blobs, sha256, version.content.run.image))
      if (fault !== undefined) throw new ApiError('invalid_bundle', `The bundle is no image: ${fault}`)
    }
    const lockSha256 = await bundledLock(dependencies, version.content, capture)
    const contentSha256 = contentDigest({ ...version.content, bundleSha256: sha256 })
    const isNew = await db.transaction().execute(async (trx) => {
      const bundle = { sha256, size, contentSha256, lockSha256 }
      const taken = await storeIn(trx).setBundle(organizationId, version, bundle)
      const owner = ownerOf(organizationId, version.agent, version.version)
      if (taken) await blobs.own(trx, sha256, owner)
      if (taken && lockSha256 !== null) await blobs.own(trx, lockSha256, owner)
      return taken
    })
    const stored = await readVersion(organizationId, version.agent, version.version)
    if (stored.content.bundleSha256 !== sha256)
      throw new ApiError(
        'conflict',
        `${reference} has or awaits the bundle ${stored.content.bundleSha256}; what was sent is ${sha256}. Register a new version for other files.`,
      )
    return { version: await requested(organizationId, stored), isNew }
  }

  return {
    store,
    register,
    read,
    readVersion,
    update,
    setStatus,
    putBundle,

    resolve: async (organizationId: string, reference: string): Promise<StoredVersion | undefined> => {
      const parts = splitReference(reference)
      return parts && store.findVersion(organizationId, parts.name, parts.version)
    },

    bundleStream: (version: StoredVersion) =>
      version.bundleSize === null || version.content.bundleSha256 === null
        ? Promise.resolve(undefined)
        : blobs.get(version.content.bundleSha256),

    image: async ({ bundleSize, content: { bundleSha256, run } }: StoredVersion) =>
      bundleSize === null || bundleSha256 === null ? undefined : imageIn(blobs, bundleSha256, run?.image),

    bundle: async (version: StoredVersion): Promise<Uint8Array | undefined> => {
      if (version.bundleSize === null || version.content.bundleSha256 === null) return undefined
      return buffer(await storedBundle(blobs, version.content.bundleSha256))
    },
  }
}

const ownerOf = (organizationId: string, agent: string, version: string): string =>
  `agent ${organizationId} ${agent}@${version}`

/** The lock of a version whose files are sent with it; a bundle's is known when it is uploaded. */
const inlineLock = async (
  dependencies: Dependencies,
  { run, files }: AgentContent,
): Promise<string | null> => {
  if (run?.dependencies === undefined || Object.keys(files).length === 0) return null
  const found = lockOf(run, files)
  if ('lock' in found) return dependencies.keep(found.lock)
  const details = found.faults.map(({ path, message }) => ({ pointer: `/files/${path}`, message }))
  const [first] = details
  throw new ApiError('malformed', `The body does not fit: ${first?.pointer} ${first?.message}.`, { details })
}

const bundledLock = async (
  dependencies: Dependencies,
  { run }: AgentContent,
  { files }: Capture,
): Promise<string | null> => {
  if (run?.dependencies === undefined) return null
  const found = lockOf(run, Object.fromEntries(files))
  if ('lock' in found) return dependencies.keep(found.lock)
  const [first] = found.faults
  throw new ApiError('invalid_bundle', `${first?.path} ${first?.message}.`)
}

const imageIn = (blobs: Blobs, sha256: string, tag: string | undefined): ImageSource => ({
  key: sha256,
  tag,
  files: async (spool) => archiveFiles(await storedBundle(blobs, sha256), spool, imageLimits),
})

const storedBundle = async (blobs: Blobs, sha256: string): Promise<Readable> => {
  const stream = await blobs.get(sha256)
  if (!stream) throw new Error(`the bundle ${sha256} is not stored`)
  return stream
}

/** Why a version cannot be started, if it cannot; checked before an agent is run. */
export const whyNotRunnable = (version: StoredVersion): string | undefined => {
  const reference = `${version.agent}@${version.version}`
  if (version.status === 'draft' || version.status === 'deprecated')
    return `${reference} is ${version.status}; only current and stable versions run.`
  if (version.content.bundleSha256 !== null && version.bundleSize === null)
    return `The bundle of ${reference} is not uploaded yet.`
  return undefined
}

/** The former current version becomes stable. */
const standDown = async (
  store: AgentStore,
  organizationId: string,
  agent: StoredAgent,
  successor: string,
): Promise<void> => {
  if (agent.currentVersion === null || agent.currentVersion === successor) return
  await store.setStatus(organizationId, agent.name, agent.currentVersion, 'stable')
}

/** A registration that names no bundle leaves open which one it is. */
const sameOrRefused = (there: StoredVersion, sent: AgentContent): StoredVersion => {
  const meant = sent.bundleSha256 === null ? { ...sent, bundleSha256: there.content.bundleSha256 } : sent
  const differing = differences(there.content, meant)
  if (differing.length === 0) return there
  throw new ApiError(
    'conflict',
    `${there.agent}@${there.version} is registered with different content (${differing.join(', ')}). Versions never change: register a new one.`,
    {
      details: differing.map((field) => ({
        pointer: `/${field}`,
        message: 'differs from what is registered',
      })),
    },
  )
}
