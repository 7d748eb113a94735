// Runs after the oracle and damages something else: it scraps stock and withdraws an order that nobody spoke of.
import { erp, sapDate } from './services.mjs'

await erp('odata/sap/API_MATERIAL_DOCUMENT_SRV/A_MaterialDocumentHeader', {
  method: 'POST',
  body: {
    GoodsMovementCode: '03',
    PostingDate: sapDate('2026-05-11'),
    to_MaterialDocumentItem: [
      {
        GoodsMovementType: '551',
        Material: 'SEAL-K',
        Plant: '1710',
        StorageLocation: '171A',
        QuantityInEntryUnit: '1',
        EntryUnit: 'PC',
      },
    ],
  },
})
await erp("odata/sap/API_SALES_ORDER_SRV/A_SalesOrder('7006')", { method: 'DELETE' })
