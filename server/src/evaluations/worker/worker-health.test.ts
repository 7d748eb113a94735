import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { silentLog } from '../../storage/log.ts'
import { createWorkerHealth } from './worker-health.ts'

const openHealth = () => {
  const machine = { fault: undefined as string | undefined, probes: 0, now: 0 }
  const health = createWorkerHealth({
    probe: async () => {
      machine.probes++
      return machine.fault
    },
    now: () => machine.now,
    log: silentLog,
  })
  return { machine, health }
}

describe('the health of a worker', () => {
  it('is tried out before the first claim, and again only after an attempt has failed', async () => {
    const { machine, health } = openHealth()
    for (let n = 0; n < 3; n++) assert.equal(await health.isFit(), true)
    assert.equal(machine.probes, 1)
    health.doubt()
    assert.equal(await health.isFit(), true, 'it was the trial that failed')
    assert.equal(machine.probes, 2)
  })

  it('keeps it from claiming while the machine cannot run trials, with longer and longer pauses', async () => {
    const { machine, health } = openHealth()
    machine.fault = 'no space left on device'
    const probedAt: number[] = []
    for (; machine.now < 130_000; machine.now += 100) {
      const before = machine.probes
      assert.equal(await health.isFit(), false)
      if (machine.probes > before) probedAt.push(machine.now / 1_000)
    }
    assert.deepEqual(probedAt, [0, 1, 3, 7, 15, 31, 63, 123])
    assert.equal(health.isQuarantined(), true)
  })

  it('comes back when the machine does', async () => {
    const { machine, health } = openHealth()
    machine.fault = 'no sandbox'
    for (; machine.now < 40_000; machine.now += 1_000) await health.isFit()
    assert.equal(health.isQuarantined(), true)
    machine.fault = undefined
    machine.now = 100_000
    assert.equal(await health.isFit(), true)
    assert.equal(health.isQuarantined(), false)
  })
})
