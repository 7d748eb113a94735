import type { Row } from '@diorama/twin-kit/kernel/table'
import type { Permissions, Scene } from '@diorama/twin-kit/variations/variations'
import { readingObject, readingRecord } from '../records/access/withheld.ts'
import { noRights } from '../records/refusals.ts'
import type { SchemaIn } from '../schema/schema.ts'
import type { CrmTables } from '../tables.ts'
import { others, records, text } from './scene-records.ts'

type CrmScene = Scene<CrmTables>

const edited = ['Account', 'Contact', 'Lead', 'Opportunity', 'Case', 'Task']
const deleted = ['Account', 'Contact', 'Lead', 'Opportunity', 'Case']
/** Objects that a task about other records can do without. */
const unread = ['Lead', 'Opportunity', 'Campaign', 'Contract', 'Order', 'Asset']
/** Objects of which single records are hidden. */
const hidden = ['Case', 'Opportunity', 'Lead']

export const permissionsOf = (schemaIn: SchemaIn): Permissions<CrmTables> => ({
  withholdable: (scene) =>
    [
      ...edited.filter((object) => !isInvolved(scene, object)).map((object) => `edit ${object}`),
      ...deleted.map((object) => `delete ${object}`),
      ...['Case', 'Opportunity'].flatMap((object) =>
        others(scene, object).map(({ Id }) => `${writingTo}${shortId(Id)}`),
      ),
      ...unread
        .filter((object) => !isInvolved(scene, object) && !isSpokenOf(scene, object))
        .map(readingObject),
      ...hidden.flatMap((object) => farRecords(scene, object).map(({ Id }) => readingRecord(text(Id)))),
    ].map((permission) => ({ permission })),
  needs: (operation, input, views) => {
    const { object, id, text: query } = (input ?? {}) as { object?: unknown; id?: unknown; text?: unknown }
    if (typeof query === 'string') return objectsIn(schemaIn(views), query).map(readingObject)
    const verb = verbs[operation]
    if (verb === undefined) return []
    return [
      ...(typeof object === 'string' ? [readingObject(object), `${verb} ${object}`] : []),
      ...(typeof id === 'string' ? [readingRecord(id), `${writingTo}${shortId(id)}`] : []),
    ]
  },
  // What cannot be seen does not exist for the caller, so the service's own answer is the right one.
  refusal: (permission) => (permission.startsWith('read ') ? undefined : noRights()),
})

const verbs: Readonly<Record<string, string>> = {
  create: 'edit',
  update: 'edit',
  upsert: 'edit',
  delete: 'delete',
}
/** Permission to change one record, by its id. */
const writingTo = 'writing to '

/** Ids come with and without their last three characters, which only check them. */
const shortId = (id: unknown): string => text(id).slice(0, 15)

const isInvolved = (scene: CrmScene, object: string): boolean =>
  records(scene, object).some((row) => scene.isNamed(object, row))

const isSpokenOf = (scene: CrmScene, object: string): boolean =>
  [object, object.toLowerCase(), `${object.toLowerCase()}s`].some(scene.isMentioned)

/** Records that the task does not name, and that share no account or contact with one that it does. */
const farRecords = (scene: CrmScene, object: string): Row[] => {
  const around = ['Account', 'Contact', 'Case', 'Opportunity'].flatMap((type) =>
    records(scene, type)
      .filter((row) => scene.isNamed(type, row))
      .flatMap(({ Id, AccountId, ContactId }) => [Id, AccountId, ContactId]),
  )
  const near = new Set(around.map(text).filter((id) => id !== ''))
  return others(scene, object).filter(
    ({ AccountId, ContactId }) => !near.has(text(AccountId)) && !near.has(text(ContactId)),
  )
}

/** The objects that a query or a search reads from, under their own names. */
const objectsIn = (schema: ReturnType<SchemaIn>, query: string): string[] => {
  const listed = /\bRETURNING\s+(.*)$/is.exec(query)?.[1]?.match(/\w+/g) ?? []
  const from = [...query.matchAll(/\bFROM\s+(\w+)/gi)].map(([, name = '']) => name)
  const found = [...from, ...listed].flatMap((name) => schema.object(name)?.name ?? [])
  return [...new Set(found)]
}
