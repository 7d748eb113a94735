import { type Scorer, ScorerDefinition } from '@diorama/contract'
import { limitFaults } from '@diorama/contract/limits'
import { checkScorer } from '@diorama/contract/scorer-rules'
import type { Kysely, Transaction } from 'kysely'
import { summary } from '../http/parse.ts'
import { notFound, Refused } from '../http/refused.ts'
import type { Database } from '../storage/schema.ts'
import type { ScorerStore } from './store.ts'

const slugForm = /^[a-z0-9]+(-[a-z0-9]+)*$/
const longestSlug = 80

export interface LibraryParts {
  readonly store: ScorerStore
  readonly now: () => number
  readonly makeId: (prefix: string) => string
}

/** The rules of the scorer library. */
export const openLibrary = ({ store, now, makeId }: LibraryParts) => {
  const require = async (organizationId: string, id: string): Promise<Scorer> => {
    const scorer = await store.find(organizationId, id)
    if (!scorer) throw notFound('scorer')
    return scorer
  }

  /** The slug that was asked for, or the first free one made from the name. */
  const slugFor = async (
    organizationId: string,
    definition: ScorerDefinition,
    own: string | undefined,
    trx?: Kysely<Database> | Transaction<Database>,
  ): Promise<string> => {
    const asked = definition.slug
    if (asked !== null) {
      if (!slugForm.test(asked) || asked.length > longestSlug)
        throw refused('/slug', 'must be lowercase words joined by dashes')
      const taken = await store.slugTaken(organizationId, asked, trx)
      if (taken !== undefined && taken !== own)
        throw new Refused('conflict', `The slug ${asked} is taken by ${taken}.`)
      return asked
    }
    const base = slugOf(definition.name)
    for (let n = 1; n <= 10_000; n++) {
      const slug = n === 1 ? base : `${base}-${n}`
      const taken = await store.slugTaken(organizationId, slug, trx)
      if (taken === undefined || taken === own) return slug
    }
    throw new Refused('conflict', `Every slug like ${base} is taken; give one.`)
  }

  const create = async (
    organizationId: string,
    definition: ScorerDefinition,
    trx?: Kysely<Database> | Transaction<Database>,
  ): Promise<string> => {
    checkDefinition(definition)
    const id = makeId('scr')
    const slug = await slugFor(organizationId, definition, undefined, trx)
    await store.insert({ id, organizationId, slug, definition, at: new Date(now()) }, trx)
    return id
  }

  return {
    store,
    require,
    create,
    update: async (organizationId: string, id: string, definition: ScorerDefinition): Promise<Scorer> => {
      checkDefinition(definition)
      const there = await require(organizationId, id)
      const slug = definition.slug === null ? there.slug : await slugFor(organizationId, definition, id)
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
export type Library = ReturnType<typeof openLibrary>

/** Refuses a definition that cannot work, and names every fault. */
export const checkDefinition = (definition: ScorerDefinition): void => {
  const details = [...limitFaults(ScorerDefinition, definition), ...checkScorer(definition)]
  if (details.length > 0)
    throw new Refused('malformed', summary('The scorer does not fit', details), { details })
}

const refused = (pointer: string, message: string) =>
  new Refused('malformed', `${pointer} ${message}.`, { details: [{ pointer, message }] })

const slugOf = (name: string): string =>
  name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 60)
    .replace(/-+$/, '') || 'scorer'
