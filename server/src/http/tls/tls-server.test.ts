import assert from 'node:assert/strict'
import { it } from 'node:test'
import { serverFactory } from './tls-server.ts'

it('the listener takes an upload for an hour, and headers for a minute', () => {
  const { requestTimeout, headersTimeout } = serverFactory(undefined)(() => {})
  assert.deepEqual([requestTimeout, headersTimeout], [3_600_000, 60_000])
})
