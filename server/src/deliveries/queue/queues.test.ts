import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import type { Delivery } from '../delivery.ts'
import { createQueues, type RunResult } from './queues.ts'

const delivery = (id: string, receiver: string): Delivery => ({
  ...{ id, twinId: 'twn_1', organizationId: 'org_1', epoch: 1, attempts: 0, fault: undefined },
  emission: { id, channel: 'events', kind: 'note', receiver, url: null, payload: {} },
})

/** Lets what has just been resolved run. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

test('a receiver that keeps failing gets one attempt in each interval until it accepts one', async () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  try {
    let time = 0
    const started: string[] = []
    const results: Record<string, RunResult> = { down: 'failed', up: 'accepted' }
    const queues = createQueues({
      ...{ maxRunning: 100, maxRunningOfOrganization: 100, minFailingIntervalMs: 50 },
      now: () => time,
      run: async ({ id, emission }) => {
        started.push(id)
        return results[emission.receiver] ?? 'not made'
      },
    })
    const pass = async (ms: number): Promise<number> => {
      const before = started.length
      time += ms
      mock.timers.tick(ms)
      for (let n = 0; n < 20; n++) await turn()
      return started.length - before
    }
    for (let n = 0; n < 20; n++) queues.add(delivery(`d${n}`, 'down'), 1)
    // Eight in a row show that it fails, and the ninth starts the intervals. The first has started when it was added.
    assert.equal(await pass(0), 8)
    assert.equal(await pass(49), 0)
    assert.equal(await pass(1), 1)
    assert.equal(await pass(50), 1)
    for (let n = 0; n < 20; n++) queues.add(delivery(`u${n}`, 'up'), 1)
    await pass(0)
    assert.equal(started.filter((id) => id.startsWith('u')).length, 20, 'others do not wait for it')
    results.down = 'accepted'
    assert.equal(await pass(50), 9, 'one that is accepted lets the rest go at once')
    assert.deepEqual(started.slice(0, 9), ['d0', 'd1', 'd2', 'd3', 'd4', 'd5', 'd6', 'd7', 'd8'])
    assert.equal(queues.size, 0)
    await queues.idle()
  } finally {
    mock.timers.reset()
  }
})

test('a failing receiver is known as one after its queue was empty', async () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  try {
    let runs = 0
    const queues = createQueues({
      ...{ maxRunning: 100, maxRunningOfOrganization: 100, minFailingIntervalMs: 50 },
      now: () => 0,
      run: async () => {
        runs++
        return 'failed'
      },
    })
    for (let n = 0; n < 12; n++) {
      queues.add(delivery(`d${n}`, 'down'), 8)
      await turn()
    }
    assert.equal(runs, 9)
    assert.equal(queues.forget('twn_1').length, 3)
    assert.equal(queues.size, 0)
  } finally {
    mock.timers.reset()
  }
})
