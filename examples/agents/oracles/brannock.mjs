import { channelId, erp, findMessage, sapDate, work } from './services.mjs'

const sales = 'odata/sap/API_SALES_ORDER_SRV'
const deliveries = 'odata/sap/API_OUTBOUND_DELIVERY_SRV;v=0002'
const billing = 'odata4/sap/api_billingdocument/srvd_a2x/sap/billingdocument/0001'
const purchasing = 'odata/sap/API_PURCHASEORDER_PROCESS_SRV'
const requisitions = 'odata/sap/API_PURCHASEREQ_PROCESS_SRV'
const movements = 'odata/sap/API_MATERIAL_DOCUMENT_SRV'
const invoices = 'odata/sap/API_SUPPLIERINVOICE_PROCESS_SRV'
const quotations = 'odata/sap/API_SALES_QUOTATION_SRV'
const availability = 'odata/sap/API_PRODUCT_AVAILY_INFO_BASIC'
const partners = 'odata/sap/API_BUSINESS_PARTNER'
const area = { SalesOrganization: '1710', DistributionChannel: '10', OrganizationDivision: '00' }
const today = sapDate('2026-05-11')

const find = async (service, set, filter) =>
  (await erp(`${service}/${set}?$filter=${encodeURIComponent(filter)}`)).results[0]
const order = async (number) =>
  (await find(sales, 'A_SalesOrder', `PurchaseOrderByCustomer eq '${number}'`)).SalesOrder
const partner = async (name) =>
  (await find(partners, 'A_BusinessPartner', `OrganizationBPName1 eq '${name}'`)).BusinessPartner
const deliveryOf = async (number) =>
  (await find(deliveries, 'A_OutbDeliveryItem', `ReferenceSDDocument eq '${await order(number)}'`))
    .DeliveryDocument
const purchaseOf = async (material, quantity) =>
  (await erp(`${purchasing}/A_PurchaseOrderItem?$filter=Material eq '${material}'`)).results.find(
    (item) => Number(item.OrderQuantity) === quantity,
  ).PurchaseOrder

const post = (path, body) => erp(path, { method: 'POST', ...(body === undefined ? {} : { body }) })
const patch = (path, body) => erp(path, { method: 'PATCH', body })

const deliver = async (number, more = {}) => {
  const items = [{ ReferenceSDDocument: await order(number), ...more }]
  const made = await post(`${deliveries}/A_OutbDeliveryHeader`, { to_DeliveryDocumentItem: items })
  return `Delivery ${made.DeliveryDocument} is created.`
}
const bill = async (number) => {
  const reference = [{ SDDocument: await deliveryOf(number) }]
  const made = await post(`${billing}/BillingDocument/SAP__self.CreateFromSDDocument`, {
    _Reference: reference,
  })
  return `Billing document ${made.value[0].BillingDocument} is created.`
}
const change = async (number, fields) => patch(`${sales}/A_SalesOrder('${await order(number)}')`, fields)

const moveDate = async () => {
  const said = await findMessage(await channelId('orders'), /They want it on/)
  const [, day] = /on (\d+) June 2026/.exec(said.text)
  await change('BF-71', { RequestedDeliveryDate: sapDate(`2026-06-${day.padStart(2, '0')}`) })
  return 'The date is moved.'
}

const receive = async (purchase, quantity, header = {}) => {
  const item = {
    GoodsMovementType: '101',
    PurchaseOrder: purchase,
    PurchaseOrderItem: '10',
    QuantityInEntryUnit: String(quantity),
    EntryUnit: 'PC',
  }
  const document = { GoodsMovementCode: '01', PostingDate: today, ...header, to_MaterialDocumentItem: [item] }
  const made = await post(`${movements}/A_MaterialDocumentHeader`, document)
  return `Material document ${made.MaterialDocument} is posted.`
}

const receiveMotors = async () => {
  const said = await findMessage(await channelId('warehouse'), /brought \d+ of the 10 motors/)
  return receive(await purchaseOf('MOTOR-9', 10), Number(/brought (\d+)/.exec(said.text)[1]))
}

const invoice = async (reference, amount) => {
  const made = await post(`${invoices}/A_SupplierInvoice`, {
    CompanyCode: '1710',
    DocumentDate: sapDate('2026-05-08'),
    PostingDate: today,
    InvoicingParty: await partner('Echo Seals'),
    SupplierInvoiceIDByInvcgParty: reference,
    DocumentCurrency: 'USD',
    InvoiceGrossAmount: amount,
    to_SuplrInvcItemPurOrdRef: [
      {
        PurchaseOrder: await purchaseOf('SEAL-K', 500),
        PurchaseOrderItem: '10',
        QuantityInPurchaseOrderUnit: '500',
        PurchaseOrderQuantityUnit: 'PC',
        SupplierInvoiceItemAmount: amount,
        TaxCode: 'V0',
      },
    ],
  })
  return `Invoice ${made.SupplierInvoice} is posted.`
}

const promise = async () => {
  const query = "SupplyingPlant='1710'&Material='MOTOR-9'&ATPCheckingRule='A'"
  const at = "RequestedUTCDateTime=datetimeoffset'2026-05-25T00:00:00Z'"
  const { DetermineAvailabilityAt: found } = await erp(
    `${availability}/DetermineAvailabilityAt?${query}&${at}`,
  )
  return found.AvailableQuantityInBaseUnit
}

const cedar = async () => {
  const items = [{ Material: 'PUMP-A', RequestedQuantity: '2' }]
  try {
    await post(`${sales}/A_SalesOrder`, {
      ...area,
      SoldToParty: await partner('Cedar Clinics'),
      to_Item: items,
    })
  } catch (error) {
    return `The order of Cedar Clinics is not entered: ${error.message}`
  }
  return 'The order is entered.'
}

const orderSeals = async () => {
  const wanted = await find(requisitions, 'A_PurchaseRequisitionItem', "Material eq 'SEAL-K'")
  const { PurchaseRequisition, PurchaseRequisitionItem } = wanted
  const made = await post(`${purchasing}/A_PurchaseOrder`, {
    CompanyCode: '1710',
    Supplier: await partner('Echo Seals'),
    to_PurchaseOrderItem: [{ PurchaseRequisition, PurchaseRequisitionItem }],
  })
  return `Purchase order ${made.PurchaseOrder} is created.`
}

const orderValves = async () => {
  const item = { Material: 'VALVE-2', Plant: '1710', OrderQuantity: '25', NetPriceAmount: '21.50' }
  const dates = [{ ScheduleLineDeliveryDate: sapDate('2026-05-29') }]
  const made = await post(`${purchasing}/A_PurchaseOrder`, {
    CompanyCode: '1710',
    Supplier: await partner('Delta Castings'),
    to_PurchaseOrderItem: [{ ...item, to_ScheduleLine: dates }],
  })
  return `Purchase order ${made.PurchaseOrder} is created.`
}

const changePurchase = async () => {
  const number = await purchaseOf('PUMP-A', 50)
  const key = `PurchaseOrder='${number}',PurchaseOrderItem='10'`
  await patch(`${purchasing}/A_PurchaseOrderItem(${key})`, { OrderQuantity: '60' })
  const line = `PurchasingDocument='${number}',PurchasingDocumentItem='10',ScheduleLine='1'`
  await patch(`${purchasing}/A_PurchaseOrderScheduleLine(${line})`, {
    ScheduleLineDeliveryDate: sapDate('2026-05-25'),
  })
  return 'The purchase order is changed.'
}

const cancelPurchase = async () => {
  await erp(`${purchasing}/A_PurchaseOrder('${await purchaseOf('MOTOR-9', 10)}')`, { method: 'DELETE' })
  return 'The purchase order is cancelled.'
}

const newOrder = async () => {
  const price = [{ ConditionType: 'PR00', ConditionRateValue: '90' }]
  const made = await post(`${sales}/A_SalesOrder`, {
    ...area,
    SoldToParty: await partner('Birch Foods'),
    PurchaseOrderByCustomer: 'BF-88',
    to_Item: [{ Material: 'PUMP-A', RequestedQuantity: '3', to_PricingElement: price }],
  })
  return `Order ${made.SalesOrder} is entered.`
}

const quote = async () => {
  const made = await post(`${quotations}/A_SalesQuotation`, {
    ...area,
    SoldToParty: await partner('Alder Hotels'),
    BindingPeriodValidityEndDate: sapDate('2026-06-30'),
    to_Item: [{ Material: 'VALVE-2', RequestedQuantity: '6' }],
  })
  return `Quotation ${made.SalesQuotation} is created.`
}

const reject = async () => {
  const key = `SalesOrder='${await order('AH-501')}',SalesOrderItem='20'`
  await patch(`${sales}/A_SalesOrderItem(${key})`, { SalesDocumentRjcnReason: '03' })
  return 'The item is rejected.'
}

await work([
  [/everything that is open/, () => deliver('AH-501')],
  [
    /truck for Birch Foods/,
    async () => {
      await post(`${deliveries}/PostGoodsIssue?DeliveryDocument='${await deliveryOf('BF-70')}'`)
      return 'The goods issue is posted.'
    },
  ],
  [/AH-498/, () => bill('AH-498')],
  [
    /four PUMP-A/,
    () =>
      deliver('AH-501', {
        ReferenceSDDocumentItem: '10',
        ActualDeliveryQuantity: '4',
        DeliveryQuantityUnit: 'PC',
      }),
  ],
  [/BF-71/, moveDate],
  [
    /BF-72/,
    async () => {
      await change('BF-72', { DeliveryBlockReason: '' })
      return deliver('BF-72')
    },
  ],
  [/BF-88/, newOrder],
  [/seal kits of order AH-501/, reject],
  [
    /BF-69/,
    async () => {
      await change('BF-69', { HeaderBillingBlockReason: '' })
      return bill('BF-69')
    },
  ],
  [/asks for an offer/, quote],
  [/could promise/, promise],
  [/Cedar Clinics/, cedar],
  [/requisition for seal kits/, orderSeals],
  [/Order 25 VALVE-2/, orderValves],
  [/DN-4471/, async () => receive(await purchaseOf('PUMP-A', 50), 50, { ReferenceDocument: 'DN-4471' })],
  [/#warehouse/, receiveMotors],
  [/ES-9001/, () => invoice('ES-9001', '1000.00')],
  [/ES-9002/, () => invoice('ES-9002', '1200.00')],
  [/60 instead of 50/, changePurchase],
  [/cheaper source/, cancelPurchase],
])
