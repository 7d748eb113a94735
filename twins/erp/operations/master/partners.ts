import type { Call } from '@diorama/twin-kit/kernel/twin'
import type { EdmRow, EdmValues } from '@diorama/twin-kit/wires/odata/model'
import type { Draft } from '@diorama/twin-kit/wires/odata/write/body'
import {
  type Behaviour,
  type Behaviours,
  createChildren,
  type Writing,
} from '@diorama/twin-kit/wires/odata/write/operations'
import { nextNumber, rowAt, rowsWith, save, text, userOf } from '../../access.ts'
import { customerRoles, supplierRoles } from '../../codes.ts'
import { cut } from '../../cut.ts'
import { refusal } from '../../rules/messages.ts'
import {
  categories,
  changedStamp,
  createdStamp,
  customerValues,
  guidOf,
  partnerNames,
  roleValues,
  searchTermOf,
  supplierValues,
} from '../../rules/partner-values.ts'

const set = 'A_BusinessPartner'
const read = (row: EdmValues, name: string): string => text(set, row, name)

export const partnerAt = (call: Call, number: string): EdmRow => {
  const partner = rowAt(call, set, number)
  if (!partner) throw refusal('R1/104', [number], 'BusinessPartner')
  return partner
}

const checkNames = (partner: EdmValues): void => {
  const category = read(partner, 'BusinessPartnerCategory')
  if (category === categories.person && read(partner, 'LastName') === '')
    throw refusal('R1/103', [], 'LastName')
  if (category === categories.organization && read(partner, 'OrganizationBPName1') === '')
    throw refusal('R1/102', [], 'OrganizationBPName1')
  if (category === categories.group && read(partner, 'GroupBusinessPartnerName1') === '')
    throw refusal('R1/102', [], 'GroupBusinessPartnerName1')
}

const create = (writing: Writing, draft: Draft, behaviours: Behaviours): EdmRow => {
  const { call } = writing
  const category = read(draft.values, 'BusinessPartnerCategory')
  if (!Object.values(categories).some((known) => known === category))
    throw refusal('R1/101', [category], 'BusinessPartnerCategory')
  checkNames(draft.values)
  const names = partnerNames(draft.values)
  const number = nextNumber(call, 'business_partner')
  const values: EdmValues = {
    BusinessPartnerGrouping: 'BP02',
    SearchTerm1: searchTermOf(String(names.BusinessPartnerName ?? '')),
    ...draft.values,
    ...names,
    BusinessPartner: number,
    BusinessPartnerUUID: guidOf(call.draw('partner')),
    ...(category === categories.person ? { IsNaturalPerson: 'X' } : {}),
    ...createdStamp(call.now, userOf(call)),
  }
  const row = save(call, set, values)
  const others = [...draft.children].filter(([name]) => name !== 'to_Customer' && name !== 'to_Supplier')
  createChildren(writing, { ...draft, children: new Map(others) }, row, behaviours)
  // The customer and the supplier of a partner carry its number, and their own data comes below them.
  for (const customer of draft.children.get('to_Customer') ?? [])
    createChildren(writing, customer, ensureCustomer(call, number, customer.values), behaviours)
  for (const supplier of draft.children.get('to_Supplier') ?? [])
    createChildren(writing, supplier, ensureSupplier(call, number, supplier.values), behaviours)
  return partnerAt(call, number)
}

const update = ({ call }: Writing, before: EdmRow, change: EdmValues): EdmRow => {
  const partner = { ...before, ...change }
  if (read(partner, 'BusinessPartnerCategory') !== read(before, 'BusinessPartnerCategory'))
    throw refusal('R1/105', [], 'BusinessPartnerCategory')
  checkNames(partner)
  const row = save(call, set, {
    ...partner,
    ...partnerNames(partner),
    ...changedStamp(call.now, userOf(call)),
  })
  if (read(row, 'BusinessPartnerName') !== read(before, 'BusinessPartnerName')) rename(call, row)
  return row
}

/** The partner's name is shown on its customer, its supplier and its addresses too. */
const rename = (call: Call, partner: EdmRow): void => {
  const number = read(partner, 'BusinessPartner')
  const { CustomerName, CustomerFullName } = customerValues(partner)
  const { SupplierName, SupplierFullName } = supplierValues(partner)
  const customer = rowAt(call, 'A_Customer', read(partner, 'Customer'))
  const supplier = rowAt(call, 'A_Supplier', read(partner, 'Supplier'))
  if (customer)
    save(call, 'A_Customer', {
      ...customer,
      CustomerName: CustomerName ?? '',
      CustomerFullName: CustomerFullName ?? '',
    })
  if (supplier)
    save(call, 'A_Supplier', {
      ...supplier,
      SupplierName: SupplierName ?? '',
      SupplierFullName: SupplierFullName ?? '',
    })
  for (const address of rowsWith(call, 'A_BusinessPartnerAddress', { BusinessPartner: number }))
    save(call, 'A_BusinessPartnerAddress', {
      ...address,
      FullName: cut(read(partner, 'BusinessPartnerFullName'), 80),
    })
}

/** Notes a change of something below a partner. */
export const touchPartner = (call: Call, number: string): void => {
  const partner = rowAt(call, set, number)
  if (partner) save(call, set, { ...partner, ...changedStamp(call.now, userOf(call)) })
}

const giveRole = (call: Call, number: string, role: string): void => {
  if (!rowAt(call, 'A_BusinessPartnerRole', `${number}/${role}`))
    save(call, 'A_BusinessPartnerRole', roleValues(number, role))
}

/** Makes a partner a customer, under its own number, if it is not one. */
const ensureCustomer = (call: Call, number: string, values: EdmValues = {}): EdmRow => {
  const partner = partnerAt(call, number)
  const there = rowAt(call, 'A_Customer', number)
  const row = save(call, 'A_Customer', { ...(there ?? customerValues(partner)), ...values, Customer: number })
  if (!there) save(call, set, { ...partner, Customer: number })
  for (const role of customerRoles) giveRole(call, number, role)
  return row
}

const ensureSupplier = (call: Call, number: string, values: EdmValues = {}): EdmRow => {
  const partner = partnerAt(call, number)
  const there = rowAt(call, 'A_Supplier', number)
  const row = save(call, 'A_Supplier', { ...(there ?? supplierValues(partner)), ...values, Supplier: number })
  if (!there) save(call, set, { ...partner, Supplier: number })
  for (const role of supplierRoles) giveRole(call, number, role)
  return row
}

/** A role of customers or suppliers makes the partner one. */
export const roleBehaviour: Behaviour = {
  create: ({ call }, draft, above) => {
    const values = { ...draft.values, ...above }
    const number = String(values.BusinessPartner ?? '')
    const role = text('A_BusinessPartnerRole', values, 'BusinessPartnerRole')
    partnerAt(call, number)
    const there = rowAt(call, 'A_BusinessPartnerRole', `${number}/${role}`)
    // A role that came with the customer may be named once more in the same request, and only there.
    if (there && !('BusinessPartner' in above)) throw refusal('R1/106', [number, role], 'BusinessPartnerRole')
    const row = save(call, 'A_BusinessPartnerRole', {
      ...roleValues(number, role),
      ...values,
      BusinessPartner: number,
    })
    if (customerRoles.some((known) => known === role)) ensureCustomer(call, number)
    if (supplierRoles.some((known) => known === role)) ensureSupplier(call, number)
    touchPartner(call, number)
    return row
  },
}

export const partnerBehaviour = (behaviours: () => Behaviours): Behaviour => ({
  create: (writing, draft) => create(writing, draft, behaviours()),
  update,
})
