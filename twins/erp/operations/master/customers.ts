import { fault } from '@diorama/twin-kit/wires/odata/faults'
import {
  type Behaviour,
  type Behaviours,
  createChildren,
} from '@diorama/twin-kit/wires/odata/write/operations'
import { field, plainTable, rowAt, rowsWith, save, text } from '../../access.ts'
import { refusal } from '../../rules/messages.ts'
import { partnerFunctions, salesAreaValues } from '../../rules/partner-values.ts'

const areas = 'A_CustomerSalesArea'

/** A customer is sold to in the areas of the company, and has every partner function there until another is set. */
export const salesAreaBehaviour = (behaviours: () => Behaviours): Behaviour => ({
  create: (writing, draft, above) => {
    const { call } = writing
    const given = { ...draft.values, ...above }
    const customer = text(areas, given, 'Customer')
    if (!rowAt(call, 'A_Customer', customer)) throw refusal('F2/153', [customer], 'Customer')
    const place = [
      text(areas, given, 'SalesOrganization'),
      text(areas, given, 'DistributionChannel'),
      text(areas, given, 'Division'),
    ]
    const known = plainTable(call, 'sales_area').get(place.join('/'))
    if (!known) throw refusal('VR/010', place, 'SalesOrganization')
    const area = {
      salesOrganization: field(known, 'salesOrganization'),
      distributionChannel: field(known, 'distributionChannel'),
      division: field(known, 'division'),
    }
    if (rowAt(call, areas, [customer, ...place].join('/')))
      throw fault('duplicate', { type: 'A_CustomerSalesAreaType', key: [customer, ...place].join('/') })
    const row = save(call, areas, {
      ...salesAreaValues(customer, area, text(areas, given, 'Currency')),
      ...given,
    })
    if ((draft.children.get('to_PartnerFunction') ?? []).length === 0)
      for (const values of partnerFunctions(customer, area)) save(call, 'A_CustSalesPartnerFunc', values)
    createChildren(writing, draft, row, behaviours())
    return row
  },
})

const functions = 'A_CustSalesPartnerFunc'

/** Several partners of one function are counted from 0. */
export const partnerFunctionBehaviour: Behaviour = {
  create: ({ call }, draft, above) => {
    const given = { ...draft.values, ...above }
    const of = (name: string) => text(functions, given, name)
    const key = {
      Customer: of('Customer'),
      SalesOrganization: of('SalesOrganization'),
      DistributionChannel: of('DistributionChannel'),
      Division: of('Division'),
    }
    if (!rowAt(call, areas, Object.values(key).join('/')))
      throw fault('entity_missing', { type: 'A_CustomerSalesAreaType' })
    const there = rowsWith(call, functions, key).filter(
      (row) => text(functions, row, 'PartnerFunction') === of('PartnerFunction'),
    )
    if (of('PartnerFunction') === '')
      throw fault('missing_element', { property: 'PartnerFunction', type: 'A_CustSalesPartnerFuncType' })
    const counter = 'PartnerCounter' in given ? of('PartnerCounter') : String(there.length)
    if (there.some((row) => text(functions, row, 'PartnerCounter') === counter))
      throw fault('duplicate', { type: 'A_CustSalesPartnerFuncType', key: counter })
    return save(call, functions, { ...given, PartnerCounter: counter })
  },
}
