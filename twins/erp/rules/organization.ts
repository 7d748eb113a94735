import type { Call } from '@diorama/twin-kit/kernel/twin'
import { field, plainTable, rowAt } from '../access.ts'
import { idPart } from '../codes.ts'
import { checkEntry } from '../customizing/check.ts'
import { refusal } from './messages.ts'

/** The company's plants. Each sales organization has one with its number, and is a company code too. */
export const isPlant = (call: Call, code: string): boolean => {
  for (const row of plainTable(call, 'sales_area').all())
    if (field(row, 'salesOrganization') === code) return true
  return false
}

export const checkPlantCode = (call: Call, plant: string, target = 'Plant'): void => {
  if (plant === '') throw refusal('ME/083', [target], target)
  checkEntry(isPlant(call, plant), plant, 'T001W', target)
}

export const checkCompanyCode = (call: Call, company: string, target = 'CompanyCode'): void =>
  checkEntry(isPlant(call, company), company, 'T001', target)

/** Refuses a material that does not exist, or not in the plant. */
export const checkMaterialInPlant = (call: Call, material: string, plant: string): void => {
  if (!rowAt(call, 'A_Product', idPart(material))) throw refusal('M3/305', [material], 'Material')
  if (!rowAt(call, 'A_ProductPlant', `${idPart(material)}/${plant}`))
    throw refusal('M3/351', [material, plant], 'Plant')
}

/** The text that a material has in the system's language. */
export const materialText = (call: Call, material: string): string =>
  String(rowAt(call, 'A_ProductDescription', `${idPart(material)}/EN`)?.ProductDescription ?? '')
