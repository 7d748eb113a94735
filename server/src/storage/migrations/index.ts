import type { Migration } from 'kysely/migration'
import { migration as organizations } from './0001-organizations.ts'

/** In the order in which they run. A migration that was released is never changed, only followed. */
export const migrations: Readonly<Record<string, Migration>> = {
  '0001-organizations': organizations,
}
