import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { FairWriter, type FairWriterOptions } from './fair-writer.ts'

interface Item {
  readonly tenant: string
  readonly stream: string
  readonly n: number
  readonly bytes: number
}

const item = (tenant: string, n: number, { stream = tenant, bytes = 1_000 } = {}): Item => ({
  tenant,
  stream,
  n,
  bytes,
})

/** A writer whose flushes end when the test says so. */
const controlled = (options: Partial<FairWriterOptions<Item>> = {}) => {
  const batches: { items: readonly Item[]; end: PromiseWithResolvers<void> }[] = []
  const writer = new FairWriter<Item>({
    flush: async (items) => {
      const end = Promise.withResolvers<void>()
      batches.push({ items, end })
      await end.promise
    },
    streamOf: ({ stream }) => stream,
    tenantOf: ({ tenant }) => tenant,
    bytesOf: ({ bytes }) => bytes,
    concurrency: 1,
    maxBatchItems: 100,
    maxBatchBytes: 100_000,
    ...options,
  })
  const started = async (count: number) => {
    for (let n = 0; n < 1_000 && batches.length < count; n++) await turn()
    const batch = batches[count - 1]
    assert.ok(batch, `flush ${count} has begun`)
    return batch
  }
  return { writer, started, batches }
}

describe('a fair writer', () => {
  it('writes what one tenant sends within two batches, however long the queue of another is', async () => {
    const { writer, started } = controlled({ maxBatchItems: 10 })
    const flood = Array.from({ length: 500 }, (_, n) => writer.write(item('loud', n)))
    ;(await started(1)).end.resolve()
    const quiet = writer.write(item('quiet', 0))
    const second = await started(2)
    assert.ok(second.items.some(({ tenant }) => tenant === 'quiet'))
    second.end.resolve()
    await quiet
    const draining = writer.drain()
    for (let n = 3; writer.queued > 0; n++) (await started(n)).end.resolve()
    await Promise.all([...flood, draining])
    assert.equal(writer.bytes, 0)
  })

  it('keeps the order of a stream and never writes it in two flushes at once', async () => {
    const { writer, started, batches } = controlled({ concurrency: 2, maxBatchItems: 3 })
    const written = Array.from({ length: 9 }, (_, n) => writer.write(item('a', n)))
    const first = await started(1)
    for (let n = 0; n < 20; n++) await turn()
    assert.equal(batches.length, 1, 'the second flush waits for the first')
    first.end.resolve()
    ;(await started(2)).end.resolve()
    ;(await started(3)).end.resolve()
    await Promise.all(written)
    assert.deepEqual(
      batches.flatMap(({ items }) => items.map(({ n }) => n)),
      [0, 1, 2, 3, 4, 5, 6, 7, 8],
    )
  })

  it('bounds a batch in bytes, and counts what is pending for each tenant and stream', async () => {
    const { writer, started, batches } = controlled({ maxBatchBytes: 50_000 })
    const written = Array.from({ length: 5 }, (_, n) =>
      writer.write(item('a', n, { stream: `a${n % 2}`, bytes: 30_000 })),
    )
    assert.equal(writer.tenantBytes('a'), 150_000)
    assert.equal(writer.streamBytes('a1'), 60_000)
    for (let n = 1; n <= 3; n++) (await started(n)).end.resolve()
    await Promise.all(written)
    for (const { items } of batches) assert.ok(items.reduce((sum, { bytes }) => sum + bytes, 0) <= 80_000)
    assert.equal(writer.tenantBytes('a') + writer.streamBytes('a1') + writer.bytes, 0)
  })

  it('lets a bad item fail alone, and those of other streams be written', async () => {
    const writer = new FairWriter<Item>({
      flush: async (items) => {
        if (items.some(({ n }) => n === 13)) throw new RangeError('bad')
      },
      streamOf: ({ stream }) => stream,
      tenantOf: ({ tenant }) => tenant,
      bytesOf: ({ bytes }) => bytes,
      concurrency: 1,
      maxBatchItems: 100,
      maxBatchBytes: 100_000,
      isItemFault: (error) => error instanceof RangeError,
    })
    const outcomes = await Promise.allSettled([
      writer.write(item('a', 1)),
      writer.write(item('b', 13)),
      writer.write(item('b', 2)),
      writer.write(item('c', 3)),
    ])
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
    )
  })

  it('gathers items for a while, and not when somebody asks for them to be written', async () => {
    const { writer, started, batches } = controlled({ gatherMs: 3_600_000 })
    const waiting = writer.write(item('a', 0))
    for (let n = 0; n < 20; n++) await turn()
    assert.equal(batches.length, 0)
    const flushed = writer.flush(['a'])
    ;(await started(1)).end.resolve()
    await Promise.all([waiting, flushed])
    await writer.flush(['nobody'])
  })

  it('starts a gathering flush as soon as a batch is full', async () => {
    const { writer, started } = controlled({ gatherMs: 3_600_000, maxBatchItems: 3 })
    const written = [0, 1, 2].map((n) => writer.write(item('a', n)))
    ;(await started(1)).end.resolve()
    await Promise.all(written)
  })
})
