import assert from 'node:assert/strict'
import { it } from 'node:test'
import { localEmbedder } from './local-embedder.ts'

it('embeds a query before the texts of the index that came first, and each text as it is', async () => {
  const embedder = localEmbedder()
  try {
    const texts = Array.from({ length: 40 }, (_, n) => `Invoice ${n} was paid twice by the customer.`)
    let isIndexed = false
    const indexing = embedder.embed(texts).then((vectors) => {
      isIndexed = true
      return vectors
    })
    const [query] = await embedder.embed(['paid two times'], 'query')
    assert.equal(isIndexed, false)
    const vectors = await indexing
    assert.equal(vectors.length, texts.length)
    const [again] = await embedder.embed([texts[39] ?? ''])
    assert.deepEqual(vectors[39], again)
    assert.equal(query?.length, again?.length)
    assert.deepEqual(await embedder.embed([]), [])
  } finally {
    await embedder.close()
  }
})
