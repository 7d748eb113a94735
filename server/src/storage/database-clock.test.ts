import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openDatabaseClock } from './database-clock.ts'

const dayMs = 86_400_000
const noon = Date.UTC(2026, 2, 1, 12)

describe('the clock of a node', () => {
  it('shows the time of the database where its own is wrong by days', async () => {
    for (const wrongMs of [31 * dayMs, -31 * dayMs]) {
      const clock = await openDatabaseClock({ ask: async () => noon, now: () => noon + wrongMs })
      assert.equal(clock.now(), noon)
    }
  })

  it('is left alone where it differs by less than clocks of synchronised machines may', async () => {
    const clock = await openDatabaseClock({ ask: async () => noon, now: () => noon + 400 })
    assert.equal(clock.now(), noon + 400)
  })

  it('is not corrected by what a slow reply may explain', async () => {
    const times = [noon, noon + 8_000]
    const clock = await openDatabaseClock({
      ask: async () => noon + 8_000,
      now: () => times.shift() ?? noon + 8_000,
    })
    assert.equal(clock.now(), noon + 8_000)
  })

  it('follows when this machine is set to another time, and when it is set right again', async () => {
    let here = noon
    const clock = await openDatabaseClock({ ask: async () => noon, now: () => here })
    here = noon + dayMs
    await clock.sync()
    assert.equal(clock.now(), noon)
    here = noon
    await clock.sync()
    assert.equal(clock.now(), noon)
  })
})
