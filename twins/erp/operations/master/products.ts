import { fault } from '@diorama/twin-kit/wires/odata/faults'
import type { EdmValues } from '@diorama/twin-kit/wires/odata/model'
import { dayOf, isoOf } from '@diorama/twin-kit/wires/odata/values/moments'
import {
  type Behaviour,
  type Behaviours,
  createChildren,
} from '@diorama/twin-kit/wires/odata/write/operations'
import { field, plainTable, rowAt, save, text, userOf } from '../../access.ts'
import { idPart, isUnit } from '../../codes.ts'
import { checkEntry } from '../../customizing/check.ts'
import { refusal } from '../../rules/messages.ts'
import { checkPlantCode } from '../../rules/organization.ts'

const set = 'A_Product'

/** A product needs a number, a type and a base unit; the unit is one of its units of measure. */
export const productBehaviour = (behaviours: () => Behaviours): Behaviour => ({
  create: (writing, draft) => {
    const { call } = writing
    const of = (name: string) => text(set, draft.values, name)
    for (const name of ['Product', 'ProductType', 'BaseUnit'])
      if (of(name) === '') throw refusal('MM/001', [name], name)
    if (rowAt(call, set, idPart(of('Product')))) throw refusal('MM/002', [of('Product')], 'Product')
    checkEntry(isUnit(of('BaseUnit')), of('BaseUnit'), 'T006', 'BaseUnit')
    if ((draft.children.get('to_Description') ?? []).length === 0)
      throw refusal('MM/001', ['ProductDescription'], 'to_Description')
    const row = save(call, set, {
      IndustrySector: 'M',
      ItemCategoryGroup: 'NORM',
      ...draft.values,
      CreationDate: dayOf(call.now),
      CreatedByUser: userOf(call),
      LastChangeDateTime: isoOf(call.now),
    })
    const units = draft.children.get('to_ProductUnitsOfMeasure') ?? []
    const named = units.some(
      ({ values }) => text('A_ProductUnitsOfMeasure', values, 'AlternativeUnit') === of('BaseUnit'),
    )
    if (!named)
      save(call, 'A_ProductUnitsOfMeasure', {
        Product: of('Product'),
        AlternativeUnit: of('BaseUnit'),
        QuantityNumerator: '1',
        QuantityDenominator: '1',
        BaseUnit: of('BaseUnit'),
      })
    createChildren(writing, draft, row, behaviours())
    return row
  },
  update: ({ call }, before, change) => {
    const product = { ...before, ...change }
    if (text(set, product, 'BaseUnit') !== text(set, before, 'BaseUnit'))
      throw refusal('MM/003', [text(set, before, 'Product')], 'BaseUnit')
    return save(call, set, {
      ...product,
      LastChangeDate: dayOf(call.now),
      LastChangedByUser: userOf(call),
      LastChangeDateTime: isoOf(call.now),
    })
  },
})

/** Something below a product: the product must exist, and it can be there once. */
const below = (
  name: string,
  check: (values: EdmValues, call: Parameters<typeof rowAt>[0]) => EdmValues,
  behaviours: () => Behaviours,
): Behaviour => ({
  create: (writing, draft, above) => {
    const { call } = writing
    const given = { ...draft.values, ...above }
    const product = text(name, given, 'Product')
    if (!rowAt(call, set, idPart(product))) throw refusal('M3/305', [product], 'Product')
    const values = { ...check(given, call), ...given }
    const { type } = draft.set
    const id = type.keys.map((key) => idPart(String(values[key] ?? ''))).join('/')
    if (rowAt(call, name, id)) throw fault('duplicate', { type: type.name, key: id })
    const row = save(call, name, values)
    createChildren(writing, draft, row, behaviours())
    return row
  },
})

const baseUnit = (call: Parameters<typeof rowAt>[0], product: string): string => {
  const row = rowAt(call, set, idPart(product))
  return row ? text(set, row, 'BaseUnit') : ''
}

export const productPartBehaviours = (behaviours: () => Behaviours): Behaviours => ({
  A_ProductPlant: below(
    'A_ProductPlant',
    (values, call) => {
      checkPlantCode(call, text('A_ProductPlant', values, 'Plant'))
      return { BaseUnit: baseUnit(call, text('A_ProductPlant', values, 'Product')) }
    },
    behaviours,
  ),
  A_ProductSalesDelivery: below(
    'A_ProductSalesDelivery',
    (values, call) => {
      const of = (name: string) => text('A_ProductSalesDelivery', values, name)
      const [organization, channel] = [of('ProductSalesOrg'), of('ProductDistributionChnl')]
      let known = false
      for (const row of plainTable(call, 'sales_area').all())
        known ||=
          field(row, 'salesOrganization') === organization && field(row, 'distributionChannel') === channel
      checkEntry(known, `${organization} ${channel}`, 'TVKOV', 'ProductSalesOrg')
      return { SupplyingPlant: organization, ItemCategoryGroup: 'NORM' }
    },
    behaviours,
  ),
  A_ProductUnitsOfMeasure: below(
    'A_ProductUnitsOfMeasure',
    (values, call) => {
      const unit = text('A_ProductUnitsOfMeasure', values, 'AlternativeUnit')
      checkEntry(isUnit(unit), unit || ' ', 'T006', 'AlternativeUnit')
      return {
        QuantityNumerator: '1',
        QuantityDenominator: '1',
        BaseUnit: baseUnit(call, text('A_ProductUnitsOfMeasure', values, 'Product')),
      }
    },
    behaviours,
  ),
  A_ProductDescription: below('A_ProductDescription', () => ({}), behaviours),
  A_ProductValuation: below(
    'A_ProductValuation',
    (values, call) => {
      checkPlantCode(call, text('A_ProductValuation', values, 'ValuationArea'), 'ValuationArea')
      return { ValuationType: '', PriceUnitQty: '1', PriceDeterminationControl: 'V' }
    },
    behaviours,
  ),
})
