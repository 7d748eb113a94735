import type { Row } from '@diorama/twin-kit/kernel/table'
import { refuse } from '../records/refusals.ts'
import type { Writing } from '../records/writing.ts'
import { approvalTable, tableOf } from '../tables.ts'
import type { ApprovalProcess } from './definition.ts'

/** Administrators change and decide what waits for the approval of others. */
export const isAdministrator = ({ own, table, userId }: Writing): boolean => {
  const profile = table('Profile').get(String(table('User').get(userId)?.ProfileId))
  return (
    profile?.Name === 'System Administrator' ||
    (own.access.enforced && own.access.permissions.has('PermissionsModifyAllData'))
  )
}

/** A record that waits for approval, or was approved by a process that keeps it so, is changed by administrators alone. */
export const checkLock = (writing: Writing, row: Row): void => {
  const locked = [...writing.table('ProcessInstance').find('TargetObjectId', String(row.Id))].some(
    (instance) =>
      instance.Status === 'Pending' || (instance.Status === 'Approved' && locksApproved(writing, instance)),
  )
  if (locked && !isAdministrator(writing))
    throw refuse('ENTITY_IS_LOCKED', 'entity is locked for editing', [])
}

const locksApproved = (writing: Writing, instance: Row): boolean => {
  const process = tableOf(writing.call.tables, approvalTable).get(String(instance.ProcessDefinitionId))
  return (process as unknown as ApprovalProcess | undefined)?.locksApproved === true
}
