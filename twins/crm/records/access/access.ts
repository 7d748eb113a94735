import type { Row, TableView } from '@diorama/twin-kit/kernel/table'
import { prefixOf } from '../../ids.ts'
import { nameObject, type ObjectSchema, type Schema } from '../../schema/schema.ts'
import { type Access, allPermissions, isEnforced, permissionsOf } from './permissions.ts'
import { type Circle, circleOf, type Level, ruleLevel, sharedLevel } from './sharing.ts'
import { withoutWithheld } from './withheld.ts'

export type { Access } from './permissions.ts'

type Tables = Readonly<Record<string, TableView>>

const yes = (): boolean => true
export const openAccess: Access = {
  enforced: false,
  permissions: allPermissions,
  canRead: yes,
  canEdit: yes,
  canDelete: yes,
  canTransfer: yes,
}

/** Objects whose records are visible to everybody who sees the record that this field references. */
const parents: Readonly<Record<string, string>> = {
  AccountContactRelation: 'AccountId',
  AccountHistory: 'AccountId',
  AccountShare: 'AccountId',
  AccountTeamMember: 'AccountId',
  Asset: 'AccountId',
  Attachment: 'ParentId',
  CaseComment: 'ParentId',
  CaseHistory: 'CaseId',
  CaseShare: 'CaseId',
  ContactHistory: 'ContactId',
  ContactShare: 'ContactId',
  ContentDocumentLink: 'LinkedEntityId',
  Contract: 'AccountId',
  EmailMessage: 'ParentId',
  Entitlement: 'AccountId',
  FeedComment: 'FeedItemId',
  FeedItem: 'ParentId',
  LeadHistory: 'LeadId',
  LeadShare: 'LeadId',
  Note: 'ParentId',
  OpportunityContactRole: 'OpportunityId',
  OpportunityFieldHistory: 'OpportunityId',
  OpportunityHistory: 'OpportunityId',
  OpportunityLineItem: 'OpportunityId',
  OpportunityShare: 'OpportunityId',
  OpportunityTeamMember: 'OpportunityId',
  Order: 'AccountId',
  OrderItem: 'OrderId',
  Quote: 'OpportunityId',
  QuoteLineItem: 'QuoteId',
}

/** Objects with their own default access in the organization's settings. */
const defaults: Readonly<Record<string, string>> = {
  Account: 'DefaultAccountAccess',
  Campaign: 'DefaultCampaignAccess',
  Case: 'DefaultCaseAccess',
  Contact: 'DefaultContactAccess',
  Lead: 'DefaultLeadAccess',
  Opportunity: 'DefaultOpportunityAccess',
}

/** Records of children that let their owner see the account. */
const implicitChildren = ['Opportunity', 'Case', 'Contact'] as const
/** What the role of an account's owner gives on the account's children. */
const ownerRoleAccess: Readonly<Record<string, string>> = {
  Opportunity: 'OpportunityAccessForAccountOwner',
  Case: 'CaseAccessForAccountOwner',
  Contact: 'ContactAccessForAccountOwner',
}

interface Deciding {
  readonly schema: Schema
  readonly tables: Tables
  readonly userId: string
  readonly circle: Circle
  readonly known: Map<string, Level>
}

const str = (row: Row | undefined, field: string): string | undefined => {
  const value = row?.[field]
  return typeof value === 'string' ? value : undefined
}

/** The access of a user: what the security model gives, without what was withheld. */
export const accessOf = (schema: Schema, tables: Tables, userId: string): Access =>
  withoutWithheld(modelled(schema, tables, userId), tables, userId)

/** Everything where the organization has no security model. */
const modelled = (schema: Schema, tables: Tables, userId: string): Access => {
  if (!isEnforced(tables)) return openAccess
  const permissions = permissionsOf(tables, userId)
  if (permissions === allPermissions) return { ...openAccess, enforced: true }
  const deciding: Deciding = { schema, tables, userId, circle: circleOf(tables, userId), known: new Map() }
  const level = (object: ObjectSchema, row: Row): Level => levelOf(deciding, object, row, 0)
  return {
    enforced: true,
    permissions,
    canRead: (object, row) => {
      const rights = permissions.object(object)
      return rights.viewAll || rights.modifyAll || (rights.read && level(object, row) >= 1)
    },
    canEdit: (object, row) => {
      const rights = permissions.object(object)
      return rights.modifyAll || (rights.edit && level(object, row) >= 2)
    },
    canDelete: (object, row) => {
      const rights = permissions.object(object)
      const needed = parents[object.name] === undefined ? 3 : 2
      return rights.modifyAll || (rights.delete && level(object, row) >= needed)
    },
    canTransfer: (object, row) =>
      permissions.object(object).modifyAll ||
      permissions.has('PermissionsTransferAnyEntity') ||
      level(object, row) >= 3 ||
      defaultOf(deciding, object.name) === 'ReadEditTransfer',
  }
}

const defaultOf = ({ tables }: Deciding, object: string): string => {
  const [organization] = tables.Organization?.all() ?? []
  const field = defaults[object]
  return (field && str(organization, field)) ?? 'Edit'
}

const defaultLevels: Readonly<Record<string, Level>> = { None: 0, Read: 1, Edit: 2, ReadEditTransfer: 2 }
const maxHops = 6

const levelOf = (deciding: Deciding, object: ObjectSchema, row: Row, hops: number): Level => {
  const key = String(row.Id)
  const before = deciding.known.get(key)
  if (before !== undefined) return before
  // A chain of parents that comes back to itself gives nothing further.
  deciding.known.set(key, 0)
  const level = hops > maxHops ? 0 : decide(deciding, object, row, hops)
  deciding.known.set(key, level)
  return level
}

const highest = (...found: readonly Level[]): Level =>
  found.reduce<Level>((best, one) => (one > best ? one : best), 0)

const decide = (deciding: Deciding, object: ObjectSchema, row: Row, hops: number): Level => {
  const { circle, tables, userId } = deciding
  const owner = str(row, 'OwnerId')
  if (object.name === 'Task' || object.name === 'Event') return activityLevel(deciding, row, hops)
  if (object.name === 'ContentDocument' || object.name === 'ContentVersion')
    return fileLevel(deciding, object, row, hops)
  const parent = parents[object.name]
  const followsParent =
    parent ?? (defaultOf(deciding, object.name) === 'ControlledByParent' ? 'AccountId' : undefined)
  if (circle.owns(owner)) return 3
  if (followsParent !== undefined && str(row, followsParent) !== undefined)
    return levelById(deciding, str(row, followsParent), hops + 1)
  if (defaults[object.name] === undefined) return owner === undefined ? 3 : 2
  const id = String(row.Id)
  return highest(
    defaultLevels[defaultOf(deciding, object.name)] ?? 0,
    sharedLevel(tables, circle, { object: object.name, id }),
    ruleLevel(tables, circle, { object: object.name, owner, userId }),
    object.name === 'Account' ? implicitParent(deciding, id) : implicitChild(deciding, object.name, row),
  )
}

const levelById = (deciding: Deciding, id: string | undefined, hops: number): Level => {
  if (id === undefined) return 0
  for (const object of deciding.schema.withPrefix(prefixOf(id))) {
    const row = object.name === nameObject ? undefined : deciding.tables[object.name]?.get(id)
    if (row) return levelOf(deciding, object, row, hops)
  }
  return 0
}

/** The owner of a child record of an account sees the account. */
const implicitParent = ({ tables, circle }: Deciding, accountId: string): Level => {
  for (const child of implicitChildren)
    for (const row of tables[child]?.find('AccountId', accountId) ?? [])
      if (circle.owns(str(row, 'OwnerId'))) return 1
  return 0
}

/** The owner of an account has, on what belongs to it, the access that the owner's role says. */
const implicitChild = ({ tables, circle, userId }: Deciding, object: string, row: Row): Level => {
  const field = ownerRoleAccess[object]
  const account = tables.Account?.get(str(row, 'AccountId') ?? '')
  if (field === undefined || !account || !circle.owns(str(account, 'OwnerId'))) return 0
  const role = tables.UserRole?.get(str(tables.User?.get(userId), 'UserRoleId') ?? '')
  const given = str(role, field)
  return given === 'Edit' ? 2 : given === 'Read' ? 1 : 0
}

const activityLevel = (deciding: Deciding, row: Row, hops: number): Level => {
  if (deciding.circle.owns(str(row, 'OwnerId'))) return 3
  const about = highest(
    levelById(deciding, str(row, 'WhatId'), hops + 1),
    levelById(deciding, str(row, 'WhoId'), hops + 1),
  )
  return about >= 1 ? 1 : 0
}

const fileLevel = (deciding: Deciding, object: ObjectSchema, row: Row, hops: number): Level => {
  if (deciding.circle.owns(str(row, 'OwnerId'))) return 3
  const document = object.name === 'ContentDocument' ? String(row.Id) : str(row, 'ContentDocumentId')
  for (const link of deciding.tables.ContentDocumentLink?.find('ContentDocumentId', document ?? '') ?? [])
    if (levelById(deciding, str(link, 'LinkedEntityId'), hops + 1) >= 1) return 1
  return 0
}
