import type { Transaction } from 'kysely'

/** Finds what a noun has that begins with a version of an environment or of a dataset: the first of it, in words. */
export type FindReference = (
  organizationId: string,
  versionId: string,
  trx?: Pick<Transaction<unknown>, 'isTransaction'>,
) => Promise<string | undefined>

/** What must stay is asked of each noun in turn; each of them reads its own tables alone. */
export const firstReference =
  (nouns: readonly FindReference[]): FindReference =>
  async (organizationId, versionId, trx) => {
    for (const find of nouns) {
      const found = await find(organizationId, versionId, trx)
      if (found !== undefined) return found
    }
    return undefined
  }
