import { actorId } from '../../context.ts'
import { need } from '../../lists/lookup.ts'
import { inputError } from '../../refusals.ts'
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
  start: (call, input) => {
    needOne(input, ['issueId', 'projectId'], 'CustomerNeed')
    const external = input.customerExternalId
    const named =
      typeof external === 'string' ? call.tables.Customer.first('externalIds', external) : undefined
    return {
      priority: input.priority ?? 0,
      body: null,
      ...body(input),
      ...(named ? { customerId: named.id } : {}),
      creatorId: actorId(call),
    }
  },
}

const customers: Kind = {
  type: 'Customer',
  has: ['Create', 'Update', 'Delete'],
  start: (call, input, columns) => ({
    domains: plain(input.domains) ?? [],
    externalIds: plain(input.externalIds) ?? [],
    revenue: input.revenue ?? null,
    size: input.size ?? null,
    name: needText(input, 'name'),
    slugId: newSlugId(call),
    ownerId: columns.ownerId ?? actorId(call),
    statusId: columns.statusId ?? [...call.tables.CustomerStatus.all()][0]?.id,
  }),
}

const positioned = (type: 'CustomerStatus' | 'CustomerTier' | 'ProjectStatus', has: Kind['has']): Kind => ({
  type,
  has,
  start: (call, input) => ({
    description: input.description ?? null,
    ...(type === 'ProjectStatus' ? {} : named(input)),
    position: input.position ?? call.tables[type].size(),
    ...(type === 'ProjectStatus' ? { indefinite: input.indefinite ?? false } : {}),
  }),
})

/** Either name will do for both. */
const named = (input: Input) => {
  const displayName = input.displayName ?? needText(input, 'name')
  return { displayName, name: input.name ?? displayName }
}

/** Customers, what they ask for, and the lists of statuses and tiers that they stand in. */
export const customerOperations: Operations = {
  ...crud(customerNeeds),
  ...crud(customers),
  ...crud(positioned('CustomerStatus', ['Create', 'Update', 'Delete'])),
  ...crud(positioned('CustomerTier', ['Create', 'Update', 'Delete'])),
  ...crud(positioned('ProjectStatus', ['Create', 'Update', 'Archive', 'Unarchive'])),
  ...mutation('customerNeedCreateFromAttachment', (call, { input }) => {
    const attachment = need(call, 'Attachment', recordInput(input).attachmentId)
    const there = call.tables.CustomerNeed.first('attachmentId', attachment.id)
    const row =
      there ??
      addRecord(call, 'CustomerNeed', {
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
    call.tables.Customer.delete(source.id)
    const both = (column: string) => [
      ...new Set([target[column], source[column]].flatMap((list) => (Array.isArray(list) ? list : []))),
    ]
    const merged = { domains: both('domains'), externalIds: both('externalIds') }
    return payload(call, 'Customer', changeRecord(call, 'Customer', target, merged))
  }),
  ...mutation('customerUpsert', (call, { input }) => {
    const given = recordInput(input)
    const byId = typeof given.id === 'string' ? call.tables.Customer.get(given.id) : undefined
    const external = typeof given.externalId === 'string' ? given.externalId : undefined
    const known = byId ?? (external ? call.tables.Customer.first('externalIds', external) : undefined)
    const columns = readInput(call, 'Customer', 'CustomerUpsertInput', given)
    if (known) return payload(call, 'Customer', changeRecord(call, 'Customer', known, columns))
    const row = addRecord(
      call,
      'Customer',
      {
        domains: [],
        revenue: null,
        size: null,
        name: external ?? 'Customer',
        statusId: [...call.tables.CustomerStatus.all()][0]?.id,
        ownerId: actorId(call),
        ...columns,
        externalIds: external ? [external] : [],
        slugId: call.draw('slug').slice(0, 12),
      },
      given,
    )
    return payload(call, 'Customer', row)
  }),
}
