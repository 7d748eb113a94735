import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openMetrics } from '../http/metrics.ts'
import { testStorage } from '../storage/testing.ts'
import { openRows } from './testing-rows.ts'
import { countOutcomes, showTrials } from './trial-metrics.ts'

const minute = 60_000

describe('the metrics of trials', () => {
  it('count what waits, what could run at the same time, and how attempts ended', async () => {
    await using test = await testStorage()
    const { store, job } = await openRows(test)
    const metrics = openMetrics()
    let now = 0
    const counted = countOutcomes(store, metrics)
    showTrials({ metrics, store: counted, now: () => now, worker: () => ({ running: 3 }), slots: 8 })
    const read = async (name: string): Promise<number> => {
      const page = await metrics.registry.metrics()
      const line = page.split('\n').find((one) => one.startsWith(`diorama_${name} `))
      return Number(line?.split(' ')[1])
    }
    const ended = (outcome: string) => read(`trial_attempts_total{outcome="${outcome}"}`)
    await job(10, 4)
    await job(2, 4)
    assert.deepEqual([await read('trials_queued'), await read('trials_wanted')], [12, 6])
    const claimed = await counted.claim('worker', { maxTrials: 6, leaseMs: minute, maxAttempts: 5 })
    assert.equal(await read('trials_queued'), 12, 'a second has not passed')
    now += minute
    assert.deepEqual([await read('trials_queued'), await read('trials_wanted')], [6, 6])
    const [passed, failed, errored, voided, returned, late] = claimed
    assert.ok(passed && failed && errored && voided && returned && late)
    await counted.finish(passed, 'worker', { status: 'succeeded', passed: true })
    await counted.finish(failed, 'worker', { status: 'failed', passed: false })
    await counted.finish(errored, 'worker', { status: 'errored' })
    const fault = { attempt: 1, cause: 'platform' as const, error: 'broken', at: new Date().toISOString() }
    await counted.finish(voided, 'worker', { status: 'queued', voided: fault })
    await counted.finish(returned, 'worker', { status: 'queued' })
    assert.equal(await counted.finish(late, 'another', { status: 'succeeded', passed: true }), 'lost')
    for (const outcome of ['passed', 'failed', 'errored', 'voided', 'returned'])
      assert.equal(await ended(outcome), 1, outcome)
    assert.equal(await ended('cancelled'), 0)
    assert.deepEqual([await read('trials_running'), await read('trial_slots')], [3, 8])
  })
})
