import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { refusalOf } from './refusal.ts'

const json = { 'content-type': 'application/json' }
const said = (status: number, body: unknown) =>
  refusalOf({ status, headers: json, body: typeof body === 'string' ? body : JSON.stringify(body) })

describe('a refusal', () => {
  it('is found in the form of each wire, whatever the status', () => {
    const cases: [number, unknown, string | null][] = [
      [200, { ok: true, channel: 'C1' }, null],
      [200, { ok: false, error: 'channel_not_found' }, 'channel_not_found'],
      [200, { data: { issue: { id: '1' } } }, null],
      [200, { errors: [{ message: 'Entity not found' }], data: null }, 'Entity not found'],
      [200, { jsonrpc: '2.0', id: 1, error: { code: -32602, message: 'Unknown tool' } }, 'Unknown tool'],
      [
        200,
        [{ id: null, success: false, errors: [{ statusCode: 'REQUIRED_FIELD_MISSING' }] }],
        'REQUIRED_FIELD_MISSING',
      ],
      [200, { id: '1', success: true, errors: [] }, null],
      [200, '--b\r\n\r\nHTTP/1.1 404 Not Found\r\n', '404 Not Found'],
      [400, [{ message: 'No such column', errorCode: 'INVALID_FIELD' }], 'INVALID_FIELD'],
      [404, '', 'status 404'],
      [204, '', null],
    ]
    for (const [status, body, expected] of cases)
      assert.equal(said(status, body), expected, JSON.stringify(body))
  })

  it('is not looked for in bytes that are no text', () => {
    const body = new TextEncoder().encode('{"ok":false}')
    assert.equal(refusalOf({ status: 200, headers: { 'content-type': 'image/png' }, body }), null)
  })
})
