import type { VariedAct } from '@diorama/twin-kit/variations/variations'
import { by, type ErpScene, numberOf, others } from './scene-records.ts'

const maxOfEach = 2
const maxName = 40

/**
 * Orders with other references, and partners and products with other names. The names of fields and the codes of options
 * stay: the vendor keeps those of a released service.
 */
export const drift = (scene: ErpScene): VariedAct[] => [
  ...scene
    .shuffled('drift', others(scene, 'sales_order'))
    .slice(0, maxOfEach)
    .flatMap((order, n) =>
      by(
        scene,
        `drift ${n}`,
        'PATCH A_SalesOrder',
        { SalesOrder: numberOf(order), PurchaseOrderByCustomer: `MOVED-${numberOf(order)}` },
        `gives the order ${numberOf(order)} another customer reference`,
      ),
    ),
  ...scene
    .shuffled(
      'partners',
      others(scene, 'business_partner').filter((row) => field(row, 'OrganizationBPName1') !== ''),
    )
    .slice(0, maxOfEach)
    .flatMap((partner, n) => {
      const name = field(partner, 'OrganizationBPName1')
      const to = `${name.slice(0, maxName - 6)} Group`
      return by(
        scene,
        `partner ${n}`,
        'PATCH A_BusinessPartner',
        { BusinessPartner: field(partner, 'BusinessPartner'), OrganizationBPName1: to },
        `renames the business partner ${name} to ${to}`,
      )
    }),
  ...scene
    .shuffled('products', others(scene, 'product_description'))
    .slice(0, maxOfEach)
    .flatMap((row, n) => {
      const text = field(row, 'ProductDescription')
      const to = `${text.slice(0, maxName - 5)} (v2)`
      return by(
        scene,
        `product ${n}`,
        'PATCH A_ProductDescription',
        { Product: field(row, 'Product'), Language: field(row, 'Language'), ProductDescription: to },
        `describes the product ${field(row, 'Product')} as ${to}`,
      )
    }),
]

const field = (row: Readonly<Record<string, unknown>>, name: string): string => String(row[name] ?? '')
