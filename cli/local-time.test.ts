import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { localTime, momentOf } from './local-time.ts'

const inZone = (zone: string, work: () => void): void => {
  const before = process.env.TZ
  try {
    process.env.TZ = zone
    work()
  } finally {
    if (before === undefined) delete process.env.TZ
    else process.env.TZ = before
  }
}

describe('times on the command line', () => {
  it('are shown in the time zone of the reader', () => {
    inZone('Asia/Kathmandu', () => assert.equal(localTime('2026-03-02T20:30:00.000Z'), '2026-03-03 02:15:00'))
    inZone('America/New_York', () => assert.equal(localTime('2026-03-02T20:30:00Z'), '2026-03-02 15:30:00'))
  })

  it('are read in the same zone, unless they have an offset', () => {
    inZone('Asia/Kathmandu', () => {
      assert.equal(momentOf('2026-03-03 02:15:00'), '2026-03-02T20:30:00.000Z')
      assert.equal(momentOf('2026-03-03T02:15'), '2026-03-02T20:30:00.000Z')
      for (const text of [
        '2026-03-02T20:30:00Z',
        '2026-03-02T20:30:00+02:00',
        'last_24h',
        '2026-99-99 02:15',
      ])
        assert.equal(momentOf(text), text)
    })
  })
})
