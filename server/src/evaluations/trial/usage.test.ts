import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { readUsage } from './usage.ts'

const bytes = (text: string) => Buffer.from(text)
const stream = (...events: object[]) =>
  bytes(
    events.map((event) => `event: x\r\ndata: ${JSON.stringify(event)}\r\n\r\n`).join('') + 'data: [DONE]\n\n',
  )

describe('the usage of a model call', () => {
  const reply = JSON.stringify({ model: 'm', usage: { prompt_tokens: 12, completion_tokens: 3 } })
  const counted = { model: 'm', inputTokens: 12, outputTokens: 3 }

  it('is read from a reply, compressed or not', () => {
    assert.deepEqual(readUsage(bytes(reply), undefined), counted)
    assert.deepEqual(readUsage(gzipSync(reply), 'gzip'), counted)
    assert.deepEqual(readUsage(deflateSync(reply), 'deflate'), counted)
    assert.deepEqual(readUsage(brotliCompressSync(reply), 'br'), counted)
    assert.deepEqual(readUsage(zstdCompressSync(reply), 'zstd'), counted)
    assert.deepEqual(readUsage(brotliCompressSync(gzipSync(reply)), 'gzip, br'), counted)
  })

  it('is read from a stream that reports it at its start and at its end', () => {
    const events = stream(
      { type: 'message_start', message: { model: 'm', usage: { input_tokens: 12, output_tokens: 1 } } },
      { type: 'content_block_delta', delta: { text: 'x' } },
      { type: 'message_delta', usage: { output_tokens: 3 } },
    )
    assert.deepEqual(readUsage(events, undefined), counted)
    assert.deepEqual(readUsage(gzipSync(events), 'gzip'), counted)
  })

  it('is read from a stream that reports it in its last event, or in the response inside it', () => {
    const last = { model: 'm', choices: [], usage: { prompt_tokens: 12, completion_tokens: 3 } }
    assert.deepEqual(readUsage(stream({ model: 'm', usage: null }, last), undefined), counted)
    const response = { model: 'm', usage: { input_tokens: 12, output_tokens: 3 } }
    assert.deepEqual(readUsage(stream({ type: 'response.completed', response }), undefined), counted)
  })

  it('counts the input that was written to or read from a cache', () => {
    const usage = {
      input_tokens: 2,
      cache_read_input_tokens: 7,
      cache_creation_input_tokens: 3,
      output_tokens: 3,
    }
    assert.deepEqual(readUsage(bytes(JSON.stringify({ model: 'm', usage })), undefined), counted)
  })

  it('is read from a compressed reply that was cut, as far as it goes', () => {
    const events = stream(
      { message: { model: 'm', usage: { input_tokens: 12, output_tokens: 3 } } },
      { pad: 'x'.repeat(99_999) },
    )
    const whole = gzipSync(events, { level: 0 })
    assert.deepEqual(readUsage(whole.subarray(0, 50_000), 'gzip'), counted)
  })

  it('is unknown for what is no model’s reply, and for a compression bomb', () => {
    assert.equal(readUsage(bytes('<html>'), undefined), undefined)
    assert.equal(readUsage(bytes('not gzip'), 'gzip'), undefined)
    assert.equal(readUsage(gzipSync(Buffer.alloc(64 * 1_048_576)), 'gzip'), undefined)
    assert.equal(readUsage(bytes(reply), 'unknown'), undefined)
  })
})
