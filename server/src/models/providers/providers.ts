import { type ModelProvider, ModelProviderPut } from '@diorama/contract'
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely'
import type { z } from 'zod'
import { ApiError, notFound } from '../../http/api-error.ts'
import { BoundedCache } from '../../storage/bounded-cache.ts'
import type { Sealing } from '../../storage/secrets/sealing.ts'
import type { Wake } from '../../storage/wake.ts'
import type { ModelTables } from '../tables.ts'
import { baseUrlFault, isExempt } from './base-url.ts'
import { isUsable, type Prices, type Provider } from './provider.ts'

const maxProviders = 50
const maxCached = 1_000
const providersChanged = 'model-providers'

/** The providers of one organization, by name, and its prices, by `provider/id` or `id`. */
export interface ProviderSet {
  readonly providers: Readonly<Record<string, Provider>>
  readonly prices: Prices
}

/** Providers of models as data: an organization's own, and for the rest those of the environment. */
export interface ModelProviders {
  list(organizationId: string): Promise<ModelProvider[]>
  read(organizationId: string, name: string): Promise<ModelProvider>
  put(
    place: { organizationId: string; name: string; by: string },
    put: ModelProviderPut,
  ): Promise<ModelProvider>
  remove(organizationId: string, name: string): Promise<void>
  /** What an organization's calls go through. Kept in memory until a provider changes on any node. */
  of(organizationId: string): Promise<ProviderSet>
  close(): void
}

export interface ModelProviderDeps {
  readonly db: Kysely<ModelTables>
  readonly sealing: Sealing
  readonly wake: Wake
  readonly defaults: Readonly<Record<string, Provider>>
  readonly prices: Prices
  readonly privateHosts: readonly string[]
  readonly now: () => number
}

type Row = Selectable<ModelTables['model_providers']>
const Settings = ModelProviderPut.pick({ hosts: true, agents: true, models: true, prices: true })
type Settings = z.infer<typeof Settings>

export const openModelProviders = (deps: ModelProviderDeps): ModelProviders => {
  const { db, wake, defaults, now } = deps
  let known = new BoundedCache<ProviderSet>({ most: maxCached })
  const stopListening = wake.on(providersChanged, () => {
    known = new BoundedCache<ProviderSet>({ most: maxCached })
  })

  const rowsOf = (organizationId: string): Promise<Row[]> =>
    db.selectFrom('model_providers').selectAll().where('organization_id', '=', organizationId).execute()

  const list = async (organizationId: string): Promise<ModelProvider[]> => {
    const rows = await rowsOf(organizationId)
    const own = new Map(rows.map((row) => [row.name, shown(row, defaults[row.name])]))
    const rest = Object.entries(defaults)
      .filter(([name]) => !own.has(name))
      .map(([name, provider]) => shownDefault(name, provider, deps.prices))
    return [...own.values(), ...rest].sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  const load = async (organizationId: string): Promise<ProviderSet> => {
    const into = known
    const rows = await rowsOf(organizationId)
    const own = rows.map((row) => [row.name, opened(row, deps)] as const)
    const set = {
      providers: { ...defaults, ...Object.fromEntries(own) },
      prices: {
        ...deps.prices,
        ...Object.fromEntries(
          own.flatMap(([name, { prices = {} }]) =>
            Object.entries(prices).map(([id, price]) => [`${name}/${id}`, price]),
          ),
        ),
      },
    }
    into.set(organizationId, set)
    return set
  }

  const read = async (organizationId: string, name: string): Promise<ModelProvider> => {
    const found = (await list(organizationId)).find((one) => one.name === name)
    if (!found) throw notFound('model provider')
    return found
  }

  return {
    list,
    read,
    put: async ({ organizationId, name, by }, put) => {
      checkPut(put, deps.privateHosts)
      const at = new Date(now())
      await db.transaction().execute(async (trx) => {
        const former = await lockedRow(trx, organizationId, name)
        const sealed = sealedKey(deps, { organizationId, name }, put, former)
        const { wire, base_url } = put
        const settings = JSON.stringify(Settings.parse(put))
        await trx
          .insertInto('model_providers')
          .values({
            ...{ organization_id: organizationId, name, wire, base_url, settings },
            ...{ sealed_key: sealed, created_by: by, created_at: at, updated_at: at },
          })
          .onConflict((conflict) =>
            conflict
              .columns(['organization_id', 'name'])
              .doUpdateSet({ wire, base_url, sealed_key: sealed, settings, updated_at: at }),
          )
          .execute()
        await wake.sendIn(trx, providersChanged)
      })
      known = new BoundedCache<ProviderSet>({ most: maxCached })
      return read(organizationId, name)
    },
    remove: async (organizationId, name) => {
      await db.transaction().execute(async (trx) => {
        const { numDeletedRows } = await trx
          .deleteFrom('model_providers')
          .where('organization_id', '=', organizationId)
          .where('name', '=', name)
          .executeTakeFirst()
        if (numDeletedRows === 0n) throw notFound('model provider')
        await wake.sendIn(trx, providersChanged)
      })
      known = new BoundedCache<ProviderSet>({ most: maxCached })
    },
    of: async (organizationId) => known.get(organizationId) ?? load(organizationId),
    close: stopListening,
  }
}

/** The row as it is, with the lock under which an organization's providers change one after the other. */
const lockedRow = async (trx: Transaction<ModelTables>, organizationId: string, name: string) => {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`model providers ${organizationId}`}, 0))`.execute(
    trx,
  )
  const rows = await trx
    .selectFrom('model_providers')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .execute()
  const former = rows.find((row) => row.name === name)
  if (!former && rows.length >= maxProviders)
    throw new ApiError('limit_exceeded', `An organization has at most ${maxProviders} model providers.`)
  return former
}

// The context is authenticated, so a key that is copied to another row does not open there.
const contextOf = (organizationId: string, name: string) => `model key ${organizationId} ${name}`

/** A key goes only where its owner sent it: with another endpoint it must be sent again. */
const sealedKey = (
  { sealing }: Pick<ModelProviderDeps, 'sealing'>,
  { organizationId, name }: { organizationId: string; name: string },
  put: ModelProviderPut,
  former: Row | undefined,
): string | null => {
  if (put.api_key === null) return null
  if (put.api_key !== undefined) return sealing.seal(put.api_key, contextOf(organizationId, name))
  if (!former?.sealed_key) return null
  if (former.base_url !== put.base_url || former.wire !== put.wire)
    throw bad('/api_key', 'must be sent again, or null, when the wire or the base URL changes')
  return former.sealed_key
}

const bad = (pointer: string, message: string): ApiError =>
  new ApiError('invalid_reference', `${pointer} ${message}.`, { details: [{ pointer, message }] })

const checkPut = ({ base_url }: ModelProviderPut, privateHosts: readonly string[]): void => {
  const fault = base_url === null ? undefined : baseUrlFault(base_url, privateHosts)
  if (fault !== undefined) throw bad('/base_url', fault)
}

/** A provider that names neither an endpoint nor a key keeps those of the default with its name and wire. */
const inherits = (row: Row, fallback: Provider | undefined): fallback is Provider =>
  row.base_url === null && row.sealed_key === null && fallback?.wire === row.wire

const opened = (row: Row, { sealing, defaults, privateHosts }: ModelProviderDeps): Provider => {
  const { hosts, agents, models, prices } = Settings.parse(row.settings)
  const fallback = defaults[row.name]
  const own = { hosts, models, prices, agentModels: agents ? models : [] }
  // The deployment's own key stays under the deployment's own allow-list.
  if (inherits(row, fallback))
    return { ...fallback, ...own, agentModels: agents ? (fallback.agentModels ?? []) : [] }
  return {
    wire: row.wire as Provider['wire'],
    baseUrl: row.base_url ?? undefined,
    apiKey:
      row.sealed_key === null
        ? undefined
        : sealing.open(row.sealed_key, contextOf(row.organization_id, row.name)),
    keyName: `the model provider ${row.name}`,
    allowPrivate: row.base_url !== null && isExempt(row.base_url, privateHosts),
    ...own,
  }
}

const shown = (row: Row, fallback: Provider | undefined): ModelProvider => {
  const settings: Settings = Settings.parse(row.settings)
  return {
    name: row.name,
    wire: row.wire as Provider['wire'],
    base_url: row.base_url,
    ...settings,
    has_key: row.sealed_key !== null,
    source: 'organization',
    usable:
      row.sealed_key !== null || row.base_url !== null || (inherits(row, fallback) && isUsable(fallback)),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}

/** A default without its address, which may be one of the deployment's own network. */
const shownDefault = (name: string, provider: Provider, prices: Prices): ModelProvider => ({
  name,
  wire: provider.wire,
  base_url: null,
  hosts: [...(provider.hosts ?? [])],
  agents: (provider.agentModels ?? []).length > 0,
  models: provider.models ? [...provider.models] : null,
  prices: Object.fromEntries(
    Object.entries(prices).flatMap(([id, price]) =>
      id.startsWith(`${name}/`) ? [[id.slice(name.length + 1), price] as const] : [],
    ),
  ),
  has_key: provider.apiKey !== undefined,
  source: 'environment',
  usable: isUsable(provider),
  created_at: null,
  updated_at: null,
})
