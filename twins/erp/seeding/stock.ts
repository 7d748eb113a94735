import { fromNumber } from '@diorama/twin-kit/wires/odata/values/decimals'
import { storageLocationOf } from '../codes.ts'
import { stockKey } from '../rules/stock-key.ts'
import type { SeedContext } from './context.ts'
import { materialNumber, quantityOf } from './products.ts'

/** What a company has in stock beyond its open orders, where the blueprint does not say. */
const spareStock = 100

/** The stock of each product in each plant: as the blueprint says, or what its open orders need and some more. */
export const seedStock = (context: SeedContext): void => {
  const { section, keep, areas, seeding } = context
  const plants = [...new Set(areas.map(({ salesOrganization }) => salesOrganization))]
  const [firstPlant = ''] = plants
  const stated = section.stock
  const quantities = new Map<string, number>()
  const put = (material: string, plant: string, location: string, quantity: number) => {
    const place = `${material}\n${plant}\n${location}`
    quantities.set(place, (quantities.get(place) ?? 0) + quantity)
  }
  if (stated)
    for (const { material, plant, storageLocation, quantity } of stated) {
      const at = plant ?? firstPlant
      put(materialNumber(material), at, storageLocation ?? storageLocationOf(at), quantity)
    }
  else
    for (const order of section.salesOrders)
      for (const item of order.items) {
        const at = order.salesOrganization ?? firstPlant
        const place = `${materialNumber(item.material)}\n${at}\n${storageLocationOf(at)}`
        const open = order.status === 'completed' ? 0 : item.quantity
        quantities.set(place, (quantities.get(place) ?? spareStock) + open)
      }
  const materials = new Set<string>()
  for (const [place, quantity] of quantities) {
    const [material = '', plant = '', storageLocation = ''] = place.split('\n')
    const unit = String(seeding.get('product', material.replaceAll('/', '%2F'))?.BaseUnit ?? 'EA')
    if (!materials.has(material)) keep('A_MaterialStock', { Material: material, MaterialBaseUnit: unit })
    materials.add(material)
    keep('A_MatlStkInAcctMod', {
      ...stockKey({ material, plant, storageLocation }).values,
      MaterialBaseUnit: unit,
      MatlWrhsStkQtyInMatlBaseUnit: quantityOf(Math.max(0, quantity)),
    })
  }
}

/** Shares the stated stock out to orders as they are seeded. Without a statement there is enough for all of them. */
export const promises = (section: SeedContext['section']): SeedContext['promise'] => {
  const left = new Map<string, number>()
  for (const { material, quantity } of section.stock ?? []) {
    const number = materialNumber(material)
    left.set(number, (left.get(number) ?? 0) + quantity)
  }
  return (material, _order, quantity) => {
    if (!section.stock) return quantity
    const held = left.get(material) ?? 0
    const taken = Math.min(held, Number(quantity))
    left.set(material, held - taken)
    return fromNumber(taken, 3)
  }
}
