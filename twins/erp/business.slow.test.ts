import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { serveTwin } from '@diorama/twin-kit/testing/host'
import { logisticsSection } from './testing/company.ts'
import { destinationOf, type GeneratedClient, generatedClients } from './testing/generated-client.ts'
import { caller } from './testing/requests.ts'
import { erp } from './twin.ts'

const services = [
  'API_SALES_ORDER_SRV',
  'API_OUTBOUND_DELIVERY_SRV',
  'API_BILLING_DOCUMENT_SRV',
  'API_PURCHASEORDER_PROCESS_SRV',
  'API_MATERIAL_DOCUMENT_SRV',
  'API_SUPPLIERINVOICE_PROCESS_SRV',
  'API_MATERIAL_STOCK_SRV',
]
const billingV4 = '/sap/opu/odata4/sap/api_billingdocument/srvd_a2x/sap/billingdocument/0001'

describe('the vendor’s SDK, with clients generated from our own $metadata,', async () => {
  const clients = await generatedClients(services)
  const orders = clients.load('API_SALES_ORDER_SRV')
  const { salesOrderApi, salesOrderItemApi } = orders.apiSalesOrderSrv()
  const deserialize = salesOrderApi.deSerializers['Edm.Decimal'].deserialize
  const day = (text: string) =>
    salesOrderApi.deSerializers['Edm.DateTime'].deserialize(`/Date(${Date.parse(`${text}T00:00:00Z`)})/`)

  it('compiles for every service it needs', () => assert.deepEqual(clients.errors, []))

  it('drives order to cash, from an order to a cancelled invoice', async () => {
    await using host = await serveTwin(erp, logisticsSection)
    const destination = destinationOf(host)
    const deliveries = clients.load('API_OUTBOUND_DELIVERY_SRV')
    const { outbDeliveryHeaderApi, outbDeliveryItemApi } = deliveries.apiOutboundDeliverySrv()
    const billing = clients.load('API_BILLING_DOCUMENT_SRV')
    const { billingDocumentApi } = billing.apiBillingDocumentSrv()
    const item = salesOrderItemApi
      .entityBuilder()
      .material('PUMP')
      .requestedQuantity(deserialize('2'))
      .build()
    const draft = salesOrderApi
      .entityBuilder()
      .salesOrganization('1710')
      .distributionChannel('10')
      .organizationDivision('00')
      .soldToParty('17100001')
      .toItem([item])
      .build()
    const order = await salesOrderApi.requestBuilder().create(draft).execute(destination)
    assert.equal(order.totalNetAmount.toFixed(2), '200.00')
    const line = outbDeliveryItemApi
      .entityBuilder()
      .referenceSdDocument(order.salesOrder)
      .referenceSdDocumentItem('10')
      .build()
    const delivery = await outbDeliveryHeaderApi
      .requestBuilder()
      .create(outbDeliveryHeaderApi.entityBuilder().toDeliveryDocumentItem([line]).build())
      .execute(destination)
    const number: string = delivery.deliveryDocument
    const read = () => outbDeliveryHeaderApi.requestBuilder().getByKey(number).execute(destination)
    const picked = await deliveries.pickAllItems({ deliveryDocument: number }).execute(destination)
    assert.equal(picked[0].material, 'PUMP')
    await deliveries.postGoodsIssue({ deliveryDocument: number }).execute(destination)
    assert.equal((await read()).overallGoodsMovementStatus, 'C')
    const reply = await caller(host).write({
      method: 'POST',
      url: `${billingV4}/BillingDocument/SAP__self.CreateFromSDDocument`,
      body: { _Reference: [{ SDDocument: number }] },
    })
    const [{ BillingDocument }] = reply.json.value
    const invoice = await billingDocumentApi.requestBuilder().getByKey(BillingDocument).execute(destination)
    assert.equal(invoice.totalNetAmount.toFixed(2), '200.00')
    assert.equal((await read()).overallDelivReltdBillgStatus, 'C')
    const [cancelled] = await billing.cancel({ billingDocument: BillingDocument }).execute(destination)
    assert.equal(cancelled.billingDocument, BillingDocument)
    assert.equal((await read()).overallDelivReltdBillgStatus, 'A')
    const after = await salesOrderApi.requestBuilder().getByKey(order.salesOrder).execute(destination)
    assert.equal(after.overallTotalDeliveryStatus, 'C')
    assert.deepEqual(host.failures, [])
  })

  it('drives procure to pay, from a purchase order to a posted invoice', async () => {
    await using host = await serveTwin(erp, logisticsSection)
    const destination = destinationOf(host)
    const purchasing = clients.load('API_PURCHASEORDER_PROCESS_SRV').apiPurchaseorderProcessSrv()
    const movements = clients.load('API_MATERIAL_DOCUMENT_SRV').apiMaterialDocumentSrv()
    const invoicing = clients.load('API_SUPPLIERINVOICE_PROCESS_SRV').apiSupplierinvoiceProcessSrv()
    const stock = clients.load('API_MATERIAL_STOCK_SRV').apiMaterialStockSrv()
    const { purchaseOrderApi, purchaseOrderItemApi } = purchasing
    const item = purchaseOrderItemApi
      .entityBuilder()
      .purchaseRequisition('10000001')
      .purchaseRequisitionItem('10')
      .build()
    const order = await purchaseOrderApi
      .requestBuilder()
      .create(
        purchaseOrderApi
          .entityBuilder()
          .companyCode('1710')
          .supplier('17100003')
          .toPurchaseOrderItem([item])
          .build(),
      )
      .execute(destination)
    const receipt = movements.materialDocumentItemApi
      .entityBuilder()
      .goodsMovementType('101')
      .purchaseOrder(order.purchaseOrder)
      .purchaseOrderItem('10')
      .quantityInEntryUnit(deserialize('20'))
      .entryUnit('PC')
      .build()
    const document = await movements.materialDocumentHeaderApi
      .requestBuilder()
      .create(
        movements.materialDocumentHeaderApi
          .entityBuilder()
          .goodsMovementCode('01')
          .postingDate(day('2026-03-02'))
          .toMaterialDocumentItem([receipt])
          .build(),
      )
      .execute(destination)
    assert.equal(document.materialDocument, '5000000001')
    const { matlStkInAcctModApi } = stock
    const [held] = await matlStkInAcctModApi
      .requestBuilder()
      .getAll()
      .filter(matlStkInAcctModApi.schema.MATERIAL.equals('PUMP'))
      .execute(destination)
    assert.equal(held.matlWrhsStkQtyInMatlBaseUnit.toFixed(0), '50')
    const line: GeneratedClient = invoicing.suplrInvcItemPurOrdRefApi
      .entityBuilder()
      .purchaseOrder(order.purchaseOrder)
      .purchaseOrderItem('10')
      .quantityInPurchaseOrderUnit(deserialize('20'))
      .purchaseOrderQuantityUnit('PC')
      .supplierInvoiceItemAmount(deserialize('1100'))
      .build()
    const invoice = await invoicing.supplierInvoiceApi
      .requestBuilder()
      .create(
        invoicing.supplierInvoiceApi
          .entityBuilder()
          .companyCode('1710')
          .documentDate(day('2026-03-01'))
          .postingDate(day('2026-03-02'))
          .invoicingParty('17100003')
          .documentCurrency('USD')
          .invoiceGrossAmount(deserialize('1100'))
          .toSuplrInvcItemPurOrdRef([line])
          .build(),
      )
      .execute(destination)
    assert.equal(invoice.supplierInvoiceStatus, '5')
    assert.equal(invoice.paymentBlockingReason, '')
    assert.deepEqual(host.failures, [])
  })
})
