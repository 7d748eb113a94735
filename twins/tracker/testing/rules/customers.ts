import assert from 'node:assert/strict'
import { type Cases, call, create, quiet, refused, type World } from './case.ts'

const customer = (world: World, input: object = {}) =>
  create(world, 'customerCreate', { name: 'Acme', ...input })

export const customerCases: Cases = {
  'customer.status-delete': (world) => {
    const nodes = world.data('{ customerStatuses { nodes { id position } } }').customerStatuses.nodes
    const id = customer(world)
    const first = nodes.sort((a: { position: number }, b: { position: number }) => a.position - b.position)[0]
      .id
    assert.equal(world.data(`{ customer(id: "${id}") { status { id } } }`).customer.status.id, first)
    refused(world, 'customerStatusDelete', { id: first })
    call(world, 'customerDelete', { id })
    for (const { id: other } of nodes.slice(1)) call(world, 'customerStatusDelete', { id: other })
    refused(world, 'customerStatusDelete', { id: first })
  },
  'customer.tiers': (world) => {
    const tierId = create(world, 'customerTierCreate', { name: 'Gold', color: '#ff0000' })
    refused(world, 'customerTierCreate', { input: { name: 'Gold', color: '#ff0000' } })
    refused(world, 'customerTierCreate', { input: { color: '#ff0000' } })
    const id = customer(world, { tierId })
    refused(world, 'customerTierDelete', { id: tierId })
    call(world, 'customerDelete', { id })
    call(world, 'customerTierDelete', { id: tierId })
  },
  'customer.positions': (world) => {
    const at = (input: object) =>
      (
        call(
          world,
          'customerTierCreate',
          { input: { color: '#ff0000', ...input } },
          { select: 'tier { position displayName }' },
        ) as {
          tier: object
        }
      ).tier
    assert.deepEqual(at({ name: 'A', position: 3 }), { position: 3, displayName: 'A' })
    assert.deepEqual(at({ name: 'B', position: 3 }), { position: 4, displayName: 'B' })
    assert.deepEqual(at({ displayName: 'C' }), { position: 5, displayName: 'C' })
  },
  'customer.unique': (world) => {
    customer(world, { domains: ['acme.com'], externalIds: ['crm-1'], slackChannelId: 'C1' })
    for (const input of [{ domains: ['acme.com'] }, { externalIds: ['crm-1'] }, { slackChannelId: 'C1' }])
      refused(world, 'customerCreate', { input: { name: 'Other', ...input } })
  },
  'customer.domains': (world) => {
    refused(world, 'customerCreate', { input: { name: 'Other', domains: ['gmail.com'] } })
  },
  'customer.main-source': (world) => {
    refused(world, 'customerCreate', { input: { name: 'Other', externalIds: ['a'], mainSourceId: 'b' } })
    const id = customer(world, { externalIds: ['a'], mainSourceId: 'a' })
    call(world, 'customerUpdate', { id, input: { externalIds: ['b'] } })
    assert.deepEqual(world.data(`{ customer(id: "${id}") { externalIds } }`).customer.externalIds, ['a', 'b'])
  },
  'customer.upsert': (world) => {
    const id = customer(world, { domains: ['acme.com'], externalIds: ['crm-1'] })
    const upsert = (input: object) =>
      (
        call(world, 'customerUpsert', { input }, { select: 'customer { id tier { name } }' }) as {
          customer: { id: string; tier: unknown }
        }
      ).customer
    assert.equal(upsert({ domains: ['acme.com'], revenue: 5 }).id, id)
    assert.deepEqual(upsert({ externalId: 'crm-1', tierName: 'Gold' }), { id, tier: { name: 'Gold' } })
    refused(world, 'customerUpsert', { input: { externalId: 'crm-9' } })
    refused(world, 'customerUpsert', { input: { externalId: 'crm-1', tierName: 'Gold', tierId: quiet } })
    assert.notEqual(upsert({ externalId: 'crm-9', name: 'New' }).id, id)
  },
  'customer.merge': (world) => {
    const source = customer(world, { domains: ['a.com'], externalIds: ['1'] })
    const target = create(world, 'customerCreate', { name: 'Target', domains: ['b.com'] })
    create(world, 'customerNeedCreate', { customerId: source, issueId: 'ENG-1' })
    world.data(
      `mutation { customerMerge(sourceCustomerId: "${source}", targetCustomerId: "${target}") { success } }`,
    )
    const read = (id: string) =>
      world.data(`{ customer(id: "${id}") { archivedAt domains externalIds needs { id } } }`).customer
    assert.equal(typeof read(source).archivedAt, 'string')
    assert.deepEqual(read(target).domains.sort(), ['a.com', 'b.com'])
    assert.equal(read(target).needs.length, 1)
  },
  'need.place': (world) => {
    const customerId = customer(world, { externalIds: ['crm-1'] })
    refused(world, 'customerNeedCreate', { input: { customerId } })
    refused(world, 'customerNeedCreate', {
      input: { customerId, customerExternalId: 'crm-1', issueId: 'ENG-1' },
    })
    refused(world, 'customerNeedCreate', { input: { customerId, issueId: 'ENG-1', body: 'x', bodyData: {} } })
    refused(world, 'customerNeedCreate', {
      input: { customerId, issueId: 'ENG-1', createdAt: '2031-01-01T00:00:00Z' },
    })
    refused(world, 'customerNeedCreate', { input: { customerExternalId: 'nobody', issueId: 'ENG-1' } })
    const id = create(world, 'customerNeedCreate', { customerExternalId: 'crm-1', issueId: 'ENG-1' })
    const need = world.data(`{ customerNeed(id: "${id}") { customer { id } project { id } } }`).customerNeed
    assert.deepEqual(need, { customer: { id: customerId }, project: { id: quiet } })
  },
  'need.moves': (world) => {
    const customerId = customer(world)
    const attachmentId = create(world, 'attachmentCreate', {
      issueId: 'ENG-1',
      title: 'Call',
      url: 'https://example.com/call',
    })
    const made = call(
      world,
      'customerNeedCreateFromAttachment',
      { input: { attachmentId } },
      { select: 'need { id }' },
    )
    const { id } = (made as { need: { id: string } }).need
    call(world, 'customerNeedUpdate', { id, input: { customerId, issueId: 'OPS-1' } })
    const { customerNeed } = world.data(
      `{ customerNeed(id: "${id}") { originalIssue { identifier } project { id } attachment { issue { identifier } } } }`,
    )
    assert.deepEqual(customerNeed, {
      originalIssue: { identifier: 'ENG-1' },
      project: null,
      attachment: { issue: { identifier: 'OPS-1' } },
    })
  },
  'need.from-attachment': (world) => {
    const attachmentId = create(world, 'attachmentCreate', {
      issueId: 'ENG-1',
      title: 'Call',
      url: 'https://example.com/call',
    })
    const make = () =>
      (
        call(
          world,
          'customerNeedCreateFromAttachment',
          { input: { attachmentId } },
          { select: 'need { id archivedAt }' },
        ) as {
          need: { id: string; archivedAt: string | null }
        }
      ).need
    const first = make()
    call(world, 'customerNeedArchive', { id: first.id })
    assert.deepEqual(make(), { id: first.id, archivedAt: null })
  },
  'need.related-priority': (world) => {
    const customerId = customer(world)
    const [a, b] = [1, 2].map(() => create(world, 'customerNeedCreate', { customerId, issueId: 'ENG-1' }))
    call(world, 'customerNeedUpdate', { id: a, input: { priority: 1, applyPriorityToRelatedNeeds: true } })
    assert.equal(world.data(`{ customerNeed(id: "${b}") { priority } }`).customerNeed.priority, 1)
  },
}
