import type { Row } from '@diorama/twin-kit/kernel/table'
import type { AnyTwin } from '@diorama/twin-kit/kernel/twin'
import { partOf } from './key-set.ts'
import type { Spill } from './spill.ts'

/** The sums that a twin makes of its rows: members are spilled to disk by the hash of their group, and summed up part by part. */
export interface GroupedRows {
  readonly note: (collection: string, row: Row) => Promise<void> | void
  readonly rows: () => AsyncIterable<{ readonly collection: string; readonly row: Row }>
}

/** One part is in memory at a time. */
const parts = 64

export const createGroupedRows = (spill: Spill, twin: AnyTwin): GroupedRows => {
  const groups = twin.dataset?.groups ?? {}
  const keyOf = (collection: string, part: number) => `${twin.kind}/${collection}/${part}`
  return {
    note: (collection, row) => {
      const member = groups[collection]?.member(row)
      if (!member) return undefined
      const { key, value } = member
      return spill.put(keyOf(collection, partOf(key, parts)), JSON.stringify([key, value]))
    },
    async *rows() {
      for (const [collection, { into, sum }] of Object.entries(groups))
        for (let part = 0; part < parts; part++) {
          const members = new Map<string, unknown[]>()
          for await (const line of spill.lines(keyOf(collection, part))) {
            const [key, value] = JSON.parse(line) as [string, unknown]
            const known = members.get(key)
            if (known) known.push(value)
            else members.set(key, [value])
          }
          for (const [key, values] of members) yield { collection: into, row: sum(key, values) }
        }
    },
  }
}
