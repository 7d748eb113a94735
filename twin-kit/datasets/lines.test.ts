import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { linesOf, textOf } from './lines.ts'

const text = '\ufeffKiln “7” – 1 180 °C 🔥\nsecond'
const bytes = new TextEncoder().encode(text)

async function* cutAt(all: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < all.length; at += size) yield all.subarray(at, at + size)
}
const whole = async (source: AsyncIterable<string>): Promise<string[]> => {
  const all: string[] = []
  for await (const one of source) all.push(one)
  return all
}

describe('text of chunks', () => {
  it('is the same wherever the chunks are cut, without its byte order mark', async () => {
    for (const size of [1, 2, 3, 4, 5, 7, bytes.length]) {
      assert.equal((await whole(textOf(cutAt(bytes, size)))).join(''), text.slice(1), `in pieces of ${size}`)
      assert.deepEqual(await whole(linesOf(cutAt(bytes, size))), text.slice(1).split('\n'))
    }
  })

  it('that is no UTF-8, or ends within a character, is an error', async () => {
    const fault = { code: 'ERR_ENCODING_INVALID_ENCODED_DATA' }
    await assert.rejects(whole(textOf(cutAt(Uint8Array.of(0x61, 0xff, 0x62), 2))), fault)
    await assert.rejects(whole(textOf(cutAt(Uint8Array.of(0x61, 0xf0, 0x9f), 1))), fault)
    await assert.rejects(whole(textOf(cutAt(Uint8Array.of(0x80, 0x80, 0x80, 0x80), 2))), fault)
  })
})
