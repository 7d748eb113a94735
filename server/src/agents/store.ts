import { AgentModel, AgentStatus, AgentTool } from '@diorama/contract'
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely'
import { z } from 'zod'
import { keysetPage, type Page } from '../storage/pages.ts'
import type { AgentContent } from './content.ts'
import type { SealedVariables } from './secrets/sealed-variables.ts'
import type { AgentTables } from './tables.ts'

type Connection = Kysely<AgentTables> | Transaction<AgentTables>
type AgentRow = Selectable<AgentTables['agents']>

export interface StoredAgent {
  readonly name: string
  readonly description: string
  readonly metadata: Record<string, unknown>
  readonly currentVersion: string | null
  readonly versionCount: number
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** A version without its instructions and files, which can be large. */
export interface VersionSummary {
  readonly version: string
  readonly status: AgentStatus
  readonly framework: string | null
  readonly model: AgentModel | null
  readonly tools: AgentTool[]
  readonly contentSha256: string
  readonly createdAt: Date
}

export interface StoredVersion extends VersionSummary {
  readonly agent: string
  readonly content: AgentContent
  readonly bundleSize: number | null
  /** The lock files of a version with dependencies, once they are there. */
  readonly lockSha256: string | null
}

export interface StoredBundle {
  readonly sha256: string
  readonly size: number
  readonly contentSha256: string
  readonly lockSha256: string | null
}

export interface PageOf {
  readonly limit: number
  readonly cursor?: string | undefined
}

const summaryColumns = [
  'version',
  'status',
  'framework',
  'model',
  'tools',
  'content_sha256',
  'created_at',
] as const

export interface AgentStore {
  readonly find: (organizationId: string, name: string) => Promise<StoredAgent | undefined>
  readonly list: (organizationId: string, page: PageOf) => Promise<Page<StoredAgent>>
  /** Makes the agent where it is new, and holds it until the transaction ends: registrations of one agent queue here. */
  readonly hold: (organizationId: string, name: string, at: Date) => Promise<StoredAgent>
  readonly change: (organizationId: string, agent: StoredAgent) => Promise<void>
  readonly insertVersion: (organizationId: string, version: StoredVersion) => Promise<void>
  readonly setStatus: (
    organizationId: string,
    name: string,
    version: string,
    status: AgentStatus,
  ) => Promise<void>
  /** Fills the place of the bundle, once. Says whether it was still free, or waiting for just this one. */
  readonly setBundle: (
    organizationId: string,
    version: StoredVersion,
    bundle: StoredBundle,
  ) => Promise<boolean>
  /** Whether the service itself has run a version: then what it is made of is settled. */
  readonly hasRun: (organizationId: string, storedVersion: StoredVersion) => Promise<boolean>
  readonly findVersion: (
    organizationId: string,
    name: string,
    version: string,
  ) => Promise<StoredVersion | undefined>
  readonly listVersions: (organizationId: string, name: string, page: PageOf) => Promise<Page<VersionSummary>>
  /** Seals the variables of some versions that were registered before variables were sealed; returns their number. */
  readonly sealPlain: () => Promise<number>
}

const sealedAtOnce = 500

/** The SQL of agents and their versions. */
export const agentStore = (db: Connection, variables: SealedVariables): AgentStore => ({
  find: async (organizationId: string, name: string): Promise<StoredAgent | undefined> => {
    const row = await db
      .selectFrom('agents')
      .selectAll()
      .where('organization_id', '=', organizationId)
      .where('name', '=', name)
      .executeTakeFirst()
    return row && toAgent(row)
  },

  list: async (organizationId: string, page: PageOf): Promise<Page<StoredAgent>> => {
    const query = db.selectFrom('agents').selectAll().where('organization_id', '=', organizationId)
    const { items, nextCursor } = await keysetPage(query, {
      column: 'created_at',
      timed: true,
      idColumn: 'name',
      ...page,
      position: (row) => ({ at: row.created_at, id: row.name }),
    })
    return { items: items.map(toAgent), nextCursor }
  },

  hold: async (organizationId: string, name: string, at: Date): Promise<StoredAgent> => {
    const row = await db
      .insertInto('agents')
      .values({
        organization_id: organizationId,
        name,
        description: '',
        metadata: '{}',
        current_version: null,
        version_count: 0,
        created_at: at,
        updated_at: at,
      })
      .onConflict((conflict) => conflict.columns(['organization_id', 'name']).doUpdateSet({ name }))
      .returningAll()
      .executeTakeFirstOrThrow()
    return toAgent(row)
  },

  change: async (organizationId: string, agent: StoredAgent): Promise<void> => {
    await db
      .updateTable('agents')
      .set({
        description: agent.description,
        metadata: JSON.stringify(agent.metadata),
        current_version: agent.currentVersion,
        version_count: agent.versionCount,
        updated_at: agent.updatedAt,
      })
      .where('organization_id', '=', organizationId)
      .where('name', '=', agent.name)
      .execute()
  },

  insertVersion: async (organizationId: string, version: StoredVersion): Promise<void> => {
    const { content } = version
    await db
      .insertInto('agent_versions')
      .values({
        organization_id: organizationId,
        agent: version.agent,
        version: version.version,
        status: version.status,
        framework: content.framework,
        model: content.model && JSON.stringify(content.model),
        tools: JSON.stringify(content.tools),
        instructions: content.instructions,
        run: content.run && JSON.stringify(variables.seal({ organizationId, ...version }, content.run)),
        files: JSON.stringify(content.files),
        bundle_sha256: content.bundleSha256,
        bundle_size: null,
        content_sha256: version.contentSha256,
        created_at: version.createdAt,
        lock_sha256: version.lockSha256,
      })
      .execute()
  },

  setStatus: async (
    organizationId: string,
    name: string,
    version: string,
    status: AgentStatus,
  ): Promise<void> => {
    await db
      .updateTable('agent_versions')
      .set({ status })
      .where('organization_id', '=', organizationId)
      .where('agent', '=', name)
      .where('version', '=', version)
      .execute()
  },

  setBundle: async (
    organizationId: string,
    version: StoredVersion,
    bundle: StoredBundle,
  ): Promise<boolean> => {
    const done = await db
      .updateTable('agent_versions')
      .set({
        bundle_sha256: bundle.sha256,
        bundle_size: bundle.size,
        content_sha256: bundle.contentSha256,
        lock_sha256: bundle.lockSha256,
      })
      .where('organization_id', '=', organizationId)
      .where('agent', '=', version.agent)
      .where('version', '=', version.version)
      .where('bundle_size', 'is', null)
      .where(({ eb, or }) => or([eb('bundle_sha256', 'is', null), eb('bundle_sha256', '=', bundle.sha256)]))
      .executeTakeFirst()
    return done.numUpdatedRows > 0n
  },

  hasRun: async (organizationId: string, { agent, version }: StoredVersion): Promise<boolean> => {
    const row = await db
      .selectFrom('agent_runs')
      .select('run_id')
      .where('organization_id', '=', organizationId)
      .where('agent', '=', agent)
      .where('version', '=', version)
      .where('origin', 'in', ['evaluation', 'chat'])
      .limit(1)
      .executeTakeFirst()
    return row !== undefined
  },

  findVersion: async (
    organizationId: string,
    name: string,
    version: string,
  ): Promise<StoredVersion | undefined> => {
    const row = await db
      .selectFrom('agent_versions')
      .selectAll()
      .where('organization_id', '=', organizationId)
      .where('agent', '=', name)
      .where(version === 'current' ? 'status' : 'version', '=', version)
      .executeTakeFirst()
    return row && toVersion(row, variables)
  },

  listVersions: async (organizationId: string, name: string, page: PageOf): Promise<Page<VersionSummary>> => {
    const query = db
      .selectFrom('agent_versions')
      .select(summaryColumns)
      .where('organization_id', '=', organizationId)
      .where('agent', '=', name)
    const { items, nextCursor } = await keysetPage(query, {
      column: 'created_at',
      timed: true,
      idColumn: 'version',
      ...page,
      position: (row) => ({ at: row.created_at, id: row.version }),
    })
    return { items: items.map(toSummary), nextCursor }
  },

  sealPlain: async () => {
    const rows = await db
      .selectFrom('agent_versions')
      .selectAll()
      .where(sql<boolean>`run -> 'env' <> '{}'::jsonb`)
      .limit(sealedAtOnce)
      .execute()
    for (const row of rows) {
      const { content } = toVersion(row, variables)
      if (!content.run) continue
      const run = JSON.stringify(variables.seal({ organizationId: row.organization_id, ...row }, content.run))
      await db
        .updateTable('agent_versions')
        .set({ run })
        .where('organization_id', '=', row.organization_id)
        .where('agent', '=', row.agent)
        .where('version', '=', row.version)
        .execute()
    }
    return rows.length
  },
})

const Metadata = z.record(z.string(), z.unknown())
const Tools = z.array(AgentTool)
const Files = z.record(z.string(), z.string())

const toAgent = (row: AgentRow): StoredAgent => ({
  name: row.name,
  description: row.description,
  metadata: Metadata.parse(row.metadata),
  currentVersion: row.current_version,
  versionCount: row.version_count,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

type SummaryRow = Pick<Selectable<AgentTables['agent_versions']>, (typeof summaryColumns)[number]>

const toSummary = (row: SummaryRow): VersionSummary => ({
  version: row.version,
  status: AgentStatus.parse(row.status),
  framework: row.framework,
  model: AgentModel.nullable().parse(row.model),
  tools: Tools.parse(row.tools),
  contentSha256: row.content_sha256,
  createdAt: row.created_at,
})

const toVersion = (
  row: Selectable<AgentTables['agent_versions']>,
  variables: SealedVariables,
): StoredVersion => {
  const summary = toSummary(row)
  return {
    ...summary,
    agent: row.agent,
    bundleSize: row.bundle_size,
    lockSha256: row.lock_sha256,
    content: {
      framework: summary.framework,
      model: summary.model,
      tools: summary.tools,
      instructions: row.instructions,
      run: variables.open({ organizationId: row.organization_id, ...row }, row.run),
      files: Files.parse(row.files),
      bundleSha256: row.bundle_sha256,
    },
  }
}
