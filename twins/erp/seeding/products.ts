import { fromNumber } from '../../kernel/wires/odata/values/decimals.ts'
import { dayOf } from '../../kernel/wires/odata/values/moments.ts'
import { defaults, isoUnit } from '../codes.ts'
import { cut } from '../cut.ts'
import { unitPrice } from '../rules/order-values.ts'
import type { Planting } from '../seed.ts'

const longestMaterial = 40

/** A material number as the system keeps it: capitals, without leading zeros. */
export const materialNumber = (material: string): string => {
  const upper = cut(material.trim().toUpperCase(), longestMaterial) || 'UNKNOWN'
  return /^\d+$/.test(upper) ? upper.replace(/^0+(?=\d)/, '') : upper
}

export const unitOf = (unit: string): string => cut(unit.trim().toUpperCase(), 3) || 'EA'

/** Amounts and quantities within what their fields hold. */
const within = (value: number, most: number): number => Math.min(Math.max(value, -most), most)
export const amountOf = (value: number): string => fromNumber(within(value, 999_999_999_999), 3)
export const quantityOf = (value: number): string => fromNumber(within(value, 999_999_999), 3)

/** Every material that an order names is a product, priced as it was first sold. */
export const seedProducts = (planting: Planting): void => {
  const { section, company, seeding, keep, areas } = planting
  const created = dayOf(company.clock - 365 * 86_400_000)
  for (const [n, order] of section.salesOrders.entries())
    for (const [m, item] of order.items.entries()) {
      const product = materialNumber(item.material)
      if (product !== item.material)
        seeding.warn(`/salesOrders/${n}/items/${m}/material`, `the system keeps it as ${product}`)
      const quantity = quantityOf(item.quantity)
      const priceId = `${product}/${order.currency}`
      if (!seeding.get('price', priceId))
        seeding.insert('price', {
          id: priceId,
          rate: unitPrice(amountOf(item.netAmount), quantity),
          per: '1',
        })
      if (seeding.get('product', product.replaceAll('/', '%2F'))) continue
      const unit = unitOf(item.unit)
      keep('A_Product', {
        Product: product,
        ProductType: defaults.productType,
        BaseUnit: unit,
        ProductGroup: defaults.materialGroup,
        CreationDate: created,
        CreatedByUser: planting.author,
        ItemCategoryGroup: 'NORM',
        IndustrySector: 'M',
      })
      keep('A_ProductDescription', {
        Product: product,
        Language: defaults.language,
        ProductDescription: cut(item.description, 40),
      })
      keep('A_ProductUnitsOfMeasure', {
        Product: product,
        AlternativeUnit: unit,
        QuantityNumerator: '1',
        QuantityDenominator: '1',
        BaseUnit: unit,
      })
      keep('A_ProductSales', { Product: product, SalesStatus: '' })
      const seen = new Set<string>()
      for (const { salesOrganization, distributionChannel } of areas) {
        const place = `${salesOrganization}/${distributionChannel}`
        if (seen.has(place)) continue
        seen.add(place)
        keep('A_ProductSalesDelivery', {
          Product: product,
          ProductSalesOrg: salesOrganization,
          ProductDistributionChnl: distributionChannel,
          SupplyingPlant: salesOrganization,
          ItemCategoryGroup: 'NORM',
        })
      }
      for (const plant of new Set(areas.map(({ salesOrganization }) => salesOrganization)))
        keep('A_ProductPlant', { Product: product, Plant: plant, BaseUnit: unit, BaseISOUnit: isoUnit(unit) })
    }
}
