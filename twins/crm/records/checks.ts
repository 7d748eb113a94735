import type { Row } from '@diorama/twin-kit/kernel/table'
import { prefixOf } from '../ids.ts'
import type { ObjectSchema } from '../schema/schema.ts'
import { refuse } from './refusals.ts'
import { type Draft, str, type Writing } from './writing.ts'

/** What every check of a save looks at: the record before the change, if there was one, and as it will be. */
export interface Saving {
  readonly writing: Writing
  readonly object: ObjectSchema
  readonly before: Row | undefined
  readonly draft: Draft
}

/** Checks that hold for every object: who may own a record, hierarchies without loops, leads that were converted. */
export const checkSave = (saving: Saving): void => {
  checkOwner(saving)
  checkHierarchy(saving)
  checkLeadReferences(saving)
  checkRecordType(saving)
}

const checkOwner = ({ writing, object, before, draft }: Saving): void => {
  const owner = str(draft, 'OwnerId')
  if (owner === undefined || owner === before?.OwnerId || !object.field('OwnerId')) return
  const user = writing.table('User').get(owner)
  if (user?.IsActive === false)
    throw refuse(
      'INACTIVE_OWNER_OR_USER',
      `operation performed with inactive user [${owner}] as owner of ${object.label.toLowerCase()}`,
      [],
    )
  if (user || object.name === 'Group') return
  const group = writing.table('Group').get(owner)
  const supported = [...writing.table('QueueSobject').find('QueueId', owner)]
  if (group && (group.Type !== 'Queue' || !supported.some((row) => row.SobjectType === object.name)))
    throw refuse('INVALID_OPERATION', 'Queue not associated with this SObject type', ['OwnerId'])
}

/** Fields that make a tree of an object's records, and how deep the tree may be. */
const hierarchies: Readonly<Record<string, { readonly field: string; readonly maxLevels?: number }>> = {
  Account: { field: 'ParentId' },
  Asset: { field: 'ParentId' },
  Campaign: { field: 'ParentId', maxLevels: 5 },
  Case: { field: 'ParentId' },
  Contact: { field: 'ReportsToId' },
  ProductCategory: { field: 'ParentCategoryId' },
  Territory2: { field: 'ParentTerritory2Id' },
  User: { field: 'ManagerId' },
  UserRole: { field: 'ParentRoleId' },
}

/** Longer chains than this are not followed; no organization has them. */
const maxSteps = 500

const checkHierarchy = ({ writing, object, before, draft }: Saving): void => {
  const hierarchy = hierarchies[object.name]
  const parent = hierarchy && str(draft, hierarchy.field)
  if (!hierarchy || parent === undefined || parent === before?.[hierarchy.field]) return
  let levels = 1
  for (let at: string | undefined = parent; at !== undefined && levels < maxSteps; levels++) {
    if (at === before?.Id)
      throw refuse('CIRCULAR_DEPENDENCY', 'attempt to violate hierarchy constraints', [hierarchy.field])
    at = str(writing.table(object).get(at), hierarchy.field)
  }
  if (hierarchy.maxLevels !== undefined && levels > hierarchy.maxLevels)
    throw refuse(
      'FIELD_INTEGRITY_EXCEPTION',
      `${object.label} hierarchies cannot have more than ${hierarchy.maxLevels} levels`,
      [hierarchy.field],
    )
}

/** Once converted, a lead is neither changed nor pointed at anew. */
const checkLeadReferences = ({ writing, object, before, draft }: Saving): void => {
  for (const field of object.fields) {
    if (!field.referenceTo.includes('Lead')) continue
    const id = str(draft, field.name)
    if (id === undefined || id === before?.[field.name] || prefixOf(id) !== '00Q') continue
    if (writing.table('Lead').get(id)?.IsConverted === true)
      throw refuse('CANNOT_UPDATE_CONVERTED_LEAD', 'cannot reference converted lead', [])
  }
}

const checkRecordType = ({ writing, object, before, draft }: Saving): void => {
  const id = str(draft, 'RecordTypeId')
  if (id === undefined || id === before?.RecordTypeId) return
  if (writing.table('RecordType').get(id)?.SobjectType !== object.name)
    throw refuse(
      'INVALID_CROSS_REFERENCE_KEY',
      `Record Type ID: this ID value isn't valid for the user: ${id}`,
      ['RecordTypeId'],
    )
}
