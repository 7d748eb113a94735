import { integrity, refuse } from '../refusals.ts'
import type { Removing, Rules } from '../rule.ts'
import { str } from '../writing.ts'

/** Objects whose records a queue can own, besides custom ones. */
const queueable = new Set([
  'Case',
  'Lead',
  'Order',
  'Task',
  'ServiceContract',
  'Knowledge__kav',
  'ContactRequest',
])

export const queueSobject: Rules = {
  derive: ({ writing, draft }) => {
    const [queue, type] = [str(draft, 'QueueId') ?? '', str(draft, 'SobjectType') ?? '']
    const object = writing.schema.object(type)
    if (!object || !(queueable.has(object.name) || object.custom))
      throw refuse(
        'INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST',
        `Sobject Type: bad value for restricted picklist field: ${type}`,
        ['SobjectType'],
      )
    draft.SobjectType = object.name
    if (writing.table('Group').get(queue)?.Type !== 'Queue')
      throw integrity('QueueId must be the id of a group of type Queue', ['QueueId'])
    for (const other of writing.table('QueueSobject').find('QueueId', queue))
      if (other.SobjectType === object.name)
        throw refuse('DUPLICATE_VALUE', 'This queue already supports this object', ['SobjectType'])
  },
}

export const group: Rules = {
  derive: ({ writing, before, draft }) => {
    if (before) return
    const name = str(draft, 'DeveloperName') ?? developerName(str(draft, 'Name') ?? '')
    draft.DeveloperName = name
    for (const other of writing.table('Group').all())
      if (other.Type === draft.Type && str(other, 'DeveloperName')?.toLowerCase() === name.toLowerCase())
        throw refuse(
          'DUPLICATE_DEVELOPER_NAME',
          `This developer name already exists or has been previously used. Please choose a different name.: Developer Name`,
          ['DeveloperName'],
        )
  },
  keep: (removing) => {
    if (ownsRecords(removing))
      throw refuse(
        'DELETE_FAILED',
        'This queue owns records. Give them another owner before deleting it.',
        [],
      )
  },
}

/** A name that programs use: letters, digits and single underscores, beginning with a letter. */
const developerName = (label: string): string => {
  const name = label
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, 80)
  return /^[A-Za-z]/.test(name) ? name : `X${name}`
}

const ownsRecords = ({ writing, row }: Removing): boolean =>
  writing.schema.objects.some((object) => {
    const owner = object.field('OwnerId')
    return (
      owner?.referenceTo.includes('Group') === true &&
      object.name !== 'Group' &&
      writing.org.count(object, owner, String(row.Id)) > 0
    )
  })

/** Groups contain users and groups, each once, and never themselves. */
export const groupMember: Rules = {
  derive: ({ writing, draft }) => {
    const [group, member] = [str(draft, 'GroupId') ?? '', str(draft, 'UserOrGroupId') ?? '']
    const members = writing.table('GroupMember')
    for (const other of members.find('GroupId', group))
      if (other.UserOrGroupId === member)
        throw refuse('DUPLICATE_VALUE', 'This member is already in the group', ['UserOrGroupId'])
    const seen = new Set<string>()
    const pending = [member]
    for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
      if (at === group)
        throw refuse('CIRCULAR_DEPENDENCY', 'attempt to violate hierarchy constraints', ['UserOrGroupId'])
      if (seen.has(at)) continue
      seen.add(at)
      for (const inner of members.find('GroupId', at)) pending.push(String(inner.UserOrGroupId))
    }
  },
}
