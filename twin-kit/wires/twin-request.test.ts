import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { toTwinRequest } from './twin-request.ts'

const arrived = { method: 'GET', headers: {}, baseUrl: 'http://127.0.0.1:1/t/twin' }

describe('the conversion to a twin request', () => {
  it('splits the target at the first question mark and decodes nothing', () => {
    const { path, query } = toTwinRequest({ ...arrived, target: '/a%2Fb?q=1?2&r=%20' })
    assert.deepEqual({ path, query }, { path: '/a%2Fb', query: 'q=1?2&r=%20' })
  })
  it('uses the root path for a target without one', () => {
    assert.equal(toTwinRequest({ ...arrived, target: '' }).path, '/')
    assert.deepEqual(toTwinRequest({ ...arrived, target: '?q=1' }).path, '/')
  })
  it('joins repeated headers and omits pseudo-headers', () => {
    const headers = { ':path': '/a', accept: ['text/plain', 'text/html'], host: 'x', etag: undefined }
    assert.deepEqual(toTwinRequest({ ...arrived, target: '/', headers }).headers, {
      accept: 'text/plain, text/html',
      host: 'x',
    })
  })
  it('keeps the host, the state of a stream and the body', () => {
    const body = new Uint8Array([1])
    const request = toTwinRequest({
      ...arrived,
      target: '/',
      body,
      host: 'api.example',
      stream: { state: 's' },
    })
    assert.equal(request.body, body)
    assert.equal(request.host, 'api.example')
    assert.deepEqual(request.stream, { state: 's' })
  })
})
