import type { Row, TableView } from '@diorama/twin-kit/kernel/table'
import { sharingRuleTable } from '../../tables.ts'

type Tables = Readonly<Record<string, TableView>>

/** How far a user's access to one record goes. */
export type Level = 0 | 1 | 2 | 3
export const levels = { none: 0, read: 1, edit: 2, all: 3 } as const

const text = (row: Row | undefined, field: string): string | undefined => {
  const value = row?.[field]
  return typeof value === 'string' ? value : undefined
}

/** Roles and groups as sharing needs them: who is above whom, and who belongs to what. */
export interface Circle {
  /** Whether a record's owner is the user, or below the user in the hierarchy of roles, or a queue of the user. */
  readonly owns: (owner: string | undefined) => boolean
  /** The user, and every group and queue that the user belongs to. */
  readonly memberships: ReadonlySet<string>
  readonly inRole: (userId: string, roleId: string, below: boolean) => boolean
}

const maxDepth = 100

export const circleOf = (tables: Tables, userId: string): Circle => {
  const roleOf = (id: string): string | undefined => text(tables.User?.get(id), 'UserRoleId')
  const isBelow = (role: string | undefined, above: string | undefined): boolean => {
    let at = role
    for (let depth = 0; at !== undefined && above !== undefined && depth < maxDepth; depth++) {
      at = text(tables.UserRole?.get(at), 'ParentRoleId')
      if (at === above) return true
    }
    return false
  }
  const memberships = new Set([userId])
  for (const member of memberships)
    for (const row of tables.GroupMember?.find('UserOrGroupId', member) ?? [])
      memberships.add(String(row.GroupId))
  const ownRole = roleOf(userId)
  return {
    memberships,
    owns: (owner) => owner !== undefined && (memberships.has(owner) || isBelow(roleOf(owner), ownRole)),
    inRole: (user, role, below) => {
      const held = roleOf(user)
      return held === role || (below && isBelow(held, role))
    },
  }
}

const levelNamed = (name: unknown): Level =>
  name === 'All' ? 3 : name === 'Edit' ? 2 : name === 'Read' ? 1 : 0

/** What shares of one record, written by hand, give. */
export const sharedLevel = (
  tables: Tables,
  circle: Circle,
  { object, id }: { object: string; id: string },
): Level => {
  let level: Level = 0
  for (const row of tables[`${object}Share`]?.find(`${object}Id`, id) ?? [])
    if (circle.memberships.has(String(row.UserOrGroupId))) {
      const given = levelNamed(row[`${object}AccessLevel`])
      if (given > level) level = given
    }
  const team = object === 'Account' || object === 'Opportunity' ? tables[`${object}TeamMember`] : undefined
  for (const row of team?.find(`${object}Id`, id) ?? [])
    if (circle.memberships.has(String(row.UserId))) {
      const given = levelNamed(row[`${object}AccessLevel`])
      if (given > level) level = given
    }
  return level
}

/** What the organization's sharing rules give for a record of an owner. */
export const ruleLevel = (
  tables: Tables,
  circle: Circle,
  { object, owner, userId }: { object: string; owner: string | undefined; userId: string },
): Level => {
  let level: Level = 0
  if (owner === undefined) return level
  for (const rule of tables[sharingRuleTable]?.find('object', object) ?? []) {
    const from = matches(circle, { kind: rule.fromKind, id: rule.fromId, user: owner })
    const to = matches(circle, { kind: rule.toKind, id: rule.toId, user: userId })
    const given: Level = rule.access === 'edit' ? 2 : 1
    if (from && to && given > level) level = given
  }
  return level
}

const matches = (
  circle: Circle,
  { kind, id, user }: { kind: unknown; id: unknown; user: string },
): boolean => {
  if (kind === 'group') return circle.memberships.has(String(id))
  return circle.inRole(user, String(id), kind === 'role_and_subordinates')
}
