import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GroupWriter, QueueFull } from './group.ts'

/** A flush that waits until it is let go, and remembers what it got. */
const gate = () => {
  const batches: (readonly number[])[] = []
  const waiting: (() => void)[] = []
  return {
    batches,
    flush(items: readonly number[]): Promise<readonly string[]> {
      batches.push(items)
      return new Promise((resolve) => waiting.push(() => resolve(items.map((item) => `wrote ${item}`))))
    },
    letGo: () => waiting.shift()?.(),
  }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

test('items that arrive together are written together, in order, and each gets its own result', async () => {
  const batches: (readonly number[])[] = []
  const writer = new GroupWriter<number, number>({
    async flush(items) {
      batches.push(items)
      return items.map((item) => item * 2)
    },
  })
  assert.deepEqual(await Promise.all([1, 2, 3].map((item) => writer.write(item))), [2, 4, 6])
  assert.deepEqual(batches, [[1, 2, 3]])
})

test('one flush is under way at a time in a lane, and what arrives meanwhile forms the next, up to its limit', async () => {
  const { batches, flush, letGo } = gate()
  const writer = new GroupWriter({ flush, maxBatch: 3 })
  const first = writer.write(1)
  await turn()
  const later = [2, 3, 4, 5].map((item) => writer.write(item))
  await turn()
  assert.deepEqual(batches, [[1]])
  letGo()
  assert.equal(await first, 'wrote 1')
  await turn()
  letGo()
  await turn()
  letGo()
  assert.deepEqual(await Promise.all(later), ['wrote 2', 'wrote 3', 'wrote 4', 'wrote 5'])
  assert.deepEqual(batches, [[1], [2, 3, 4], [5]])
})

test('lanes flush side by side, and items of one lane stay in it', async () => {
  const { batches, flush, letGo } = gate()
  const writer = new GroupWriter({ flush, lanes: 2, laneOf: (item: number) => item % 2 })
  const all = [1, 2, 3, 4].map((item) => writer.write(item))
  await turn()
  assert.deepEqual(batches, [
    [1, 3],
    [2, 4],
  ])
  letGo()
  letGo()
  assert.equal((await Promise.all(all)).length, 4)
})

test('a writer that is full refuses with a code, and takes items again when there is room', async () => {
  const { flush, letGo } = gate()
  const writer = new GroupWriter({ flush, maxQueue: 2 })
  const first = writer.write(1)
  await turn()
  const waiting = [writer.write(2), writer.write(3)]
  await assert.rejects(writer.write(4), (error) => error instanceof QueueFull && error.code === 'queue_full')
  letGo()
  await first
  await turn()
  const again = writer.write(5)
  letGo()
  await Promise.all(waiting)
  await turn()
  letGo()
  assert.equal(await again, 'wrote 5')
})

test('a failed flush fails each of its items, and the next goes on', async () => {
  const writer = new GroupWriter<number, number>({
    async flush(items) {
      if (items.includes(13)) throw new Error('unlucky')
      return items
    },
  })
  const outcomes = await Promise.allSettled([1, 13, 2].map((item) => writer.write(item)))
  assert.deepEqual(
    outcomes.map((outcome) => outcome.status),
    ['rejected', 'rejected', 'rejected'],
  )
  assert.equal(await writer.write(3), 3)
})

test('where asked for, a bad item fails alone', async () => {
  const writer = new GroupWriter<number, number>({
    retrySingly: (error) => error instanceof Error && error.message === 'unlucky',
    async flush(items) {
      if (items.includes(13)) throw new Error('unlucky')
      return items
    },
  })
  const outcomes = await Promise.allSettled([1, 13, 2].map((item) => writer.write(item)))
  assert.deepEqual(
    outcomes.map((outcome) => outcome.status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
})

test('a flush that loses a result fails its items instead of leaving one waiting', async () => {
  const writer = new GroupWriter<number, number>({ flush: async (items) => items.slice(1) })
  await assert.rejects(writer.write(1), /returned 0 results/)
})

test('drain waits for everything that was given', async () => {
  let written = 0
  const writer = new GroupWriter<number, void>({
    maxBatch: 2,
    async flush(items) {
      await turn()
      written += items.length
      return items.map(() => undefined)
    },
  })
  for (let item = 0; item < 7; item++) void writer.write(item)
  await writer.drain()
  assert.equal(written, 7)
  await writer.drain()
})

test('items without a waiter are buffered until one with a waiter arrives', async () => {
  const { batches, flush, letGo } = gate()
  const writer = new GroupWriter({ flush, isPatient: (item: number) => item < 10, gatherMs: 60_000 })
  const all = [1, 2].map((item) => writer.write(item))
  await turn()
  assert.deepEqual(batches, [])
  all.push(writer.write(10))
  await turn()
  assert.deepEqual(batches, [[1, 2, 10]])
  all.push(writer.write(3))
  letGo()
  await turn()
  assert.deepEqual(batches, [[1, 2, 10]])
  assert.equal(writer.queued, 1)
  const hurried = writer.flush()
  await turn()
  letGo()
  await hurried
  assert.deepEqual(await Promise.all(all), ['wrote 1', 'wrote 2', 'wrote 10', 'wrote 3'])
  assert.deepEqual(batches, [[1, 2, 10], [3]])
})

test('items that gather are written when their time is over, when they fill a batch, and when all must be', async () => {
  const batches: (readonly number[])[] = []
  const flush = async (items: readonly number[]) => {
    batches.push(items)
    return items
  }
  const soon = new GroupWriter({ flush, isPatient: () => true, gatherMs: 1 })
  await Promise.all([soon.write(1), soon.write(2)])
  const late = new GroupWriter({ flush, isPatient: () => true, gatherMs: 60_000, maxBatch: 2 })
  const full = [3, 4, 5].map((item) => late.write(item))
  await Promise.all(full.slice(0, 2))
  await late.drain()
  await Promise.all(full)
  assert.deepEqual(batches, [[1, 2], [3, 4], [5]])
})
