import { serveTwin } from '@diorama/twin-kit/testing/host'
import type { Customization } from '../schema/customization.ts'
import type { CrmSection } from '../section.ts'
import { crm, crmTwin } from '../twin.ts'

const account = (
  key: string,
  name: string,
  accountType: CrmSection['accounts'][number]['accountType'],
  industry: string,
  more: Partial<CrmSection['accounts'][number]> = {},
): CrmSection['accounts'][number] => ({
  key,
  name,
  accountType,
  industry,
  description: `${name} of ${industry}`,
  annualRevenue: null,
  billingCity: null,
  billingState: null,
  numberOfEmployees: null,
  owner: null,
  phone: null,
  website: null,
  ...more,
})

const deal = (
  key: string,
  accountKey: string,
  name: string,
  amount: number,
  closeDate: string,
  stage: CrmSection['opportunities'][number]['stage'],
  owner: string | null = null,
): CrmSection['opportunities'][number] => ({
  key,
  account: accountKey,
  name,
  amount,
  closeDate,
  opportunityType: 'new_customer',
  stage,
  createdAt: null,
  owner,
  probability: null,
})

export const emptySection: CrmSection = {
  accounts: [],
  contacts: [],
  opportunities: [],
  cases: [],
  leads: [],
}

/** The company of the crm tests: four customers, their people, deals and troubles. */
export const section: CrmSection = {
  accounts: [
    account('acme', 'Acme Foods', 'customer_direct', 'Food & Beverage', {
      annualRevenue: 12_000_000,
      billingCity: 'Columbus',
      billingState: 'OH',
      numberOfEmployees: 240,
      owner: 'lucia',
      phone: '(614) 555-0100',
      website: 'https://acme.example',
    }),
    account('borealis', 'Borealis Energy', 'prospect', 'Energy', { numberOfEmployees: 1_200 }),
    account('cobalt', "Cobalt & O'Brien", 'channel_partner', 'Technology', { owner: 'mira' }),
    account('delta', 'Delta Clinics', 'customer_channel', 'Healthcare', { annualRevenue: 3_400_000 }),
  ],
  contacts: [
    contact('jane', 'acme', 'Jane', 'Whitfield', 'jane@acme.example', 'Plant Manager', '(614) 555-0101'),
    contact('omar', 'acme', 'Omar', 'Haddad', 'omar@acme.example', 'Buyer', null),
    contact('ines', 'borealis', 'Inês', 'Costa', 'ines@borealis.example', 'CFO', null),
    contact('tom', 'delta', 'Tom', 'Lee', 'tom@delta.example', 'IT Lead', null),
  ],
  opportunities: [
    deal('acme-renewal', 'acme', 'Acme Pump Renewal', 48_000, '2026-03-31', 'negotiation_review', 'lucia'),
    deal('acme-retrofit', 'acme', 'Acme Retrofit', 15_500, '2026-06-15', 'prospecting'),
    deal(
      'borealis-pilot',
      'borealis',
      'Borealis Pilot',
      120_000,
      '2026-05-01',
      'proposal_price_quote',
      'lucia',
    ),
    deal('cobalt-won', 'cobalt', 'Cobalt Framework', 9_000, '2026-01-20', 'closed_won', 'mira'),
    deal('delta-lost', 'delta', 'Delta Trial', 7_500, '2025-12-10', 'closed_lost'),
  ],
  cases: [
    incident('leak', 'acme', 'Pump leaking on line 3', 'high', 'new', 'jane'),
    incident('invoice', 'acme', 'Invoice shows wrong PO', 'low', 'closed', 'omar'),
    incident('login', 'delta', 'Cannot log in to portal', 'critical', 'escalated', null),
  ],
  leads: [
    lead('priya', 'Priya', 'Nair', 'Eastgate Hotels', 'priya@eastgate.example', 'open_not_contacted'),
    lead('lars', 'Lars', 'Holm', 'Fjord Logistics', 'lars@fjord.example', 'working_contacted'),
  ],
}

function contact(
  key: string,
  accountKey: string,
  firstName: string,
  lastName: string,
  email: string,
  title: string,
  phone: string | null,
): CrmSection['contacts'][number] {
  return { key, account: accountKey, firstName, lastName, email, title, phone, owner: null }
}

function incident(
  key: string,
  accountKey: string,
  subject: string,
  priority: CrmSection['cases'][number]['priority'],
  status: CrmSection['cases'][number]['status'],
  who: string | null,
): CrmSection['cases'][number] {
  return {
    key,
    account: accountKey,
    subject,
    origin: 'email',
    priority,
    status,
    contact: who,
    createdAt: null,
    owner: null,
  }
}

function lead(
  key: string,
  firstName: string,
  lastName: string,
  company: string,
  email: string,
  status: CrmSection['leads'][number]['status'],
): CrmSection['leads'][number] {
  return { key, firstName, lastName, company, email, leadSource: 'web', status, owner: null }
}

/** Custom objects as a deployment would declare them. */
export const customization: Customization = {
  objects: [
    {
      name: 'UpsertTable__c',
      label: 'Upsert Table',
      fields: [{ name: 'ExtId__c', type: 'string', externalId: true }],
    },
    {
      name: 'Visit__c',
      label: 'Visit',
      fields: [
        {
          name: 'Account__c',
          type: 'reference',
          referenceTo: 'Account',
          childRelationshipName: 'Visits',
          masterDetail: true,
          required: true,
        },
        { name: 'Topics__c', type: 'multipicklist', picklist: ['Price', 'Quality', 'Service'] },
        { name: 'Outcome__c', type: 'picklist', picklist: ['Good', 'Bad'], restricted: true },
        { name: 'Badge__c', type: 'string', unique: true },
        { name: 'Billable__c', type: 'boolean', defaultValue: 'false' },
      ],
    },
  ],
  fields: {
    Account: [
      { name: 'Region__c', type: 'string', length: 20 },
      { name: 'Score__c', type: 'double', scale: 1 },
    ],
  },
  validationRules: [
    {
      object: 'Opportunity',
      message: 'An amount cannot be negative.',
      field: 'Amount',
      refuseWhen: 'Amount < 0',
    },
  ],
}

export const serveCrm = () => serveTwin(crm, section)
/** Served as the service serves its twins: below a path. */
export const serveCrmBelow = (path: string) => serveTwin(crm, section, undefined, path)
export const serveCustomCrm = () => serveTwin(crmTwin(customization), section)

export type Served = Awaited<ReturnType<typeof serveCrm>>

/** Calls the REST API the plain way. */
export const rest = async (
  host: Pick<Served, 'baseUrl' | 'token'>,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
) => {
  const reply = await fetch(
    `${host.baseUrl}${path.startsWith('/services') ? path : `/services/data/v62.0${path}`}`,
    {
      method,
      headers: { authorization: `Bearer ${host.token}`, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    },
  )
  const text = await reply.text()
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape are looked into by the tests.
  const json: any = text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text
  return { status: reply.status, body: json, headers: reply.headers }
}

export const soql = async (host: Pick<Served, 'baseUrl' | 'token'>, query: string) =>
  rest(host, 'GET', `/query?q=${encodeURIComponent(query)}`)
