import { canonicalJson } from '@diorama/twin-kit/kernel/canonical'
import { type CompiledSeed, type FrozenSeed, freezeSeed } from '@diorama/twin-kit/kernel/seed'
import type { AnyTwin } from '@diorama/twin-kit/kernel/twin'
import type { Kysely, Transaction } from 'kysely'
import { readSeed } from './seeds/seed-parts.ts'
import type { TwinTables } from './tables.ts'

const maxKept = 256

export interface Seeds {
  readonly save: (compiled: CompiledSeed, trx?: Kysely<TwinTables> | Transaction<TwinTables>) => Promise<void>
  /** Says that the transaction in which a seed was saved has been committed. */
  readonly committed: (sha256: string) => void
  /** Freezes a seed that has just been compiled and saved. */
  readonly remember: (compiledSeed: CompiledSeed) => FrozenSeed | undefined
  readonly load: (sha256: string) => Promise<FrozenSeed>
}

/** Compiled seeds: stored once by their hash, and kept frozen in memory while they are in use. */
export const openSeeds = ({
  db,
  twinOf,
}: {
  db: Kysely<TwinTables>
  twinOf: (kind: string) => AnyTwin | undefined
}): Seeds => {
  const frozen = new Map<string, FrozenSeed>()
  /** Known to be in the database, so that a second launch does not send the bytes again. */
  const saved = new Set<string>()

  const keep = (seed: FrozenSeed): FrozenSeed => {
    frozen.delete(seed.sha256)
    frozen.set(seed.sha256, seed)
    const oldest = frozen.size > maxKept ? frozen.keys().next().value : undefined
    if (oldest !== undefined) frozen.delete(oldest)
    return seed
  }

  return {
    save: async (
      compiled: CompiledSeed,
      trx: Kysely<TwinTables> | Transaction<TwinTables> = db,
    ): Promise<void> => {
      if (saved.has(compiled.sha256)) return
      await trx
        .insertInto('seeds')
        .values({
          sha256: compiled.sha256,
          kind: compiled.seed.kind,
          entity_count: compiled.entityCount,
          body: Buffer.from(canonicalJson(compiled.seed)),
        })
        .onConflict((conflict) => conflict.doNothing())
        .execute()
    },

    committed: (sha256: string): void => {
      if (saved.size >= maxKept) saved.clear()
      saved.add(sha256)
    },

    remember: ({ seed, sha256 }: CompiledSeed): FrozenSeed | undefined => {
      const twin = twinOf(seed.kind)
      return twin && keep(frozen.get(sha256) ?? freezeSeed(twin, seed, sha256))
    },

    load: async (sha256: string): Promise<FrozenSeed> => {
      const there = frozen.get(sha256)
      if (there) return keep(there)
      const stored = await readSeed(db, sha256)
      const twin = stored && twinOf(stored.kind)
      if (!stored || !twin) throw new Error(`the seed ${sha256} cannot be loaded`)
      return keep(freezeSeed(twin, stored.seed, sha256, stored.later))
    },
  }
}
