import type { Call } from '@diorama/twin-kit/kernel/twin'
import type { EdmRow, EdmValues } from '@diorama/twin-kit/wires/odata/model'
import { rowAt, rowsWith, text } from '../access.ts'
import { type PartnerKind, salesPartnerFunctions } from '../customizing/sales.ts'
import { refusal } from './messages.ts'

/** The sales area of a document, as its header names it. */
export interface DocumentArea {
  readonly salesOrganization: string
  readonly distributionChannel: string
  readonly division: string
}

export const areaOf = (set: string, header: EdmValues): DocumentArea => ({
  salesOrganization: text(set, header, 'SalesOrganization'),
  distributionChannel: text(set, header, 'DistributionChannel'),
  division: text(set, header, 'OrganizationDivision'),
})

const areaKey = ({ salesOrganization, distributionChannel, division }: DocumentArea): readonly string[] => [
  salesOrganization,
  distributionChannel,
  division,
]

/** The customer's data for a sales area; refused where the customer is not sold to there. */
export const customerArea = (call: Call, customer: string, area: DocumentArea): EdmRow => {
  if (customer === '') throw refusal('V1/310', [], 'SoldToParty')
  const found = rowAt(call, 'A_CustomerSalesArea', [customer, ...areaKey(area)].join('/'))
  if (!found) throw refusal('V1/384', [customer, ...areaKey(area)], 'SoldToParty')
  return found
}

/** Refuses a business partner that is blocked centrally. */
export const checkPartnerBlock = (call: Call, number: string, target: string): void => {
  const partner = rowAt(call, 'A_BusinessPartner', number)
  if (partner && text('A_BusinessPartner', partner, 'BusinessPartnerIsBlocked') === 'true')
    throw refusal('R1/197', [number], target)
}

/** Refuses a customer with an order block, in general or in the sales area, and one that is to be deleted. */
export const checkOrderBlocks = (call: Call, number: string, area: DocumentArea, target: string): void => {
  checkPartnerBlock(call, number, target)
  const customer = rowAt(call, 'A_Customer', number)
  const central = customer ? text('A_Customer', customer, 'OrderIsBlockedForCustomer') : ''
  if (central !== '') throw refusal('V1/145', [number, central], target)
  if (customer && text('A_Customer', customer, 'DeletionIndicator') === 'true')
    throw refusal('V1/147', [number], target)
  const sales = rowAt(call, 'A_CustomerSalesArea', [number, ...areaKey(area)].join('/'))
  if (sales && text('A_CustomerSalesArea', sales, 'OrderIsBlockedForCustomer') !== '')
    throw refusal('V1/146', [number, ...areaKey(area)], target)
}

/** The parties that a customer's master data propose for a document, by function. */
export const proposedParties = (
  call: Call,
  customer: string,
  area: DocumentArea,
): ReadonlyMap<string, string> => {
  const parties = new Map<string, string>([
    ['SP', customer],
    ['BP', customer],
    ['PY', customer],
    ['SH', customer],
  ])
  const key = {
    Customer: customer,
    SalesOrganization: area.salesOrganization,
    DistributionChannel: area.distributionChannel,
    Division: area.division,
  }
  const named = new Set<string>()
  for (const row of rowsWith(call, 'A_CustSalesPartnerFunc', key)) {
    const of = (name: string) => text('A_CustSalesPartnerFunc', row, name)
    const name = of('PartnerFunction')
    // The sold-to party is the customer; of several partners of a function the default one is proposed, or the first.
    if (!parties.has(name) || name === 'SP' || of('BPCustomerNumber') === '') continue
    if (named.has(name) && of('DefaultPartner') !== 'true') continue
    parties.set(name, of('BPCustomerNumber'))
    named.add(name)
  }
  return parties
}

const tables: Readonly<Record<PartnerKind, string>> = {
  Customer: 'A_Customer',
  Supplier: 'A_Supplier',
  Personnel: '',
  ContactPerson: 'A_BusinessPartner',
}

/** Refuses a party whose function is unknown, whose number is missing or of another kind, or who does not exist. */
export const checkParty = (call: Call, set: string, party: EdmValues): void => {
  const name = text(set, party, 'PartnerFunction')
  const kind = salesPartnerFunctions.get(name)
  if (!kind) throw refusal('VP/201', [name], 'PartnerFunction')
  const number = text(set, party, kind)
  if (number === '' || number === '0') throw refusal('VP/202', [kind.toLowerCase(), name], kind)
  const table = tables[kind]
  if (table !== '' && !rowAt(call, table, number))
    throw refusal(kind === 'Customer' ? 'V1/321' : 'VP/203', [number, name], kind)
}
