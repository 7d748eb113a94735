import type { Activity, DiffEntry } from '@diorama/contract'
import type { ServiceState, WorldStateFile } from '@diorama/sandbox/verifier/world-state'

/** One twin as the file of a world holds it. */
export interface ServicePart {
  readonly service: string
  readonly collections: Readonly<
    Record<string, readonly { id: string; record: Readonly<Record<string, unknown>> }[]>
  >
  readonly keys: readonly { key: string; collection: string; id: string }[]
  readonly idFields: Readonly<Record<string, string>>
  readonly diff: readonly DiffEntry[]
}

/** The state that the helpers of scorers read, from the twins of a trial and what was recorded of them. */
export const worldFile = (
  parts: readonly ServicePart[],
  activity: readonly (Activity & { mutations: readonly unknown[] })[],
): WorldStateFile => ({
  services: Object.fromEntries(
    parts.map((part): [string, ServiceState] => [
      part.service,
      {
        collections: Object.fromEntries(Object.entries(part.collections).map(([name, rows]) => [name, rows])),
        keys: part.keys,
        id_field: part.idFields,
        diff: part.diff,
      },
    ]),
  ),
  activity,
})
