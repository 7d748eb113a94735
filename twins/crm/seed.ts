import type { Row } from '@diorama/twin-kit/kernel/table'
import type { Company, Seeding } from '@diorama/twin-kit/kernel/twin'
import { seedApprovals } from './approvals/seeding.ts'
import { nativeSecond } from './dates.ts'
import { base62, firstSeeded, makeId, podOf } from './ids.ts'
import { deriveOpportunity, stageNamed } from './records/rules/sales/opportunity.ts'
import type { Draft } from './records/writing.ts'
import type { OrganizationSchemas } from './schema/organization-schemas.ts'
import type { CrmSection } from './section.ts'
import { customizationOf, seedCustomRecords } from './seed/custom.ts'
import {
  dayMs,
  type SeedContext,
  seedOrganization,
  seedRow,
  seedUsers,
  seedValues,
} from './seed/organization.ts'
import { seedSecurity } from './seed/security.ts'
import {
  accountTypes,
  caseOrigins,
  casePriorities,
  caseStatuses,
  leadSources,
  leadStatuses,
  opportunityStages,
  opportunityTypes,
  stages,
} from './seed/spellings.ts'
import { customizationTable, escalationTable } from './tables.ts'

/** Writes the organization, its people and the section's records. */
export const seed =
  ({ schemaFor, added }: OrganizationSchemas) =>
  (section: CrmSection, company: Company, seeding: Seeding): void => {
    const { customization } = section
    const row =
      customization &&
      seeding.insert(customizationTable, { key: 'customization', ...customizationOf(customization) })
    const schema = schemaFor(row)
    const organizationId = makeId('00D', podFrom(seeding.digest('pod')), firstSeeded)
    const pod = podOf(organizationId)
    const keyed = new Map<string, string>()
    const context: SeedContext = {
      schema,
      // What other parts of the blueprint name by key is remembered here as well.
      seeding: {
        ...seeding,
        key: (collection, key, id) => {
          keyed.set(`record ${key}`, id)
          seeding.key(collection, key, id)
        },
      },
      company,
      pod,
      counters: new Map(),
      users: new Map(),
      keyed,
      integrationId: makeId('005', pod, firstSeeded),
    }
    seedOrganization(context, organizationId, section.security)
    seedUsers(context, section.security)
    if (section.security) seedSecurity(context, section.security)
    seedValues(context)
    const accounts = seedAccounts(context, section)
    const contacts = seedContacts(context, section, accounts)
    seedLeads(context, section)
    seedOpportunities(context, section, accounts)
    seedCases(context, section, accounts, contacts)
    seedEscalation(context, section)
    if (customization) seedCustomRecords(context, customization)
    if (customization?.approvalProcesses) seedApprovals(context, customization.approvalProcesses)
    for (const [object, rows] of Object.entries(added.records ?? {}))
      for (const row of rows)
        seedRow(context, object, { OwnerId: context.integrationId, ...row }, company.clock - 30 * dayMs)
  }

const podFrom = (digest: string): string =>
  `${base62(10 + (Number.parseInt(digest.slice(0, 6), 16) % 52), 1)}${base62(36 + (Number.parseInt(digest.slice(6, 12), 16) % 26), 1)}0`

const ownerOf = (context: SeedContext, handle: string | null, pointer: string): string => {
  const id = handle === null ? context.integrationId : context.users.get(handle)
  if (id === undefined)
    context.seeding.warn(pointer, `no person has the handle ${handle}; the integration user owns it`)
  return id ?? context.integrationId
}

/** The default moment of the nth record: so many days before the clock, an hour apart. */
const staggered = (context: SeedContext, days: number, nth: number): number =>
  context.company.clock - days * dayMs + nth * 3_600_000

const momentOf = (written: string | null, otherwise: number): number =>
  written === null ? otherwise : Date.parse(written)

type SeededRows = Map<string, Row>

const seedAccounts = (context: SeedContext, section: CrmSection): SeededRows => {
  const seeded: SeededRows = new Map()
  for (const [nth, account] of section.accounts.entries()) {
    const owner = ownerOf(context, account.owner, `/accounts/${nth}/owner`)
    const row = seedRow(
      context,
      'Account',
      {
        Name: account.name,
        Type: accountTypes[account.accountType],
        Industry: account.industry,
        Description: account.description,
        AnnualRevenue: account.annualRevenue,
        BillingCity: account.billingCity,
        BillingState: account.billingState,
        NumberOfEmployees: account.numberOfEmployees,
        Phone: account.phone,
        Website: account.website,
        OwnerId: owner,
        CreatedById: owner,
        CleanStatus: 'Pending',
      },
      staggered(context, 180, nth),
    )
    seeded.set(account.key, row)
    context.seeding.key('Account', account.key, String(row.Id))
  }
  return seeded
}

const seedContacts = (context: SeedContext, section: CrmSection, accounts: SeededRows): SeededRows => {
  const seeded: SeededRows = new Map()
  for (const [nth, contact] of section.contacts.entries()) {
    const owner = ownerOf(context, contact.owner, `/contacts/${nth}/owner`)
    const row = seedRow(
      context,
      'Contact',
      {
        FirstName: contact.firstName || null,
        LastName: contact.lastName,
        Name: [contact.firstName, contact.lastName].filter(Boolean).join(' '),
        Email: contact.email,
        Title: contact.title || null,
        Phone: contact.phone,
        AccountId: accounts.get(contact.account)?.Id,
        OwnerId: owner,
        CreatedById: owner,
        CleanStatus: 'Pending',
      },
      staggered(context, 150, nth),
    )
    seeded.set(contact.key, row)
    context.seeding.key('Contact', contact.key, String(row.Id))
  }
  return seeded
}

const seedLeads = (context: SeedContext, section: CrmSection): void => {
  for (const [nth, lead] of section.leads.entries()) {
    const owner = ownerOf(context, lead.owner, `/leads/${nth}/owner`)
    const converted = lead.status === 'closed_converted'
    const at = staggered(context, 14, nth)
    const row = seedRow(
      context,
      'Lead',
      {
        FirstName: lead.firstName || null,
        LastName: lead.lastName,
        Name: [lead.firstName, lead.lastName].filter(Boolean).join(' '),
        Company: lead.company,
        Email: lead.email,
        LeadSource: leadSources[lead.leadSource],
        Status: leadStatuses[lead.status],
        IsConverted: converted,
        IsUnreadByOwner: lead.status === 'open_not_contacted',
        OwnerId: owner,
        CreatedById: owner,
        ...(converted ? conversionOf(context, section, lead, at) : {}),
      },
      at,
    )
    context.seeding.key('Lead', lead.key, String(row.Id))
  }
}

/** Where a converted lead went, as far as the section has a company or person of that name. */
const conversionOf = (
  context: SeedContext,
  section: CrmSection,
  lead: CrmSection['leads'][number],
  at: number,
): Draft => {
  const account = section.accounts.findIndex(({ name }) => name.toLowerCase() === lead.company.toLowerCase())
  const contact = section.contacts.findIndex(({ email }) => email.toLowerCase() === lead.email.toLowerCase())
  return {
    ConvertedDate: nativeSecond(at).slice(0, 10),
    ConvertedAccountId: account === -1 ? null : makeId('001', context.pod, firstSeeded + account + 1),
    ConvertedContactId: contact === -1 ? null : makeId('003', context.pod, firstSeeded + contact + 1),
  }
}

const seedEscalation = (context: SeedContext, { escalation = [] }: CrmSection): void => {
  for (const [nth, { priority, ageOverMinutes, assignTo }] of escalation.entries())
    context.seeding.insert(escalationTable, {
      key: String(nth),
      ageOverMinutes,
      ...(priority === null ? {} : { priority: casePriorities[priority] }),
      ...(assignTo === null ? {} : { userId: ownerOf(context, assignTo, `/escalation/${nth}/assignTo`) }),
    })
}

const seedOpportunities = (context: SeedContext, section: CrmSection, accounts: SeededRows): void => {
  for (const [nth, deal] of section.opportunities.entries()) {
    const owner = ownerOf(context, deal.owner, `/opportunities/${nth}/owner`)
    const at = momentOf(deal.createdAt, staggered(context, 21, nth))
    const draft: Draft = {
      Name: deal.name,
      AccountId: accounts.get(deal.account)?.Id,
      Amount: deal.amount,
      CloseDate: deal.closeDate,
      Type: opportunityTypes[deal.opportunityType],
      StageName: opportunityStages[deal.stage],
      OwnerId: owner,
      CreatedById: owner,
      ...(deal.probability === null ? {} : { Probability: deal.probability }),
    }
    const stage = stageNamed(stages as readonly Row[], opportunityStages[deal.stage])
    deriveOpportunity(draft, stage, draft, true)
    const row = seedRow(context, 'Opportunity', draft, at)
    context.seeding.key('Opportunity', deal.key, String(row.Id))
    seedRow(context, 'OpportunityHistory', { ...draft, OpportunityId: row.Id }, at)
    seedRow(
      context,
      'OpportunityFieldHistory',
      { OpportunityId: row.Id, Field: 'created', CreatedById: owner },
      at,
    )
  }
}

const seedCases = (
  context: SeedContext,
  section: CrmSection,
  accounts: SeededRows,
  contacts: SeededRows,
): void => {
  const { clock } = context.company
  for (const [nth, item] of section.cases.entries()) {
    const owner = ownerOf(context, item.owner, `/cases/${nth}/owner`)
    const at = momentOf(item.createdAt, staggered(context, 4, nth))
    const closed = item.status === 'closed'
    const changed = closed ? Math.max(at, Math.floor((at + clock) / 2)) : at
    const row = seedRow(
      context,
      'Case',
      {
        CaseNumber: String(1_001 + nth).padStart(8, '0'),
        Subject: item.subject,
        Status: caseStatuses[item.status],
        Priority: casePriorities[item.priority],
        Origin: caseOrigins[item.origin],
        AccountId: accounts.get(item.account)?.Id,
        ContactId: item.contact === null ? null : contacts.get(item.contact)?.Id,
        IsClosed: closed,
        ClosedDate: closed ? nativeSecond(changed) : null,
        OwnerId: owner,
        CreatedById: owner,
      },
      at,
      changed,
    )
    context.seeding.key('Case', item.key, String(row.Id))
    const history = { CaseId: row.Id, CreatedById: owner }
    seedRow(context, 'CaseHistory', { ...history, Field: 'created' }, at)
    if (closed)
      seedRow(
        context,
        'CaseHistory',
        { ...history, Field: 'Status', OldValue: 'New', NewValue: 'Closed' },
        changed,
      )
  }
}
