import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { testStorage } from '../storage/testing.ts'
import { headOf, storableValue, tailOf } from './storable.ts'
import { openRows } from './testing-rows.ts'

const hostile = [
  ['NUL', 'a\0b', 'a\ufffdb'],
  ['a lone high surrogate', 'a\ud83d', 'a\ufffd'],
  ['a lone low surrogate', '\udcffa', '\ufffda'],
  ['an escaped NUL', 'a\\u0000b', 'a\\u0000b'],
] as const

describe('what an agent produced', () => {
  for (const [name, text, stored] of hostile)
    it(`is stored when it holds ${name}, wherever it is`, async () => {
      await using test = await testStorage()
      const { store, job, read } = await openRows(test)
      const id = await job(1, 1)
      const [trial] = await store.claim('worker', { maxTrials: 1, leaseMs: 60_000, maxAttempts: 3 })
      assert.ok(trial)
      const step = { kind: 'agent', name: text, detail: { stdout: text, [text]: [text] } }
      const outcome = {
        status: 'succeeded',
        error: text,
        output: text,
        scores: [{ name: 'x', reason: text }],
        steps: [step],
      }
      assert.equal(await store.finish(trial, 'worker', outcome), 'ended')
      const [row] = (await read(id)).trials
      assert.deepEqual([row?.error, row?.output], [stored, stored])
      assert.deepEqual(row?.scores, [{ name: 'x', reason: stored }])
      assert.deepEqual(row?.steps, [
        { kind: 'agent', name: stored, detail: { stdout: stored, [stored]: [stored] } },
      ])
    })

  it('is cut between characters, with a note of what is missing', () => {
    assert.equal(headOf('ab😀cd', 3), 'ab [truncated: 3 more characters]')
    assert.equal(tailOf('ab😀cd', 3), 'cd')
    assert.equal(tailOf('ab😀cd', 4), '😀cd')
    assert.deepEqual(storableValue([1, 2, 3], { maxCharacters: 10, maxItems: 2 }), [
      1,
      2,
      '[truncated: 1 more]',
    ])
  })

  it('is stored when it nests deeper than the database goes', () => {
    let deep: unknown = 'x'
    for (let n = 0; n < 10_000; n++) deep = [deep]
    const text = JSON.stringify(storableValue(deep, { maxCharacters: 10, maxItems: 10 }))
    assert.ok(text.length < 200)
  })
})
