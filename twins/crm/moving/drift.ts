import type { Row } from '@diorama/twin-kit/kernel/table'
import type { Scene, VariedAct } from '@diorama/twin-kit/variations/variations'
import { hasPlainValues, isRenamable } from '../operations/renames.ts'
import type { FieldSchema, ObjectSchema, SchemaIn } from '../schema/schema.ts'
import type { CrmTables } from '../tables.ts'
import { by, others, records, text } from './scene-records.ts'

type CrmScene = Scene<CrmTables>

/** Objects whose setup an administrator reworks. */
const reworked = ['Account', 'Contact', 'Opportunity', 'Case', 'Lead', 'Campaign']
const maxRenames = 2

/** Cases with another owner, accounts with another name, and fields and options that were renamed in the setup. */
export const driftOf =
  (schemaIn: SchemaIn) =>
  (scene: CrmScene): VariedAct[] => {
    const schema = schemaIn(scene.views)
    const objects = schema.objects.filter(
      ({ name, custom }) => (custom || reworked.includes(name)) && scene.views[name],
    )
    const fields = objects.flatMap((object) =>
      object.fields
        .filter((field) => !scene.isMentioned(field.name) && !scene.isMentioned(field.label))
        .map((field) => ({ object, field })),
    )
    return [
      ...moved(scene),
      ...renamedAccounts(scene),
      ...renamedOptions(
        scene,
        fields.filter(({ object, field }) => hasPlainValues(schema, object, field)),
      ),
      ...renamedFields(
        scene,
        fields.filter(({ field }) => isRenamable(schema, field)),
      ),
      ...renamedLabels(
        scene,
        fields.filter(({ field }) => field.updateable && field.type !== 'reference'),
      ),
    ]
  }

interface Place {
  readonly object: ObjectSchema
  readonly field: FieldSchema
}

/** Options that records have, and none that the task names. */
const renamedOptions = (scene: CrmScene, places: readonly Place[]): VariedAct[] => {
  const used = places.flatMap(({ object, field }) => {
    const holding = Map.groupBy(records(scene, object.name), (row) => text(row[field.name]))
    return field.picklist
      .filter((value) => !scene.isMentioned(value))
      .map((value) => ({ object, field, value, rows: holding.get(value) ?? [] }))
      .filter(({ rows }) => rows.length > 0 && !rows.some((row) => scene.isNamed(object.name, row)))
  })
  return scene
    .shuffled('options', used)
    .slice(0, maxRenames)
    .flatMap(({ object, field, value }, n) =>
      by(
        scene,
        `option ${n}`,
        'RENAME PicklistValue',
        { object: object.name, field: field.name, from: value, to: `${value} (revised)` },
        `renames the option ${value} of ${object.name}.${field.name} to ${value} (revised)`,
      ),
    )
}

const renamedFields = (scene: CrmScene, places: readonly Place[]): VariedAct[] =>
  scene
    .shuffled('fields', places)
    .slice(0, maxRenames)
    .flatMap(({ object, field }, n) => {
      const to = field.name.replace(/__c$/, '_Revised__c')
      return by(
        scene,
        `field ${n}`,
        'RENAME CustomField',
        { object: object.name, field: field.name, to },
        `renames the field ${object.name}.${field.name} to ${to}`,
      )
    })

const renamedLabels = (scene: CrmScene, places: readonly Place[]): VariedAct[] =>
  scene
    .shuffled('field labels', places)
    .slice(0, maxRenames)
    .flatMap(({ object, field }, n) =>
      by(
        scene,
        `label ${n}`,
        'RENAME FieldLabel',
        { object: object.name, field: field.name, to: `${field.label} (revised)` },
        `labels the field ${object.name}.${field.name} ${field.label} (revised)`,
      ),
    )

const moved = (scene: CrmScene): VariedAct[] =>
  scene
    .shuffled('moved', others(scene, 'Case'))
    .slice(0, 2)
    .flatMap((row: Row, n) => {
      const owner = scene.pick(`owner ${n}`, scene.people)
      return owner === undefined
        ? []
        : by(
            scene,
            `move ${n}`,
            'PATCH Case',
            { Id: row.Id, OwnerId: { $person: owner } },
            `gives the case ${text(row.CaseNumber)} to ${owner}`,
          )
    })

const renamedAccounts = (scene: CrmScene): VariedAct[] =>
  scene
    .shuffled('renamed', others(scene, 'Account'))
    .slice(0, 2)
    .flatMap((row: Row, n) =>
      by(
        scene,
        `rename ${n}`,
        'PATCH Account',
        { Id: row.Id, Name: `${text(row.Name)} Group` },
        `renames the account ${text(row.Name)} to ${text(row.Name)} Group`,
      ),
    )
