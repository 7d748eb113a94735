import { type EdmValues, rowId } from '@diorama/twin-kit/wires/odata/model'
import { entitySet } from '../catalogue/services.ts'

/** The key of a material's own unrestricted stock at a place. */
export const stockKey = ({
  material,
  plant,
  storageLocation,
}: {
  readonly material: string
  readonly plant: string
  readonly storageLocation: string
}): { readonly id: string; readonly values: EdmValues } => {
  const values = {
    Material: material,
    Plant: plant,
    StorageLocation: storageLocation,
    Batch: '',
    Supplier: '',
    Customer: '',
    WBSElementInternalID: '0',
    SDDocument: '',
    SDDocumentItem: '0',
    InventorySpecialStockType: '',
    InventoryStockType: '01',
  }
  return { id: rowId(entitySet('A_MatlStkInAcctMod').type, values), values }
}
