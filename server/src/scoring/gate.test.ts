import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openGate } from './gate.ts'

describe('a gate', () => {
  it('lets so many run, so many wait, and refuses the rest; failures free their place', async () => {
    const gate = openGate({ atOnce: 2, maxWaiting: 2 })
    let running = 0
    let most = 0
    const held = Promise.withResolvers<void>()
    const work = (n: number) =>
      gate(async () => {
        running++
        most = Math.max(most, running)
        await held.promise
        running--
        if (n === 0) throw new Error('fails')
        return n
      })
    const admitted = [0, 1, 2, 3].map(work)
    await assert.rejects(work(4), { code: 'limit_exceeded', retryAfterSeconds: 5 })
    held.resolve()
    const ended = await Promise.allSettled(admitted)
    assert.deepEqual(
      ended.map(({ status }) => status),
      ['rejected', 'fulfilled', 'fulfilled', 'fulfilled'],
    )
    assert.deepEqual([most, running, await work(5)], [2, 0, 5])
  })
})
