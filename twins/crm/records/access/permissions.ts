import type { Row, TableView } from '@diorama/twin-kit/kernel/table'
import type { FieldSchema, ObjectSchema } from '../../schema/schema.ts'
import { securityTable } from '../../tables.ts'

type Tables = Readonly<Record<string, TableView>>

/** What a user may do with an object's records, before sharing decides which of them. */
export interface ObjectRights {
  readonly read: boolean
  readonly create: boolean
  readonly edit: boolean
  readonly delete: boolean
  readonly viewAll: boolean
  readonly modifyAll: boolean
}

export type FieldRight = 'edit' | 'read' | 'none'

export interface Permissions {
  readonly object: (object: ObjectSchema) => ObjectRights
  readonly field: (object: ObjectSchema, field: FieldSchema) => FieldRight
  readonly has: (permission: string) => boolean
}

/** What one user may do with records. */
export interface Access {
  readonly enforced: boolean
  readonly permissions: Permissions
  readonly canRead: (object: ObjectSchema, row: Row) => boolean
  readonly canEdit: (object: ObjectSchema, row: Row) => boolean
  readonly canDelete: (object: ObjectSchema, row: Row) => boolean
  readonly canTransfer: (object: ObjectSchema, row: Row) => boolean
}

const everything: ObjectRights = {
  read: true,
  create: true,
  edit: true,
  delete: true,
  viewAll: true,
  modifyAll: true,
}
export const allPermissions: Permissions = { object: () => everything, field: () => 'edit', has: () => true }

/** Whether the organization has a security model at all; without one every user may do everything. */
export const isEnforced = (tables: Tables): boolean => tables[securityTable]?.has('enforced') === true

const administrator = 'System Administrator'

/** Objects that a standard user works with; of the others a standard user only reads. */
const working = new Set(
  'Account AccountContactRelation AccountShare AccountTeamMember Asset Attachment CampaignMember Case CaseComment CaseShare Contact ContactShare ContentDocument ContentDocumentLink ContentVersion Contract EmailMessage Entitlement Event FeedComment FeedItem Lead LeadShare LiveChatTranscript Note Opportunity OpportunityContactRole OpportunityLineItem OpportunityShare OpportunityTeamMember Order OrderItem Quote QuoteLineItem Task'.split(
    ' ',
  ),
)

const standardRights = (object: ObjectSchema): ObjectRights => {
  const writes = object.custom || working.has(object.name)
  return { read: true, create: writes, edit: writes, delete: writes, viewAll: false, modifyAll: false }
}

const rightNames = {
  read: 'PermissionsRead',
  create: 'PermissionsCreate',
  edit: 'PermissionsEdit',
  delete: 'PermissionsDelete',
  viewAll: 'PermissionsViewAllRecords',
  modifyAll: 'PermissionsModifyAllRecords',
} as const

const rightsOf = (row: Row): ObjectRights => {
  const rights = Object.fromEntries(
    Object.entries(rightNames).map(([right, name]) => [right, row[name] === true]),
  ) as unknown as ObjectRights
  return rights.modifyAll ? everything : rights.viewAll ? { ...rights, read: true } : rights
}

const union = (one: ObjectRights, other: ObjectRights): ObjectRights =>
  Object.fromEntries(
    (Object.keys(rightNames) as (keyof ObjectRights)[]).map((right) => [right, one[right] || other[right]]),
  ) as unknown as ObjectRights

const fieldRight = (row: Row): FieldRight =>
  row.PermissionsEdit === true ? 'edit' : row.PermissionsRead === true ? 'read' : 'none'
const rank: Readonly<Record<FieldRight, number>> = { none: 0, read: 1, edit: 2 }
const higher = (one: FieldRight, other: FieldRight): FieldRight => (rank[one] >= rank[other] ? one : other)

/** What a user's profile and permission sets allow together. */
export const permissionsOf = (tables: Tables, userId: string): Permissions => {
  const user = tables.User?.get(userId)
  const profile = tables.Profile?.get(String(user?.ProfileId))
  if (!isEnforced(tables) || profile?.Name === administrator) return allPermissions
  const own = [...(tables.PermissionSet?.find('ProfileId', String(profile?.Id)) ?? [])][0]
  const assigned = [...(tables.PermissionSetAssignment?.find('AssigneeId', userId) ?? [])]
    .map((row) => tables.PermissionSet?.get(String(row.PermissionSetId)))
    .filter((set) => set !== undefined)
  const rowsOf = (table: string, set: Row | undefined): Row[] =>
    set ? [...(tables[table]?.find('ParentId', String(set.Id)) ?? [])] : []
  const objectRows = [own, ...assigned].map((set) => rowsOf('ObjectPermissions', set))
  const fieldRows = [own, ...assigned].map((set) => rowsOf('FieldPermissions', set))
  const has = (permission: string): boolean =>
    (own === undefined && permission === 'PermissionsApiEnabled') ||
    [own, ...assigned].some((set) => set?.[permission] === true)
  const all = has('PermissionsModifyAllData')
  return {
    has,
    object: (object) => {
      if (all) return everything
      const [profileRow, ...others] = objectRows.map((rows) =>
        rows.find(({ SobjectType }) => SobjectType === object.name),
      )
      const base = profileRow ? rightsOf(profileRow) : standardRights(object)
      const rights = others.reduce((sum, row) => (row ? union(sum, rightsOf(row)) : sum), base)
      return has('PermissionsViewAllData') ? { ...rights, read: true, viewAll: true } : rights
    },
    field: (object, field) => {
      const name = `${object.name}.${field.name}`
      const [profileRow, ...others] = fieldRows.map((rows) => rows.find(({ Field }) => Field === name))
      const base = profileRow ? fieldRight(profileRow) : 'edit'
      return others.reduce((best, row) => (row ? higher(best, fieldRight(row)) : best), base)
    },
  }
}
