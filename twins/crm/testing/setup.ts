import type { Instance } from '@diorama/twin-kit/kernel/instance'
import type { TwinRequest } from '@diorama/twin-kit/kernel/twin'
import { seedFor, startInstance, testCompany } from '@diorama/twin-kit/testing/host'
import { crmTwin } from '../twin.ts'
import { customization, section } from './world.ts'

export const requestOf = (
  method: string,
  path: string,
  token: string,
  body?: unknown,
  headers: Record<string, string> = {},
): TwinRequest => {
  const at = path.indexOf('?')
  const where = at === -1 ? path : path.slice(0, at)
  return {
    method,
    path: where.startsWith('/services') ? where : `/services/data/v62.0${where}`,
    query: at === -1 ? '' : path.slice(at + 1),
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    body: body === undefined ? new Uint8Array() : Buffer.from(JSON.stringify(body)),
    baseUrl: 'http://twin.example',
  }
}

/** An organization in use: the section's records, and tasks, events, a queue, products, a campaign, visits beside them. */
export const busyOrganization = () => {
  const seed = seedFor(crmTwin(customization), section)
  const { instance, token, tokens } = startInstance(seed)
  const key = (name: string): string => seed.seed.keys.find((one) => one.key === name)?.id ?? ''
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape are looked into by the tests.
  const call = (method: string, path: string, body?: unknown): { status: number; body: any } =>
    callOn(instance, token, method, path, body)
  const create = (object: string, fields: unknown): string => {
    const made = call('POST', `/sobjects/${object}`, fields)
    if (made.status !== 201) throw new Error(`${object}: ${JSON.stringify(made.body)}`)
    return made.body.id
  }
  furnish(create, call, key)
  /** Calls a SOAP method, and returns the envelope of the answer. */
  const soap = (method: string): string => {
    const envelope = `<Envelope><Header><SessionHeader><sessionId>${token}</sessionId></SessionHeader></Header><Body>${method}</Body></Envelope>`
    const request = { ...requestOf('POST', '/services/Soap/u/62.0', token), body: Buffer.from(envelope) }
    return String(instance.handle(request, testCompany.clock).step.reply.body)
  }
  return { instance, token, tokens, key, call, create, soap }
}

export const callOn = (instance: Instance, token: string, method: string, path: string, body?: unknown) => {
  const { step, failure } = instance.handle(requestOf(method, path, token, body), testCompany.clock)
  if (failure !== undefined) throw failure
  const text = String(step.reply.body)
  return { status: step.reply.status, body: /^[[{]/.test(text) ? JSON.parse(text) : text, step }
}

const furnish = (
  create: (object: string, fields: unknown) => string,
  call: (method: string, path: string, body?: unknown) => unknown,
  key: (name: string) => string,
): void => {
  create('Task', {
    Subject: 'Call Jane',
    WhoId: key('jane'),
    WhatId: key('acme'),
    Status: 'Completed',
    ActivityDate: '2026-02-20',
  })
  create('Task', {
    Subject: 'Send quote',
    WhatId: key('borealis-pilot'),
    Priority: 'High',
    ActivityDate: '2026-03-05',
  })
  create('Event', {
    Subject: 'Site visit',
    WhatId: key('acme'),
    StartDateTime: '2026-02-27T13:00:00Z',
    DurationInMinutes: 90,
  })
  const queue = create('Group', { Name: 'Support Queue', DeveloperName: 'Support_Queue', Type: 'Queue' })
  create('QueueSobject', { QueueId: queue, SobjectType: 'Case' })
  call('PATCH', `/sobjects/Case/${key('login')}`, { OwnerId: queue })
  create('CaseComment', { ParentId: key('leak'), CommentBody: 'Technician booked', IsPublished: true })
  const product = create('Product2', { Name: 'Seal kit', ProductCode: 'SK-1', IsActive: true })
  const books = call('GET', '/query?q=SELECT+Id+FROM+Pricebook2') as { body: { records: { Id: string }[] } }
  const entry = create('PricebookEntry', {
    Pricebook2Id: books.body.records[0]?.Id,
    Product2Id: product,
    UnitPrice: 155,
    IsActive: true,
  })
  create('OpportunityLineItem', {
    OpportunityId: key('acme-retrofit'),
    PricebookEntryId: entry,
    Quantity: 100,
    UnitPrice: 155,
  })
  const campaign = create('Campaign', { Name: 'Spring fair', IsActive: true })
  create('CampaignMember', { CampaignId: campaign, ContactId: key('jane'), Status: 'Responded' })
  create('CampaignMember', { CampaignId: campaign, LeadId: key('lars') })
  create('OpportunityContactRole', {
    OpportunityId: key('acme-renewal'),
    ContactId: key('omar'),
    IsPrimary: true,
  })
  create('Visit__c', { Name: 'V1', Account__c: key('acme'), Topics__c: 'Price;Service', Outcome__c: 'Good' })
  create('Visit__c', { Name: 'V2', Account__c: key('acme'), Topics__c: 'Quality' })
  create('Visit__c', { Name: 'V3', Account__c: key('delta') })
  call('PATCH', `/sobjects/Account/${key('acme')}`, {
    Region__c: 'Midwest',
    Score__c: 4.5,
    BillingLatitude: 39.96,
    BillingLongitude: -83,
  })
}
