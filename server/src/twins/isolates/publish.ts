import { canonicalJson } from '@diorama/twin-kit/kernel/canonical'
import type { Instance } from '@diorama/twin-kit/kernel/instance'
import { listedTables } from '@diorama/twin-kit/kernel/seed'
import { collectionsOf } from '../records.ts'
import type { PublishedState } from './inspect.ts'
import type { StateStore } from './state-store.ts'

/** Stores the state of a twin as a seed, so that worlds can begin with it. */
export const publish = async (
  instance: Instance,
  clock: number,
  store: Pick<StateStore, 'saveSeed'>,
): Promise<PublishedState> => {
  const collections = collectionsOf(instance).filter(({ count }) => count > 0)
  const entityCount = collections.reduce((sum, { count }) => sum + count, 0)
  const { twin, seed } = instance
  if (instance.isUntouched() && clock === seed.seed.clock)
    return { sha256: seed.sha256, entityCount, collections }
  const listed = new Set(listedTables(twin))
  // Rows are values, so that those of this moment stay the same while they are written and the twin goes on.
  const tables = Object.keys(seed.tables)
    .map((name) => ({ name, held: [...(instance.tables[name]?.all() ?? [])] }))
    .filter(({ name, held }) => held.length > 0 || listed.has(name))
  const text = {
    kind: twin.kind,
    clock,
    keys: seed.seed.keys,
    tables: tables.map(({ name, held }) => ({
      name,
      *rows() {
        for (const row of held) yield canonicalJson(row)
      },
    })),
  }
  return { sha256: await store.saveSeed(text, entityCount), entityCount, collections }
}
