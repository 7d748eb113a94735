import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isBeyond, points } from './src/evaluations/points.ts'
import { lineDiff } from './src/parts/differences/line-diff.ts'
import { wordDiff } from './src/parts/differences/word-diff.ts'

const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}`)

describe('the difference of two lines', () => {
  it('is shown in whole words', () => {
    const [was, is] = wordDiff('post the case number there', 'post the order number there')
    assert.deepEqual(was, { before: 'post the ', changed: 'case ', after: 'number there' })
    assert.deepEqual(is, { before: 'post the ', changed: 'order ', after: 'number there' })
  })

  it('is nothing but the words that were added', () => {
    const [was, is] = wordDiff('go there', 'go there now')
    assert.equal(was.before + was.changed + was.after, 'go there')
    assert.equal(is.before + is.changed + is.after, 'go there now')
  })
})

describe('the difference of two rates', () => {
  it('is shown as computed, beyond a hundred points as well', () => {
    assert.equal(points(1.55), '+155 points')
    assert.equal(points(-0.054), '−5 points')
    assert.equal(points(0.001), '0 points')
    assert.equal(isBeyond({ low: -0.05, high: 1.55 }), true)
    assert.equal(isBeyond({ low: -0.05, high: 1 }), false)
  })
})

describe('the difference of two texts', () => {
  it('shows the lines that changed with two lines around them, and folds the rest', () => {
    const before = lines(1, 40)
    const after = before.with(19, 'another line')
    assert.deepEqual(lineDiff(before.join('\n'), after.join('\n')), [
      { kind: 'gap', count: 17 },
      { kind: 'same', text: 'line 18' },
      { kind: 'same', text: 'line 19' },
      { kind: 'gone', text: 'line 20' },
      { kind: 'new', text: 'another line' },
      { kind: 'same', text: 'line 21' },
      { kind: 'same', text: 'line 22' },
      { kind: 'gap', count: 18 },
    ])
  })

  it('gives both texts back when the folds are opened', () => {
    const before = ['a', 'b', 'c', 'd', 'e', 'a']
    const after = ['b', 'x', 'c', 'e', 'a', 'a', 'y']
    const found = lineDiff(before.join('\n'), after.join('\n'))
    const side = (gone: 'gone' | 'new') =>
      found.flatMap((line) => (line.kind === 'same' || line.kind === gone ? [line.text] : []))
    assert.deepEqual(side('gone'), before)
    assert.deepEqual(side('new'), after)
  })

  it('answers for texts that are too long to be searched', () => {
    const found = lineDiff(lines(1, 2_000).join('\n'), lines(3_000, 5_000).join('\n'))
    assert.equal(found.length, 4_001)
  })
})
