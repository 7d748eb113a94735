import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { logisticsSection } from './testing/company.ts'
import { orderService, serviceRoot } from './testing/requests.ts'
import { done, refused, type Tools, withTwin as withSection } from './testing/with-twin.ts'

const withTwin = (work: (tools: Tools) => Promise<void>) => withSection(work, logisticsSection)

const orders = serviceRoot('API_PURCHASEORDER_PROCESS_SRV')
const requisitions = serviceRoot('API_PURCHASEREQ_PROCESS_SRV')
const documents = serviceRoot('API_MATERIAL_DOCUMENT_SRV')
const invoices = serviceRoot('API_SUPPLIERINVOICE_PROCESS_SRV')
const stock = serviceRoot('API_MATERIAL_STOCK_SRV')
const availability = serviceRoot('API_PRODUCT_AVAILY_INFO_BASIC')
const journal = serviceRoot('API_JOURNALENTRYITEMBASIC_SRV')

const day = (text: string): string => `/Date(${Date.parse(`${text}T00:00:00Z`)})/`
const match = { 'if-match': '*' }
const stockOf = async ({ get }: Tools, material: string): Promise<string> => {
  const { json } = await get(`${stock}/A_MatlStkInAcctMod?$filter=Material eq '${material}'`)
  return json.d.results[0].MatlWrhsStkQtyInMatlBaseUnit
}
const receive = ({ write }: Tools, order: string, quantity: string, more: object = {}) =>
  write({
    method: 'POST',
    url: `${documents}/A_MaterialDocumentHeader`,
    body: {
      GoodsMovementCode: '01',
      PostingDate: day('2026-03-02'),
      to_MaterialDocumentItem: [
        {
          GoodsMovementType: '101',
          PurchaseOrder: order,
          PurchaseOrderItem: '10',
          QuantityInEntryUnit: quantity,
          EntryUnit: 'PC',
          ...more,
        },
      ],
    },
  })
const invoice = ({ write }: Tools, amount: string, quantity: string, more: object = {}) =>
  write({
    method: 'POST',
    url: `${invoices}/A_SupplierInvoice`,
    body: {
      CompanyCode: '1710',
      DocumentDate: day('2026-03-01'),
      PostingDate: day('2026-03-02'),
      InvoicingParty: '17100003',
      SupplierInvoiceIDByInvcgParty: 'CL-1',
      DocumentCurrency: 'USD',
      InvoiceGrossAmount: amount,
      to_SuplrInvcItemPurOrdRef: [
        {
          SupplierInvoiceItem: '1',
          PurchaseOrder: '4500000001',
          PurchaseOrderItem: '10',
          QuantityInPurchaseOrderUnit: quantity,
          PurchaseOrderQuantityUnit: 'PC',
          SupplierInvoiceItemAmount: amount,
          TaxCode: 'V0',
        },
      ],
      ...more,
    },
  })

describe('procure to pay', () => {
  it('runs from a requisition through an order and a receipt to an invoice', () =>
    withTwin(async (tools) => {
      const { get, write } = tools
      const made = done(
        await write({
          method: 'POST',
          url: `${orders}/A_PurchaseOrder`,
          body: {
            CompanyCode: '1710',
            Supplier: '17100003',
            to_PurchaseOrderItem: [{ PurchaseRequisition: '10000001', PurchaseRequisitionItem: '10' }],
          },
        }),
      ).json.d
      assert.equal(made.PurchaseOrder, '4500000002')
      assert.equal(made.DocumentCurrency, 'USD')
      const item = made.to_PurchaseOrderItem.results[0]
      assert.deepEqual([item.Material, item.OrderQuantity, item.NetPriceAmount], ['PUMP', '20', '55.00'])
      const asked = `${requisitions}/A_PurchaseRequisitionItem(PurchaseRequisition='10000001',PurchaseRequisitionItem='10')`
      const ordered = (await get(asked)).json.d
      assert.deepEqual([ordered.ProcessingStatus, ordered.PurchasingDocument], ['B', '4500000002'])
      refused(
        await write({
          method: 'POST',
          url: `${orders}/A_PurchaseOrder`,
          body: {
            CompanyCode: '1710',
            Supplier: '17100003',
            to_PurchaseOrderItem: [{ PurchaseRequisition: '10000001', PurchaseRequisitionItem: '10' }],
          },
        }),
        '06/403',
      )
      refused(await receive(tools, '4500000002', '21'), 'M7/022')
      done(await receive(tools, '4500000002', '8'))
      const received = done(await receive(tools, '4500000002', '12')).json.d
      assert.equal(received.MaterialDocument, '5000000002')
      assert.equal(await stockOf(tools, 'PUMP'), '50')
      const line = `${orders}/A_PurchaseOrderItem(PurchaseOrder='4500000002',PurchaseOrderItem='10')`
      assert.equal((await get(line)).json.d.IsCompletelyDelivered, true)
      refused(await receive(tools, '4500000002', '1'), '06/028')
      const posted = done(
        await invoice(tools, '1100.00', '20', {
          to_SuplrInvcItemPurOrdRef: [
            {
              PurchaseOrder: '4500000002',
              PurchaseOrderItem: '10',
              QuantityInPurchaseOrderUnit: '20',
              PurchaseOrderQuantityUnit: 'PC',
              SupplierInvoiceItemAmount: '1100.00',
            },
          ],
        }),
      ).json.d
      assert.equal(posted.SupplierInvoice, '5105600101')
      assert.deepEqual([posted.SupplierInvoiceStatus, posted.PaymentBlockingReason], ['5', ''])
      const lines = (await get(`${journal}/A_JournalEntryItemBasic?$filter=GLAccount eq '21120000'`)).json.d
        .results
      const open = lines.reduce(
        (sum: number, each: { AmountInTransactionCurrency: string }) =>
          sum + Number(each.AmountInTransactionCurrency),
        0,
      )
      assert.equal(open, 0)
    }))

  it('blocks an invoice for payment that is more than was received or agreed, until it is released', () =>
    withTwin(async (tools) => {
      const { get, write } = tools
      const early = done(await invoice(tools, '95.00', '10')).json.d
      assert.equal(early.PaymentBlockingReason, 'R')
      refused(await invoice(tools, '95.00', '10'), 'M8/108')
      done(await receive(tools, '4500000001', '30'))
      const dear = done(await invoice(tools, '120.00', '10', { SupplierInvoiceIDByInvcgParty: 'CL-2' })).json
        .d
      assert.equal(dear.PaymentBlockingReason, 'R')
      const fair = done(await invoice(tools, '95.00', '10', { SupplierInvoiceIDByInvcgParty: 'CL-3' })).json.d
      assert.equal(fair.PaymentBlockingReason, '')
      const key = `SupplierInvoice='${dear.SupplierInvoice}'&FiscalYear='2026'`
      const release = () =>
        write({ method: 'POST', url: `${invoices}/Release?${key}&DiscountDaysHaveToBeShifted=false` })
      assert.equal(done(await release()).json.d.Release.Success, true)
      refused(await release(), 'M8/353')
      const cancelled = done(
        await write({
          method: 'POST',
          url: `${invoices}/Cancel?${key}&PostingDate=datetime'2026-03-02T00:00:00'&ReversalReason='01'`,
        }),
      ).json.d.Cancel
      assert.equal(cancelled.Success, true)
      const read = await get(
        `${invoices}/A_SupplierInvoice(SupplierInvoice='${dear.SupplierInvoice}',FiscalYear='2026')`,
      )
      assert.equal(read.json.d.IsReversed, true)
    }))

  it('refuses invoices that do not balance, of another supplier, or in a closed period', () =>
    withTwin(async (tools) => {
      refused(await invoice(tools, '95.00', '10', { InvoiceGrossAmount: '96.00' }), 'M8/534')
      refused(await invoice(tools, '95.00', '10', { InvoicingParty: '17100004' }), 'M8/286')
      refused(await invoice(tools, '95.00', '10', { InvoicingParty: '17100001' }), '06/024')
      refused(await invoice(tools, '95.00', '10', { PostingDate: day('2026-01-15') }), 'M7/053')
      refused(await invoice(tools, '95.00', '10', { DocumentCurrency: 'QQQ' }), '00/058')
    }))

  it('refuses orders with blocked or unknown suppliers, materials, plants, prices and dates', () =>
    withTwin(async ({ write }) => {
      const order = (header: object, item: object = {}) =>
        write({
          method: 'POST',
          url: `${orders}/A_PurchaseOrder`,
          body: {
            CompanyCode: '1710',
            Supplier: '17100003',
            ...header,
            to_PurchaseOrderItem: [
              {
                Material: 'PUMP',
                Plant: '1710',
                OrderQuantity: '5',
                NetPriceAmount: '50',
                to_ScheduleLine: [{ ScheduleLineDeliveryDate: day('2026-03-30') }],
                ...item,
              },
            ],
          },
        })
      done(await order({}))
      refused(await order({ Supplier: '17100004' }), '06/040')
      refused(await order({ Supplier: '1' }), '06/024')
      refused(await order({ PurchaseOrderType: 'XX' }), '00/058')
      refused(await order({ CompanyCode: '9999' }), '00/058')
      refused(await order({ PurchasingGroup: '999' }), '00/058')
      refused(await order({}, { Material: 'NOTHING' }), 'M3/305')
      refused(await order({}, { Plant: '9999' }), '00/058')
      refused(await order({}, { OrderQuantity: '0' }), 'ME/083')
      refused(await order({}, { NetPriceAmount: '0' }), 'ME/083')
      refused(await order({}, { to_ScheduleLine: [] }), 'ME/083')
      refused(await order({}, { PurchaseOrderQuantityUnit: 'KG' }), 'V1/152')
    }))

  it('keeps ordered quantities above what was received, and deletes by marking', () =>
    withTwin(async (tools) => {
      const { get, write } = tools
      const line = `${orders}/A_PurchaseOrderItem(PurchaseOrder='4500000001',PurchaseOrderItem='10')`
      const patch = (body: object) => write({ method: 'PATCH', url: line, body, headers: match })
      done(await receive(tools, '4500000001', '15'))
      refused(await patch({ OrderQuantity: '10' }), '06/115')
      done(await patch({ OrderQuantity: '25' }))
      const lines = (await get(`${line}/to_ScheduleLine`)).json.d.results
      assert.equal(lines[0].ScheduleLineOrderQuantity, '25')
      refused(await write({ method: 'DELETE', url: line, headers: match }), '06/116')
      const cancel = `MaterialDocumentYear='2026'&MaterialDocument='5000000001'&PostingDate=datetime'2026-03-02T00:00:00'`
      done(await write({ method: 'POST', url: `${documents}/Cancel?${cancel}` }))
      assert.equal(await stockOf(tools, 'VALVE'), '5')
      refused(await write({ method: 'POST', url: `${documents}/Cancel?${cancel}` }), 'M7/162')
      done(await write({ method: 'DELETE', url: line, headers: match }))
      assert.equal((await get(line)).json.d.PurchasingDocumentDeletionCode, 'L')
      refused(await receive(tools, '4500000001', '1'), '06/027')
    }))

  it('never lets a stock fall below zero', () =>
    withTwin(async (tools) => {
      const { write } = tools
      const issue = (quantity: string, more: object) =>
        write({
          method: 'POST',
          url: `${documents}/A_MaterialDocumentHeader`,
          body: {
            GoodsMovementCode: '03',
            PostingDate: day('2026-03-02'),
            to_MaterialDocumentItem: [
              {
                Material: 'VALVE',
                Plant: '1710',
                StorageLocation: '171A',
                QuantityInEntryUnit: quantity,
                EntryUnit: 'PC',
                ...more,
              },
            ],
          },
        })
      refused(await issue('6', { GoodsMovementType: '201', CostCenter: '17101101' }), 'M7/021')
      refused(await issue('1', { GoodsMovementType: '201' }), 'M7/018')
      refused(await issue('1', { GoodsMovementType: '561' }), 'M7/101')
      refused(await issue('1', { GoodsMovementType: '999' }), '00/058')
      done(await issue('2', { GoodsMovementType: '551' }))
      assert.equal(await stockOf(tools, 'VALVE'), '3')
    }))
})

describe('availability', () => {
  it('counts stock, promises and purchase orders', () =>
    withTwin(async ({ get, write }) => {
      const at = (date: string) =>
        get(
          `${availability}/DetermineAvailabilityAt?SupplyingPlant='1710'&Material='VALVE'&ATPCheckingRule='A'&RequestedUTCDateTime=datetimeoffset'${date}T00:00:00Z'`,
        ).then(({ json }) => json.d.DetermineAvailabilityAt.AvailableQuantityInBaseUnit)
      assert.equal(await at('2026-03-02'), '5')
      assert.equal(await at('2026-03-20'), '45')
      const made = done(
        await write({
          method: 'POST',
          url: `${orderService}/A_SalesOrder`,
          body: {
            SalesOrganization: '1710',
            DistributionChannel: '10',
            OrganizationDivision: '00',
            SoldToParty: '17100001',
            RequestedDeliveryDate: day('2026-03-10'),
            to_Item: [{ Material: 'VALVE', RequestedQuantity: '1000000' }],
          },
        }),
      ).json.d
      const lines = (
        await get(
          `${orderService}/A_SalesOrderItem(SalesOrder='${made.SalesOrder}',SalesOrderItem='10')/to_ScheduleLine`,
        )
      ).json.d.results
      assert.deepEqual(
        lines.map((line: Record<string, string>) => [
          line.ScheduleLine,
          line.ScheduleLineOrderQuantity,
          line.ConfdOrderQtyByMatlAvailCheck,
          line.ConfirmedDeliveryDate,
        ]),
        [
          ['1', '1000000', '5', day('2026-03-10')],
          ['2', '0', '40', day('2026-03-16')],
        ],
      )
      assert.equal(await at('2026-03-20'), '0')
      const series = await get(
        `${availability}/CalculateAvailabilityTimeseries?SupplyingPlant='1710'&Material='PUMP'&ATPCheckingRule='A'`,
      )
      assert.equal(series.json.d.results[0].AvailableQuantityInBaseUnit, '20')
    }))
})

describe('what comes with a document', () => {
  it('has its codes checked as if it came separately', () =>
    withTwin(async ({ write }) => {
      const order = (TaxCode: string) =>
        write({
          method: 'POST',
          url: `${orders}/A_PurchaseOrder`,
          body: {
            CompanyCode: '1710',
            PurchaseOrderType: 'NB',
            Supplier: '17100003',
            PurchasingOrganization: '1710',
            PurchasingGroup: '001',
            DocumentCurrency: 'USD',
            to_PurchaseOrderItem: [
              {
                Material: 'VALVE',
                Plant: '1710',
                OrderQuantity: '5',
                NetPriceAmount: '9.50',
                TaxCode,
                to_ScheduleLine: [{ ScheduleLineDeliveryDate: day('2026-03-20') }],
              },
            ],
          },
        })
      refused(await order('QQ'), '00/058')
      done(await order('I1'))
    }))
})

describe('a material document that is cancelled', () => {
  it('is taken back today where no posting date is given, and only once', () =>
    withTwin(async (tools) => {
      const { MaterialDocument, MaterialDocumentYear } = done(await receive(tools, '4500000001', '4')).json.d
      const url = `${documents}/Cancel?MaterialDocument='${MaterialDocument}'&MaterialDocumentYear='${MaterialDocumentYear}'`
      const cancelled = done(await tools.write({ method: 'POST', url, headers: match }))
      assert.equal(cancelled.json.d.PostingDate, day('2026-03-02'))
      assert.equal(await stockOf(tools, 'VALVE'), '5')
      refused(await tools.write({ method: 'POST', url, headers: match }), 'M7/162')
    }))
})

describe('a movement type', () => {
  it('that the real system has and the twin has not is recorded as not emulated; an invented one is refused', () =>
    withTwin(async (tools) => {
      const missing = await receive(tools, '4500000001', '1', { GoodsMovementType: '344' })
      assert.equal(missing.status, 501)
      assert.deepEqual(tools.host.steps.at(-1)?.notEmulated, ['movement type 344'])
      refused(await receive(tools, '4500000001', '1', { GoodsMovementType: '999' }), '00/058')
      assert.ok(!tools.host.steps.at(-1)?.notEmulated?.length)
    }))
})
