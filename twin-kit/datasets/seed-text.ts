import { createHash } from 'node:crypto'
import { canonicalJson } from '../kernel/canonical.ts'
import type { Seed, SeedKey } from '../kernel/seed.ts'

/** A seed whose rows come one by one, already spelt as canonical JSON: it may be larger than memory. */
export interface SeedText {
  readonly kind: string
  readonly clock: number
  readonly keys: readonly SeedKey[]
  readonly tables: readonly SeedTextTable[]
}

export interface SeedTextTable {
  readonly name: string
  /** From the first row on, as often as it is called. */
  readonly rows: () => AsyncIterable<string> | Iterable<string>
}

/** The digest of a seed, by the same bytes as `digestSeed`. */
export const digestSeedText = async ({ kind, clock, keys, tables }: SeedText): Promise<string> => {
  const hash = createHash('sha256')
  hash.update(
    `{"clock":${canonicalJson(clock)},"keys":${canonicalJson(keys)},"kind":${canonicalJson(kind)},"tables":{`,
  )
  let isFirstTable = true
  for (const { name, rows } of byName(tables)) {
    hash.update(`${isFirstTable ? '' : ','}${canonicalJson(name)}:[`)
    isFirstTable = false
    let held = ''
    let isFirstRow = true
    for await (const row of rows()) {
      held += isFirstRow ? row : `,${row}`
      isFirstRow = false
      if (held.length < 65_536) continue
      hash.update(held)
      held = ''
    }
    hash.update(`${held}]`)
  }
  return hash.update('}}').digest('hex')
}

/** In the order of canonical JSON. */
export const byName = (tables: readonly SeedTextTable[]): readonly SeedTextTable[] =>
  tables.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))

export const seedText = ({ kind, clock, keys, tables }: Seed): SeedText => ({
  kind,
  clock,
  keys,
  tables: Object.entries(tables).map(([name, rows]) => ({
    name,
    *rows() {
      for (const row of rows) yield canonicalJson(row)
    },
  })),
})
