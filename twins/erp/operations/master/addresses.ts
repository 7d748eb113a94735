import { fault } from '@diorama/twin-kit/wires/odata/faults'
import { type EdmRow, type EdmValues, rowId } from '@diorama/twin-kit/wires/odata/model'
import type { Draft } from '@diorama/twin-kit/wires/odata/write/body'
import {
  type Behaviour,
  type Behaviours,
  createChildren,
  type Writing,
} from '@diorama/twin-kit/wires/odata/write/operations'
import { erase, nextNumber, rowAt, rowsWith, save, table, text } from '../../access.ts'
import { entitySet } from '../../catalogue/services.ts'
import { defaults } from '../../codes.ts'
import { cut } from '../../cut.ts'
import { checkAddressForm } from '../../rules/master-forms.ts'
import { refusal } from '../../rules/messages.ts'
import { addressUsage, addressValidity, guidOf } from '../../rules/partner-values.ts'
import { partnerAt, touchPartner } from './partners.ts'

const set = 'A_BusinessPartnerAddress'

const create = (writing: Writing, draft: Draft, above: EdmValues, behaviours: Behaviours): EdmRow => {
  const { call } = writing
  const number = String(above.BusinessPartner ?? draft.values.BusinessPartner ?? '')
  const partner = partnerAt(call, number)
  if (text(set, draft.values, 'Country') === '') throw refusal('R1/107', [], 'Country')
  checkAddressForm(set, draft.values)
  const first = rowsWith(call, set, { BusinessPartner: number }).length === 0
  const address = nextNumber(call, 'address')
  const row = save(call, set, {
    ...addressValidity,
    Language: defaults.language,
    ...draft.values,
    BusinessPartner: number,
    AddressID: address,
    AddressUUID: guidOf(call.draw('address')),
    FullName: cut(text('A_BusinessPartner', partner, 'BusinessPartnerFullName'), 80),
  })
  if (first && !(draft.children.get('to_AddressUsage') ?? []).length)
    save(call, 'A_BuPaAddressUsage', addressUsage(number, address))
  createChildren(writing, draft, row, behaviours)
  touchPartner(call, number)
  return row
}

const communications = [
  'A_AddressEmailAddress',
  'A_AddressPhoneNumber',
  'A_AddressFaxNumber',
  'A_AddressHomePageURL',
] as const

const remove = ({ call }: Writing, address: EdmRow): void => {
  const number = text(set, address, 'BusinessPartner')
  const AddressID = text(set, address, 'AddressID')
  const usages = rowsWith(call, 'A_BuPaAddressUsage', { BusinessPartner: number, AddressID })
  if (usages.some((usage) => text('A_BuPaAddressUsage', usage, 'AddressUsage') === defaults.addressUsage))
    throw refusal('R1/108', [number])
  for (const usage of usages) erase(call, 'A_BuPaAddressUsage', usage)
  for (const name of communications)
    for (const row of rowsWith(call, name, { AddressID })) erase(call, name, row)
  erase(call, set, address)
  touchPartner(call, number)
}

export const addressBehaviour = (behaviours: () => Behaviours): Behaviour => ({
  create: (writing, draft, above) => create(writing, draft, above, behaviours()),
  update: ({ call }, row, change) => {
    const saved = save(call, set, { ...row, ...change })
    if (text(set, saved, 'Country') === '') throw refusal('R1/107', [], 'Country')
    checkAddressForm(set, saved)
    touchPartner(call, text(set, row, 'BusinessPartner'))
    return saved
  },
  remove,
})

/** The property that marks the first of its kind at an address. */
const standards: Readonly<Record<(typeof communications)[number], string>> = {
  A_AddressEmailAddress: 'IsDefaultEmailAddress',
  A_AddressPhoneNumber: 'IsDefaultPhoneNumber',
  A_AddressFaxNumber: 'IsDefaultFaxNumber',
  A_AddressHomePageURL: 'IsDefaultURLAddress',
}

/** E-mail addresses, numbers and pages of an address are counted from 1. */
const communicationBehaviour = (name: (typeof communications)[number]): Behaviour => ({
  create: ({ call }, draft, above) => {
    const { type } = entitySet(name)
    const given: EdmValues = { ...draft.values, ...above }
    const AddressID = text(name, given, 'AddressID')
    const owner = [...table(call, set).find('all', 'all')].find(
      (address) => text(set, address, 'AddressID') === AddressID,
    )
    if (!owner) throw fault('entity_missing', { type: 'A_BusinessPartnerAddressType' })
    const there = rowsWith(call, name, { AddressID })
    const highest = Math.max(0, ...there.map((row) => Number(text(name, row, 'OrdinalNumber'))))
    const ordinal = text(name, given, 'OrdinalNumber')
    const values: EdmValues = {
      ...(name === 'A_AddressPhoneNumber' ? { PhoneNumberType: '1' } : {}),
      ...(name === 'A_AddressHomePageURL' ? { ValidityStartDate: '0001-01-01' } : {}),
      [standards[name]]: there.length === 0,
      Person: '',
      ...given,
      OrdinalNumber: ordinal === '0' ? String(highest + 1) : ordinal,
    }
    if (rowAt(call, name, rowId(type, values)))
      throw fault('duplicate', { type: type.name, key: rowId(type, values) })
    const row = save(call, name, values)
    touchPartner(call, text(set, owner, 'BusinessPartner'))
    return row
  },
})

export const communicationBehaviours: Behaviours = Object.fromEntries(
  communications.map((name) => [name, communicationBehaviour(name)]),
)
