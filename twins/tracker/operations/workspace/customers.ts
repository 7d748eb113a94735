import type { Row } from '@diorama/twin-kit/kernel/table'
import { actorId, find, type TrackerCall } from '../../context.ts'
import { need } from '../../lists/lookup.ts'
import type { EntityRow } from '../../rows.ts'
import { checkCustomer } from '../../rules/customers.ts'
import { checkActsAsUser, checkExclusive, checkPast } from '../../rules/lengths.ts'
import { inputError, notFound } from '../../shapes/refusals.ts'
import { palette } from '../../standard.ts'
import { iso } from '../../values/times.ts'
import { crud, type Kind, mutation, type Operations } from '../crud.ts'
import {
  addRecord,
  changeRecord,
  type Input,
  needText,
  newSlugId,
  payload,
  plain,
  readInput,
  recordInput,
} from '../records.ts'
import { body, needOne } from './kinds.ts'

const customerNeeds: Kind = {
  type: 'CustomerNeed',
  has: ['Create', 'Update', 'Delete', 'Archive', 'Unarchive'],
  start: (call, input, columns) => {
    needOne(input, ['issueId', 'projectId'], 'CustomerNeed')
    checkExclusive(input, ['body', 'bodyData'])
    checkExclusive(input, ['customerId', 'customerExternalId'])
    checkActsAsUser(call, input)
    checkPast(input, 'createdAt', { value: columns.createdAt, now: call.now })
    return {
      priority: input.priority ?? 0,
      body: null,
      ...body(input),
      ...namedCustomer(call, input),
      ...placed(call, columns),
      creatorId: actorId(call),
    }
  },
  revise: (call, row, input, columns) => {
    checkExclusive(input, ['body', 'bodyData'])
    checkExclusive(input, ['customerId', 'customerExternalId'])
    if (input.applyPriorityToRelatedNeeds === true && typeof input.priority === 'number')
      for (const other of [...call.tables.CustomerNeed.find('customerId', String(row.customerId))])
        if (other.id !== row.id && other.issueId === row.issueId && other.projectId === row.projectId)
          changeRecord(call, 'CustomerNeed', other, { priority: input.priority })
    const moves = typeof columns.issueId === 'string' && columns.issueId !== row.issueId
    const attachment = moves ? find(call, 'Attachment', row.attachmentId) : undefined
    if (attachment)
      changeRecord(call, 'Attachment', attachment, {
        issueId: columns.issueId,
        originalIssueId: attachment.originalIssueId ?? attachment.issueId,
      })
    return {
      ...(input.body === null || input.bodyData === null ? { body: null } : body(input)),
      ...namedCustomer(call, input),
      ...placed(call, columns),
      ...(moves ? { originalIssueId: row.originalIssueId ?? row.issueId ?? null } : {}),
    }
  },
}

const namedCustomer = (call: TrackerCall, { customerExternalId }: Input): Row => {
  if (typeof customerExternalId !== 'string') return {}
  const customer = call.tables.Customer.first('externalIds', customerExternalId)
  if (!customer) throw notFound('Customer')
  return { customerId: customer.id }
}

/** A need on an issue is also one on the issue's project; a need on a project alone is on no issue. */
const placed = (call: TrackerCall, columns: Row): Row => {
  const issue = find(call, 'Issue', columns.issueId)
  if (issue) return { projectId: issue.projectId ?? null }
  return typeof columns.projectId === 'string' ? { issueId: null } : {}
}

const customers: Kind = {
  type: 'Customer',
  has: ['Create', 'Update', 'Delete'],
  start: (call, input, columns) => {
    checkCustomer(call, { input, columns })
    return {
      domains: plain(input.domains) ?? [],
      externalIds: plain(input.externalIds) ?? [],
      revenue: input.revenue ?? null,
      size: input.size ?? null,
      name: needText(input, 'name'),
      slugId: newSlugId(call),
      ownerId: columns.ownerId ?? actorId(call),
      statusId: columns.statusId ?? firstStatus(call),
    }
  },
  revise: (call, row, input, columns) => {
    const externalIds = Array.isArray(input.externalIds)
      ? [...new Set([...listOf(row.externalIds), ...listOf(input.externalIds)])]
      : listOf(row.externalIds)
    if (typeof input.name === 'string') needText(input, 'name')
    checkCustomer(call, { input: { ...input, externalIds }, columns, row })
    return { externalIds }
  },
}

const listOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : [])

/** The status that a new customer begins in: the first by position. */
const firstStatus = (call: TrackerCall): string | undefined =>
  [...call.tables.CustomerStatus.all()]
    .filter(({ archivedAt }) => archivedAt === null)
    .sort((a, b) => Number(a.position) - Number(b.position))[0]?.id

type Positioned = 'CustomerStatus' | 'CustomerTier' | 'ProjectStatus'

const positioned = (type: Positioned, has: Kind['has'], guard: NonNullable<Kind['guard']>): Kind => ({
  type,
  has,
  guard,
  start: (call, input) => {
    const names = type === 'ProjectStatus' ? {} : named(input)
    if (type === 'CustomerTier') checkTierName(call, String(named(input).name))
    return {
      description: input.description ?? null,
      ...names,
      position: freePosition(call, type, input.position),
      ...(type === 'ProjectStatus' ? { indefinite: input.indefinite ?? false } : {}),
    }
  },
  revise: (call, row, input) => {
    if (type === 'CustomerTier' && typeof input.name === 'string' && input.name !== row.name)
      checkTierName(call, input.name)
    return {}
  },
})

/** Positions differ: what is left out or taken comes at the end. */
const freePosition = (call: TrackerCall, type: Positioned, wanted: unknown): number => {
  const taken = [...call.tables[type].all()].map(({ position }) => Number(position))
  return typeof wanted === 'number' && !taken.includes(wanted) ? wanted : Math.max(-1, ...taken) + 1
}

const checkTierName = (call: TrackerCall, name: string): void => {
  const taken = [...call.tables.CustomerTier.all()].some(
    (row) => row.archivedAt === null && row.name === name,
  )
  if (taken) throw inputError('Duplicate tier name', `A customer tier named "${name}" already exists.`)
}

const refuseUse = (call: TrackerCall, column: 'statusId' | 'tierId', id: string): void => {
  const used = [...call.tables.Customer.find(column, id)].some(({ archivedAt }) => archivedAt === null)
  if (used)
    throw inputError(
      column === 'statusId' ? 'Customer status in use' : 'Customer tier in use',
      `It is in use by customers and cannot be deleted.`,
    )
}

const guardStatus: NonNullable<Kind['guard']> = (call, row, verb) => {
  if (verb !== 'Delete') return
  const others = [...call.tables.CustomerStatus.all()].filter(
    ({ id, archivedAt }) => id !== row.id && archivedAt === null,
  )
  if (others.length === 0)
    throw inputError('Last customer status', 'The last customer status of a workspace cannot be deleted.')
  refuseUse(call, 'statusId', row.id)
}
const guardTier: NonNullable<Kind['guard']> = (call, row, verb) => {
  if (verb === 'Delete') refuseUse(call, 'tierId', row.id)
}
const guardProjectStatus: NonNullable<Kind['guard']> = (call, row, verb) => {
  if (verb !== 'Archive') return
  const used = [...call.tables.Project.find('statusId', row.id)].some(({ archivedAt }) => archivedAt === null)
  if (used)
    throw inputError('Project status in use', 'A project status with active projects cannot be archived.')
  const alike = [...call.tables.ProjectStatus.all()].some(
    (other) => other.id !== row.id && other.type === row.type && other.archivedAt === null,
  )
  if (!alike)
    throw inputError('Last project status', 'The last project status of its type cannot be archived.')
}

/** Either name will do for both. */
const named = (input: Input) => {
  const displayName = input.displayName ?? needText(input, 'name')
  return { displayName, name: input.name ?? displayName }
}

/** Customers, what they ask for, and their statuses and tiers. */
export const customerOperations: Operations = {
  ...crud(customerNeeds),
  ...crud(customers),
  ...crud(positioned('CustomerStatus', ['Create', 'Update', 'Delete'], guardStatus)),
  ...crud(positioned('CustomerTier', ['Create', 'Update', 'Delete'], guardTier)),
  ...crud(positioned('ProjectStatus', ['Create', 'Update', 'Archive', 'Unarchive'], guardProjectStatus)),
  ...mutation('customerNeedCreateFromAttachment', (call, { input }) => {
    const attachment = need(call, 'Attachment', recordInput(input).attachmentId)
    const there = call.tables.CustomerNeed.first('attachmentId', attachment.id)
    const row = there
      ? changeRecord(call, 'CustomerNeed', there, { archivedAt: null })
      : addRecord(call, 'CustomerNeed', {
          attachmentId: attachment.id,
          issueId: attachment.issueId,
          priority: 0,
          body: attachment.title,
          creatorId: actorId(call),
        })
    return payload(call, 'CustomerNeed', row)
  }),
  ...mutation('customerMerge', (call, { sourceCustomerId, targetCustomerId }) => {
    const source = need(call, 'Customer', sourceCustomerId)
    const target = need(call, 'Customer', targetCustomerId)
    if (source.id === target.id) throw inputError('Same customer', 'A customer cannot be merged into itself.')
    for (const one of [...call.tables.CustomerNeed.find('customerId', source.id)])
      changeRecord(call, 'CustomerNeed', one, { customerId: target.id })
    changeRecord(call, 'Customer', source, { archivedAt: iso(call.now), domains: [], externalIds: [] })
    const both = (column: string) => [
      ...new Set([target[column], source[column]].flatMap((list) => (Array.isArray(list) ? list : []))),
    ]
    const merged = { domains: both('domains'), externalIds: both('externalIds') }
    return payload(call, 'Customer', changeRecord(call, 'Customer', target, merged))
  }),
  ...mutation('customerUpsert', (call, { input }) => {
    const given = recordInput(input)
    checkExclusive(given, ['tierId', 'tierName'])
    const known = matchingCustomer(call, given)
    const columns = {
      ...readInput(call, 'Customer', 'CustomerUpsertInput', given),
      ...namedTier(call, given),
    }
    const external = typeof given.externalId === 'string' ? [given.externalId] : []
    const externalIds = [...new Set([...listOf(known?.externalIds), ...external])]
    if (known) {
      checkCustomer(call, { input: { ...given, externalIds }, columns, row: known })
      return payload(call, 'Customer', changeRecord(call, 'Customer', known, { ...columns, externalIds }))
    }
    checkCustomer(call, { input: { ...given, externalIds }, columns })
    const row = addRecord(
      call,
      'Customer',
      {
        domains: [],
        revenue: null,
        size: null,
        statusId: firstStatus(call),
        ownerId: actorId(call),
        ...columns,
        name: needText(given, 'name'),
        externalIds,
        slugId: newSlugId(call),
      },
      given,
    )
    return payload(call, 'Customer', row)
  }),
}

/** The customer that an upsert is about, by whatever it has that no other customer has. */
const matchingCustomer = (call: TrackerCall, given: Input): EntityRow | undefined => {
  const live = [...call.tables.Customer.all()].filter(({ archivedAt }) => archivedAt === null)
  const domains = listOf(given.domains)
  const by = (property: string, matches: (row: EntityRow, value: string) => boolean) => {
    const value = given[property]
    return typeof value === 'string' ? live.find((row) => matches(row, value)) : undefined
  }
  return (
    by('id', (row, value) => row.id === value) ??
    by('externalId', (row, value) => listOf(row.externalIds).includes(value)) ??
    by('slackChannelId', (row, value) => row.slackChannelId === value) ??
    live.find((row) => listOf(row.domains).some((domain) => domains.includes(domain)))
  )
}

/** A tier that is named is made if there is none of the name. */
const namedTier = (call: TrackerCall, { tierName }: Input): Row => {
  if (typeof tierName !== 'string') return {}
  const known = [...call.tables.CustomerTier.all()].find(
    (row) => row.name === tierName && row.archivedAt === null,
  )
  const tier =
    known ??
    addRecord(call, 'CustomerTier', {
      name: tierName,
      displayName: tierName,
      description: null,
      color: palette[call.tables.CustomerTier.size() % palette.length],
      position: freePosition(call, 'CustomerTier', undefined),
    })
  return { tierId: tier.id }
}
