import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { serveTwin } from '@diorama/twin-kit/testing/host'
import { businessServices } from './catalogue/services.ts'
import { destinationOf, generatedClients } from './testing/generated-client.ts'
import { testSection } from './testing/section.ts'
import { erp } from './twin.ts'

describe('clients generated from our own $metadata', async () => {
  const clients = await generatedClients(businessServices.map(({ name }) => name))

  it('compile for every service', () => assert.deepEqual(clients.errors, []))

  it('delete an order, and see the refusal of a function import', async () => {
    await using host = await serveTwin(erp, testSection)
    const destination = destinationOf(host)
    const orders = clients.load('API_SALES_ORDER_SRV')
    const { salesOrderApi } = orders.apiSalesOrderSrv()
    const read = await salesOrderApi.requestBuilder().getByKey('7001').execute(destination)
    await salesOrderApi.requestBuilder().delete(read).execute(destination)
    await assert.rejects(
      salesOrderApi.requestBuilder().getByKey('7001').execute(destination),
      (error: { rootCause?: { response?: { status?: number } } }) =>
        error.rootCause?.response?.status === 404,
    )
    await assert.rejects(orders.releaseApprovalRequest({ salesOrder: '7002' }).execute(destination))
    assert.deepEqual(host.failures, [])
  })
})
