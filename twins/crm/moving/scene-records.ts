import type { Row } from '@diorama/twin-kit/kernel/table'
import type { Scene, VariedAct } from '@diorama/twin-kit/variations/variations'
import { type CrmTables, personTable, tableOf } from '../tables.ts'

type CrmScene = Scene<CrmTables>

export const text = (value: unknown): string => (typeof value === 'string' ? value : '')

export const records = ({ views }: CrmScene, object: string): Row[] => [...tableOf(views, object).all()]

/** Records that the task does not name. */
export const others = (scene: CrmScene, object: string): Row[] =>
  records(scene, object).filter((row) => !scene.isNamed(object, row))

/** Done by one of the people with an account there. */
export const by = (
  scene: CrmScene,
  name: string,
  operation: string,
  input: Row,
  what: string,
): VariedAct[] => {
  const as = scene.pick(
    name,
    scene.people.filter((person) => tableOf(scene.views, personTable).has(person)),
  )
  return as === undefined ? [] : [{ as, operation, input, what }]
}
