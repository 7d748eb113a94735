import type { Scene, VariedAct } from '@diorama/twin-kit/variations/variations'
import type { EdmRow } from '@diorama/twin-kit/wires/odata/model'
import type { ErpTables } from '../tables.ts'

export type ErpScene = Scene<ErpTables>

export const numberOf = (order: EdmRow): string => String(order.SalesOrder ?? '')

export const rows = ({ views }: ErpScene, collection: string): EdmRow[] => [
  ...(views[collection]?.all() ?? []),
]

/** Rows that the task does not name. */
export const others = (scene: ErpScene, collection: string): EdmRow[] =>
  rows(scene, collection).filter((row) => !scene.isNamed(collection, row))

export const by = (
  scene: ErpScene,
  name: string,
  operation: string,
  input: VariedAct['input'],
  what: string,
): VariedAct[] => {
  const as = scene.pick(name, scene.people)
  return as === undefined ? [] : [{ as, operation, input, what }]
}
