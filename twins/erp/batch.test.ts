import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { orderService } from './testing/requests.ts'
import { withTwin } from './testing/with-twin.ts'

const json = 'Accept: application/json'
const http = (contentId: string | undefined, line: string, body?: unknown): string =>
  [
    'Content-Type: application/http',
    'Content-Transfer-Encoding: binary',
    ...(contentId ? [`Content-Id: ${contentId}`] : []),
    '',
    `${line} HTTP/1.1`,
    json,
    ...(body === undefined ? [] : ['Content-Type: application/json']),
    'If-Match: *',
    '',
    body === undefined ? '' : JSON.stringify(body),
    '',
  ].join('\r\n')
const post = (contentId: string | undefined, url: string, body: unknown): string =>
  http(contentId, `POST ${url}`, body).replace('If-Match: *\r\n', '')
const multipart = (boundary: string, parts: readonly string[]): string =>
  `${parts.map((part) => `--${boundary}\r\n${part}\r\n`).join('')}--${boundary}--\r\n`
const changeset = (name: string, parts: readonly string[]): string =>
  `Content-Type: multipart/mixed; boundary=${name}\r\n\r\n${multipart(name, parts)}`
const headers = { 'content-type': 'multipart/mixed; boundary=batch_1' }
const url = `${orderService}/$batch`
const newOrder = {
  SalesOrderType: 'OR',
  SalesOrganization: '1710',
  DistributionChannel: '10',
  OrganizationDivision: '00',
  SoldToParty: '17100001',
}

const statuses = (text: string): string[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status ?? '')

describe('a batch', () => {
  it('answers reads and changesets in order, and content ids refer to new entities', () =>
    withTwin(async ({ write, get, host }) => {
      const body = multipart('batch_1', [
        http(undefined, "GET A_SalesOrder('7001')"),
        changeset('cs', [
          post('1', 'A_SalesOrder', newOrder),
          post('2', '$1/to_Item', { Material: 'PUMP-100', RequestedQuantity: '2' }),
          http('3', 'PATCH $1', { PurchaseOrderByCustomer: 'BATCH' }),
        ]),
        http(undefined, `GET ${orderService}/A_SalesOrder('7005')/to_Item?$select=NetAmount`),
        http(undefined, "GET A_SalesOrder('999')"),
      ])
      const reply = await write({ method: 'POST', url, body, headers })
      assert.equal(reply.status, 202)
      assert.deepEqual(statuses(reply.text), ['200', '201', '201', '204', '200', '404'])
      assert.match(reply.text, /Content-ID: 2\r\n/)
      assert.match(reply.text, /"NetAmount":"250\.10"/)
      assert.equal(
        (await get(`${orderService}/A_SalesOrder('7005')`)).json.d.PurchaseOrderByCustomer,
        'BATCH',
      )
      assert.equal(host.steps.find(({ request }) => request.path === url)?.operation, 'POST $batch')
    }))

  it('takes a failing changeset back whole, answers it with one error, and goes on', () =>
    withTwin(async ({ write, host }) => {
      const body = multipart('batch_1', [
        changeset('a', [
          http('1', "PATCH A_SalesOrder('7001')", { PurchaseOrderByCustomer: 'HALF' }),
          post('2', 'A_SalesOrder', { ...newOrder, SoldToParty: '999' }),
          http('3', "PATCH A_SalesOrder('7001')", { PurchaseOrderByCustomer: 'NEVER' }),
        ]),
        changeset('b', [http('1', "PATCH A_SalesOrder('7002')", { PurchaseOrderByCustomer: 'WHOLE' })]),
      ])
      const reply = await write({ method: 'POST', url, body, headers })
      assert.deepEqual(statuses(reply.text), ['400', '204'])
      assert.match(
        reply.text,
        /Content-Type: application\/http\r\n(?:[^\r]*\r\n)*\r\nHTTP\/1\.1 400 Bad Request/,
      )
      assert.match(reply.text, /not maintained for sales area/)
      assert.deepEqual(
        host.instance.diff().map(({ id }) => id),
        ['7002'],
      )
    }))

  it('refuses writes outside a changeset and reads inside one', () =>
    withTwin(async ({ write, host }) => {
      const body = multipart('batch_1', [
        http(undefined, "PATCH A_SalesOrder('7001')", { PurchaseOrderByCustomer: 'X' }),
        changeset('a', [http('1', "GET A_SalesOrder('7001')")]),
      ])
      assert.deepEqual(statuses((await write({ method: 'POST', url, body, headers })).text), ['400', '400'])
      assert.deepEqual(host.instance.diff(), [])
    }))

  it('needs a token when it changes something, and none when it only reads', () =>
    withTwin(async ({ send, host }) => {
      const reads = multipart('batch_1', [http(undefined, "GET A_SalesOrder('7001')")])
      assert.equal((await send({ method: 'POST', url, body: reads, headers })).status, 202)
      const writes = multipart('batch_1', [
        changeset('a', [http('1', "PATCH A_SalesOrder('7001')", { PurchaseOrderByCustomer: 'X' })]),
      ])
      const refused = await send({ method: 'POST', url, body: writes, headers })
      assert.equal(refused.status, 403)
      assert.equal(refused.json.error.code, '/IWFND/CM_MGW/098')
      assert.equal(refused.headers.get('x-csrf-token'), 'Required')
      assert.deepEqual(host.instance.diff(), [])
    }))

  it('refuses a body that is not a batch', () =>
    withTwin(async ({ write }) => {
      for (const [body, type] of [
        ['', 'multipart/mixed; boundary=batch_1'],
        ['--batch_1', 'multipart/mixed; boundary=batch_1'],
        ['{}', 'application/json'],
        ['--b--', 'multipart/mixed'],
      ] as const)
        assert.equal(
          (await write({ method: 'POST', url, body, headers: { 'content-type': type } })).status,
          400,
          body,
        )
    }))
})
