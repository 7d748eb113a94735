import { fromNumber } from '@diorama/twin-kit/wires/odata/values/decimals'
import { dayOf } from '@diorama/twin-kit/wires/odata/values/moments'
import { defaults, isoUnit } from '../codes.ts'
import { cut } from '../cut.ts'
import { unitPrice } from '../rules/order-values.ts'
import type { SeedContext } from './context.ts'

const maxMaterial = 40

/** A material number as the system keeps it: capitals, without leading zeros. */
export const materialNumber = (material: string): string => {
  const upper = cut(material.trim().toUpperCase(), maxMaterial) || 'UNKNOWN'
  return /^\d+$/.test(upper) ? upper.replace(/^0+(?=\d)/, '') : upper
}

export const unitOf = (unit: string): string => cut(unit.trim().toUpperCase(), 3) || 'EA'

/** Amounts and quantities within what their fields hold. */
const within = (value: number, most: number): number => Math.min(Math.max(value, -most), most)
export const amountOf = (value: number): string => fromNumber(within(value, 999_999_999_999), 3)
export const quantityOf = (value: number): string => fromNumber(within(value, 999_999_999), 3)

interface Material {
  readonly material: string
  readonly description: string
  readonly unit: string
}

/** Every material that the blueprint names is a product, priced as it was first sold. */
export const seedProducts = (context: SeedContext): void => {
  const { section, seeding } = context
  for (const [n, order] of section.salesOrders.entries())
    for (const [m, item] of order.items.entries()) {
      warnOfNumber(context, item.material, `/salesOrders/${n}/items/${m}/material`)
      const rate = unitPrice(amountOf(item.netAmount), quantityOf(item.quantity))
      seedPrice(context, item.material, order.currency, rate)
      seedProduct(context, item)
    }
  for (const [n, product] of (section.products ?? []).entries()) {
    warnOfNumber(context, product.material, `/products/${n}/material`)
    const currency = product.currency ?? defaults.currency
    if (product.price !== undefined) seedPrice(context, product.material, currency, amountOf(product.price))
    seedProduct(context, product)
    if (product.cost !== undefined) seedValuation(context, product.material, product.cost, currency)
  }
  const purchases = [...(section.purchaseOrders ?? []), ...(section.purchaseRequisitions ?? [])]
  for (const { items, currency } of purchases)
    for (const item of items) {
      seedProduct(context, item)
      const id = `${materialNumber(item.material).replaceAll('/', '%2F')}/${context.areas[0].salesOrganization}/`
      if (!seeding.get('product_valuation', id))
        seedValuation(context, item.material, item.netPrice, currency)
    }
}

const warnOfNumber = ({ seeding }: SeedContext, material: string, pointer: string): void => {
  const product = materialNumber(material)
  if (product !== material) seeding.warn(pointer, `the system keeps it as ${product}`)
}

const seedPrice = ({ seeding }: SeedContext, material: string, currency: string, rate: string): void => {
  const id = `${materialNumber(material)}/${currency}`
  if (!seeding.get('price', id)) seeding.insert('price', { id, rate, per: '1' })
}

const seedValuation = (
  { keep, areas }: SeedContext,
  material: string,
  cost: number,
  currency: string,
): void => {
  for (const plant of new Set(areas.map(({ salesOrganization }) => salesOrganization)))
    keep('A_ProductValuation', {
      Product: materialNumber(material),
      ValuationArea: plant,
      ValuationType: '',
      ValuationClass: '3100',
      PriceDeterminationControl: 'V',
      MovingAveragePrice: amountOf(cost),
      PriceUnitQty: '1',
      Currency: currency,
    })
}

const seedProduct = (context: SeedContext, { material, description, unit: given }: Material): void => {
  const { company, seeding, keep, areas } = context
  const product = materialNumber(material)
  if (seeding.get('product', product.replaceAll('/', '%2F'))) return
  const unit = unitOf(given)
  keep('A_Product', {
    Product: product,
    ProductType: defaults.productType,
    BaseUnit: unit,
    ProductGroup: defaults.materialGroup,
    CreationDate: dayOf(company.clock - 365 * 86_400_000),
    CreatedByUser: context.author,
    ItemCategoryGroup: 'NORM',
    IndustrySector: 'M',
  })
  keep('A_ProductDescription', {
    Product: product,
    Language: defaults.language,
    ProductDescription: cut(description, 40),
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
