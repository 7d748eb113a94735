import type { Row } from '@diorama/twin-kit/kernel/table'
import { type Operation, operation, VendorError } from '@diorama/twin-kit/kernel/twin'
import { readId } from '../ids.ts'
import { noRights, refuse } from '../records/refusals.ts'
import { deleteRecord } from '../records/remove.ts'
import { changeRecord, existing, insertRecord, objectNamed, updateRecord } from '../records/save.ts'
import { type Draft, str, type Writing, writingOf } from '../records/writing.ts'
import type { SchemaIn } from '../schema/schema.ts'
import { type CrmTables, isIndexed } from '../tables.ts'

export interface LeadConvert {
  readonly leadId: string
  readonly convertedStatus: string
  readonly accountId?: string
  readonly contactId?: string
  readonly ownerId?: string
  readonly opportunityId?: string
  readonly opportunityName?: string
  readonly doNotCreateOpportunity: boolean
  readonly overwriteLeadSource: boolean
}
export interface Converted {
  readonly leadId: string
  readonly accountId: string
  readonly contactId: string
  readonly opportunityId: string | undefined
}
export interface Merge {
  readonly object: string
  readonly masterId: string
  readonly fields: Draft
  readonly mergedIds: readonly string[]
}

export const leadOperations = (schemaIn: SchemaIn): Readonly<Record<string, Operation>> => ({
  convertLead: operation<CrmTables, LeadConvert, Converted>({
    effect: 'write',
    run: (call, input) => convert(writingOf(schemaIn(call.tables), call, { allowDuplicates: true }), input),
  }),
  merge: operation<CrmTables, Merge, { mergedIds: string[]; movedIds: string[] }>({
    effect: 'write',
    run: (call, input) => merge(writingOf(schemaIn(call.tables), call), input),
  }),
})

/** Converts a lead into an account, a contact and, by default, an opportunity. The lead is read-only afterwards. */
const convert = (writing: Writing, input: LeadConvert): Converted => {
  const leads = objectNamed(writing, 'Lead')
  const lead = existing(writing, leads, input.leadId)
  if (lead.IsConverted === true)
    throw refuse('CANNOT_UPDATE_CONVERTED_LEAD', 'cannot convert a lead that is already converted', [])
  checkStatus(writing, input.convertedStatus)
  for (const made of ['Account', 'Contact']) if (!objectNamed(writing, made).createable) throw noRights()
  if (!writing.own.access.canEdit(leads, lead)) throw noRights()
  const ownerId = ownerFor(writing, lead, input)
  if (input.contactId && !input.accountId)
    throw refuse('REQUIRED_FIELD_MISSING', 'accountId is required when contactId is specified', ['accountId'])
  const accountId = accountFor(writing, lead, input, ownerId)
  const contactId = contactFor(writing, lead, input, accountId, ownerId)
  const opportunityId = opportunityFor(writing, lead, input, { accountId, contactId, ownerId })
  for (const object of ['Task', 'Event']) {
    const table = writing.table(object)
    for (const activity of [...table.find('WhoId', String(lead.Id))])
      table.update(String(activity.Id), {
        WhoId: contactId,
        AccountId: accountId,
        ...(opportunityId && activity.WhatId === undefined ? { WhatId: opportunityId } : {}),
      })
  }
  changeRecord(writing, leads, lead, {
    Status: input.convertedStatus,
    IsConverted: true,
    IsUnreadByOwner: false,
    ConvertedDate: writing.stamp.slice(0, 10),
    ConvertedAccountId: accountId,
    ConvertedContactId: contactId,
    ...(opportunityId ? { ConvertedOpportunityId: opportunityId } : {}),
  })
  return { leadId: String(lead.Id), accountId, contactId, opportunityId }
}

/** Accounts, contacts and opportunities belong to people, so a lead of a queue needs an owner with its conversion. */
const ownerFor = (writing: Writing, lead: Row, input: LeadConvert): string => {
  const owner = readId(input.ownerId ?? str(lead, 'OwnerId') ?? writing.userId) ?? ''
  const user = writing.table('User').get(owner)
  if (!user && input.ownerId === undefined)
    throw refuse('REQUIRED_FIELD_MISSING', 'ownerId is required: the lead is owned by a queue', ['ownerId'])
  if (!user) throw refuse('INVALID_CROSS_REFERENCE_KEY', 'invalid cross reference id', ['ownerId'])
  if (user.IsActive === false)
    throw refuse('INACTIVE_OWNER_OR_USER', `operation performed with inactive user [${owner}] as owner`, [])
  return owner
}

const checkStatus = (writing: Writing, status: string): void => {
  for (const row of writing.table('LeadStatus').all())
    if (row.ApiName === status && row.IsConverted === true) return
  throw refuse('INVALID_STATUS', `invalid convertedStatus: ${status}`, ['Status'])
}

const accountFor = (writing: Writing, lead: Row, input: LeadConvert, ownerId: string): string => {
  if (input.accountId) return String(existing(writing, objectNamed(writing, 'Account'), input.accountId).Id)
  return insertRecord(writing, objectNamed(writing, 'Account'), {
    Name: lead.Company,
    OwnerId: ownerId,
    Phone: lead.Phone,
    Fax: lead.Fax,
    Website: lead.Website,
    Industry: lead.Industry,
    AnnualRevenue: lead.AnnualRevenue,
    NumberOfEmployees: lead.NumberOfEmployees,
    Rating: lead.Rating,
    AccountSource: lead.LeadSource,
    BillingStreet: lead.Street,
    BillingCity: lead.City,
    BillingState: lead.State,
    BillingPostalCode: lead.PostalCode,
    BillingCountry: lead.Country,
  })
}

const contactFor = (
  writing: Writing,
  lead: Row,
  input: LeadConvert,
  accountId: string,
  ownerId: string,
): string => {
  const contacts = objectNamed(writing, 'Contact')
  if (input.contactId) {
    const contact = existing(writing, contacts, input.contactId)
    const source = input.overwriteLeadSource || contact.LeadSource === undefined ? lead.LeadSource : undefined
    if (contact.AccountId !== undefined && contact.AccountId !== accountId)
      throw refuse('INVALID_CROSS_REFERENCE_KEY', 'the contact belongs to another account', ['contactId'])
    if (source !== undefined) changeRecord(writing, contacts, contact, { LeadSource: source })
    return String(contact.Id)
  }
  return insertRecord(writing, contacts, {
    AccountId: accountId,
    OwnerId: ownerId,
    FirstName: lead.FirstName,
    LastName: lead.LastName,
    Salutation: lead.Salutation,
    Title: lead.Title,
    Email: lead.Email,
    Phone: lead.Phone,
    MobilePhone: lead.MobilePhone,
    Fax: lead.Fax,
    LeadSource: lead.LeadSource,
    Description: lead.Description,
    MailingStreet: lead.Street,
    MailingCity: lead.City,
    MailingState: lead.State,
    MailingPostalCode: lead.PostalCode,
    MailingCountry: lead.Country,
  })
}

const opportunityFor = (
  writing: Writing,
  lead: Row,
  input: LeadConvert,
  ids: { accountId: string; contactId: string; ownerId: string },
): string | undefined => {
  if (input.doNotCreateOpportunity) return undefined
  const opportunities = objectNamed(writing, 'Opportunity')
  if (input.opportunityId) return String(existing(writing, opportunities, input.opportunityId).Id)
  const [stage] = writing.table('OpportunityStage').all()
  const quarterEnd = endOfQuarter(writing.stamp)
  const id = insertRecord(writing, opportunities, {
    Name: input.opportunityName ?? str(lead, 'Company') ?? '',
    AccountId: ids.accountId,
    OwnerId: ids.ownerId,
    StageName: str(stage, 'ApiName') ?? 'Prospecting',
    CloseDate: quarterEnd,
    LeadSource: lead.LeadSource,
    ContactId: ids.contactId,
  })
  return id
}

/** An opportunity made from a lead closes with the quarter until somebody says otherwise. */
const endOfQuarter = (stamp: string): string => {
  const [year, month] = [Number(stamp.slice(0, 4)), Number(stamp.slice(5, 7))]
  return new Date(Date.UTC(year, Math.ceil(month / 3) * 3, 0)).toISOString().slice(0, 10)
}

/** Up to three records of one kind become one: what pointed at the others points at the one that stays. */
const merge = (writing: Writing, input: Merge): { mergedIds: string[]; movedIds: string[] } => {
  const object = objectNamed(writing, input.object)
  if (!object.mergeable)
    throw new VendorError('INVALID_TYPE', `merge is not supported for ${object.name}`, {
      data: { fields: [] },
    })
  if (input.mergedIds.length < 1 || input.mergedIds.length > 2)
    throw refuse('INVALID_OPERATION', 'one or two records can be merged into another', [])
  const master = existing(writing, object, input.masterId)
  const movedIds: string[] = []
  const mergedIds = input.mergedIds.map((written) => {
    const row = existing(writing, object, written)
    if (row.IsConverted === true || master.IsConverted === true)
      throw refuse('CANNOT_UPDATE_CONVERTED_LEAD', 'cannot merge converted leads', [])
    if (row.Id === master.Id)
      throw refuse('INVALID_ID_FIELD', 'the record to merge is the master record itself', ['Id'])
    for (const child of writing.schema.objects)
      for (const field of child.fields) {
        if (!field.referenceTo.includes(object.name) || !isIndexed(field) || !child.createable) continue
        const table = writing.table(child)
        for (const one of [...table.find(field.name, String(row.Id))]) {
          table.update(String(one.Id), { [field.name]: master.Id })
          movedIds.push(String(one.Id))
        }
      }
    if (object.field('MasterRecordId'))
      writing.table(object).update(String(row.Id), { MasterRecordId: master.Id })
    deleteRecord(writing, object, String(row.Id))
    return String(row.Id)
  })
  if (Object.keys(input.fields).length > 0) updateRecord(writing, object, String(master.Id), input.fields)
  return { mergedIds, movedIds }
}
