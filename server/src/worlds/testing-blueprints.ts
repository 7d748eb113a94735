import { sampleCompany } from './sample.ts'

/** Blueprints for tests: the sample company, whole or bent at one place. */

// biome-ignore lint/suspicious/noExplicitAny: tests bend a blueprint in ways that its types forbid.
export type Bent = any
export const sample = (): Bent => structuredClone(sampleCompany)

/** Ways to bend a blueprint at a place. */
const place = (blueprint: Bent, path: string) => {
  const fields = path.slice(1).split('/')
  const last = fields.pop() ?? ''
  return { holder: fields.reduce((value, field) => value[field], blueprint), last }
}
export const put = (path: string, value: unknown) => (blueprint: Bent) => {
  const { holder, last } = place(blueprint, path)
  holder[last] = value
}
export const drop = (path: string) => (blueprint: Bent) => {
  const { holder, last } = place(blueprint, path)
  delete holder[last]
}
export const cut = (path: string, length: number) => (blueprint: Bent) => {
  const { holder, last } = place(blueprint, path)
  holder[last].splice(length)
}
export const add = (path: string, value: unknown) => (blueprint: Bent) => {
  const { holder, last } = place(blueprint, path)
  holder[last].push(value)
}

/** The sample company with every field that may be left out, filled in. */
export const whole = (): Bent => {
  const blueprint = sample()
  const { chat, tracker, crm, erp } = blueprint.twins
  const owner = 'bram'
  for (const identity of blueprint.identities) {
    identity.emailLocalPart ??= identity.handle
    identity.isApiOwner ??= false
  }
  for (const channel of chat.channels)
    Object.assign(channel, {
      isArchived: false,
      isPrivate: false,
      createdBy: 'imogen.hale',
      createdAt: '2025-01-06T09:00:00Z',
      members: [],
      ...channel,
    })
  chat.messages.forEach((message: Bent, n: number) => {
    message.key ??= `message-${n}`
    message.replyTo ??= null
    message.reactions ??= []
  })
  for (const issue of tracker.issues)
    Object.assign(issue, {
      assignee: null,
      creator: 'tomas',
      labels: [],
      project: 'rill-421',
      updatedAt: '2026-03-01T10:00:00Z',
      comments: [],
      ...issue,
    })
  const account = {
    annualRevenue: 1,
    billingCity: 'Leeds',
    billingState: 'WI',
    numberOfEmployees: 5,
    owner,
    phone: '1',
    website: 'https://x.example',
  }
  for (const one of crm.accounts) Object.assign(one, { ...account, ...one })
  for (const one of crm.contacts) Object.assign(one, { owner, phone: '+44 1', ...one })
  for (const one of crm.opportunities)
    Object.assign(one, { createdAt: '2026-01-05T08:00:00Z', owner, probability: 42, ...one })
  for (const one of crm.cases)
    Object.assign(one, { contact: 'priya', createdAt: '2026-02-01T08:00:00Z', owner, ...one })
  for (const one of crm.leads) Object.assign(one, { owner, ...one })
  for (const one of erp.businessPartners)
    Object.assign(one, { createdAt: '2024-01-02T08:00:00Z', searchTerm: 'TERM', ...one })
  for (const one of erp.salesOrders)
    Object.assign(one, {
      createdAt: '2026-02-02T08:00:00Z',
      purchaseOrderByCustomer: 'PO-1',
      salesOrganization: '1710',
      ...one,
    })
  blueprint.scenario.suggestedTasks = ['Escalate the case.', 'Move the order.']
  blueprint.scenario.tasks[0].checks = [
    {
      key: 'case-escalated',
      description: 'The case is escalated.',
      service: 'crm',
      resource: 'Case',
      recordKey: 'calder-drift-case',
      operation: 'update',
      field: 'Status',
      operator: 'equals',
      expected: 'Escalated',
    },
  ]
  return blueprint
}
