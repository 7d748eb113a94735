import { type Scorer, ScorerDefinition } from '@diorama/contract'
import { limitFaults } from '@diorama/contract/limits'
import { checkScorer } from '@diorama/contract/scorer-rules'
import type { Kysely, Transaction } from 'kysely'
import { ApiError, notFound } from '../http/api-error.ts'
import { summary } from '../http/parse.ts'
import type { ScorerStore } from './store.ts'
import type { ScorerTables } from './tables.ts'

const slugForm = /^[a-z0-9]+(-[a-z0-9]+)*$/
const maxSlug = 80
/** How often a slug made from a name may be lost to somebody who was faster. */
const maxTries = 50

type Db = Kysely<ScorerTables> | Transaction<ScorerTables>

export interface LibraryParts {
  readonly store: ScorerStore
  readonly now: () => number
  readonly makeId: (prefix: string) => string
}

export interface Library {
  readonly store: ScorerStore
  readonly require: (organizationId: string, id: string) => Promise<Scorer>
  readonly create: (organizationId: string, definition: ScorerDefinition, trx?: Db) => Promise<string>
  readonly update: (organizationId: string, id: string, definition: ScorerDefinition) => Promise<Scorer>
  readonly archive: (organizationId: string, id: string) => Promise<Scorer>
}

/** The rules of the scorer library. */
export const openLibrary = ({ store, now, makeId }: LibraryParts): Library => {
  const require = async (organizationId: string, id: string): Promise<Scorer> => {
    const scorer = await store.find(organizationId, id)
    if (!scorer) throw notFound('scorer')
    return scorer
  }

  /** Refuses a slug that has a wrong form or that another scorer has. */
  const checkSlug = async (organizationId: string, slug: string, own: string | undefined): Promise<void> => {
    if (!slugForm.test(slug) || slug.length > maxSlug)
      throw refused('/slug', 'must be lowercase words joined by dashes')
    const taken = await store.slugTaken(organizationId, slug)
    if (taken !== undefined && taken !== own)
      throw new ApiError('conflict', `The slug ${slug} is taken by ${taken}.`)
  }

  const create = async (organizationId: string, definition: ScorerDefinition, trx?: Db): Promise<string> => {
    checkDefinition(definition)
    const made = { id: makeId('scr'), organizationId, definition, at: new Date(now()) }
    if (definition.slug !== null) {
      await checkSlug(organizationId, definition.slug, undefined)
      if (await store.insert({ ...made, slug: definition.slug }, trx)) return made.id
      throw new ApiError('conflict', `The slug ${definition.slug} is taken.`)
    }
    const base = slugOf(definition.name)
    for (let n = 0; n < maxTries; n++) {
      const last = await store.lastSlug(organizationId, base, trx)
      const slug = last === 0 ? base : `${base}-${last + 1}`
      if (await store.insert({ ...made, slug }, trx)) return made.id
    }
    throw new ApiError('conflict', `Every slug like ${base} is being taken; give one.`)
  }

  return {
    store,
    require,
    create,
    update: async (organizationId: string, id: string, definition: ScorerDefinition): Promise<Scorer> => {
      checkDefinition(definition)
      const there = await require(organizationId, id)
      if (definition.slug !== null) await checkSlug(organizationId, definition.slug, id)
      const slug = definition.slug ?? there.slug
      await store.replace(organizationId, id, { slug, definition, at: new Date(now()) })
      return require(organizationId, id)
    },
    archive: async (organizationId: string, id: string): Promise<Scorer> => {
      await require(organizationId, id)
      await store.archive(organizationId, id, new Date(now()))
      return require(organizationId, id)
    },
  }
}

/** Refuses a definition that cannot work, and names every fault. */
export const checkDefinition = (definition: ScorerDefinition): void => {
  const details = [...limitFaults(ScorerDefinition, definition), ...checkScorer(definition)]
  if (details.length > 0)
    throw new ApiError('malformed', summary('The scorer does not fit', details), { details })
}

const refused = (pointer: string, message: string) =>
  new ApiError('malformed', `${pointer} ${message}.`, { details: [{ pointer, message }] })

const slugOf = (name: string): string =>
  name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 60)
    .replace(/-+$/, '') || 'scorer'
