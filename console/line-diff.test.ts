import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { lineDiff } from './src/parts/line-diff.ts'

const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}`)

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
