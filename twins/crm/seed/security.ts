import type { Draft } from '../records/writing.ts'
import type { CrmSecurity } from '../section.ts'
import { securityTable, sharingRuleTable } from '../tables.ts'
import { dayMs, type SeedContext, seedRow } from './organization.ts'

const rightFields = {
  create: 'PermissionsCreate',
  read: 'PermissionsRead',
  edit: 'PermissionsEdit',
  delete: 'PermissionsDelete',
  view_all: 'PermissionsViewAllRecords',
  modify_all: 'PermissionsModifyAllRecords',
} as const

type Rights = Readonly<Record<string, readonly (keyof typeof rightFields)[]>>

/** Turns the security model on: permissions of profiles and permission sets, groups, and sharing rules. */
export const seedSecurity = (context: SeedContext, security: CrmSecurity): void => {
  const { seeding } = context
  seeding.insert(securityTable, { key: 'enforced' })
  const at = context.company.clock - 500 * dayMs
  const idOf = (object: string, key: string): string => context.keyed.get(`${object} ${key}`) ?? ''
  for (const profile of security.profiles) {
    const { key, objects, fields } = profile
    const set = seedRow(
      context,
      'PermissionSet',
      {
        Name: `X00e_${key.replaceAll(/\W+/g, '_')}`,
        Label: profile.name,
        ProfileId: idOf('Profile', key),
        IsOwnedByProfile: true,
        PermissionsApiEnabled: profile.apiEnabled,
        PermissionsViewAllData: profile.viewAllData,
        PermissionsModifyAllData: profile.modifyAllData,
      },
      at,
    )
    seedPermissions(context, { id: String(set.Id), objects, fields, at })
  }
  for (const { key, name, objects, fields, people } of security.permissionSets) {
    const set = seedRow(
      context,
      'PermissionSet',
      { Name: name.replaceAll(/\W+/g, '_'), Label: name, IsCustom: true },
      at,
    )
    seeding.key('PermissionSet', key, String(set.Id))
    seedPermissions(context, { id: String(set.Id), objects, fields, at })
    for (const handle of people)
      seedRow(
        context,
        'PermissionSetAssignment',
        { PermissionSetId: set.Id, AssigneeId: context.users.get(handle) },
        at,
      )
  }
  for (const { key, name, people } of security.groups) {
    const fields = { Name: name, DeveloperName: name.replaceAll(/\W+/g, '_'), Type: 'Regular' }
    const group = seedRow(context, 'Group', fields, at)
    context.keyed.set(`Group ${key}`, String(group.Id))
    seeding.key('Group', key, String(group.Id))
    for (const handle of people)
      seedRow(context, 'GroupMember', { GroupId: group.Id, UserOrGroupId: context.users.get(handle) }, at)
  }
  for (const [nth, { object, ownedBy, sharedWith, access }] of security.sharingRules.entries())
    seeding.insert(sharingRuleTable, {
      key: String(nth),
      object,
      access,
      fromKind: ownedBy.kind,
      fromId: idOf(ownedBy.kind === 'group' ? 'Group' : 'UserRole', ownedBy.key),
      toKind: sharedWith.kind,
      toId: idOf(sharedWith.kind === 'group' ? 'Group' : 'UserRole', sharedWith.key),
    })
}

const seedPermissions = (
  context: SeedContext,
  {
    id,
    objects,
    fields,
    at,
  }: { id: string; objects: Rights; fields: Readonly<Record<string, string>>; at: number },
): void => {
  for (const [SobjectType, rights] of Object.entries(objects)) {
    const granted: Draft = Object.fromEntries(
      Object.entries(rightFields).map(([right, field]) => [
        field,
        (rights as readonly string[]).includes(right),
      ]),
    )
    seedRow(context, 'ObjectPermissions', { ParentId: id, SobjectType, ...granted }, at)
  }
  for (const [Field, right] of Object.entries(fields))
    seedRow(
      context,
      'FieldPermissions',
      {
        ParentId: id,
        SobjectType: Field.split('.')[0],
        Field,
        PermissionsRead: right !== 'none',
        PermissionsEdit: right === 'edit',
      },
      at,
    )
}
