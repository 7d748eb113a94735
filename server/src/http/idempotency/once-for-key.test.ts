import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ApiError } from '../api-error.ts'
import { onceForKey } from './once-for-key.ts'

interface Row {
  readonly fingerprint: string
  readonly answered: boolean
}

/** Requests that remember each other in a map, as a noun's table does. */
const createNoun = () => {
  const rows = new Map<string, Row>()
  let made = 0
  const request = (key: string | null, fingerprint: string, maxWaitMs = 5_000) =>
    onceForKey<Row, number>({
      key,
      fingerprint,
      find: async (name) => rows.get(name),
      isAnswered: ({ answered }) => answered,
      make: async () => {
        if (key !== null && rows.has(key)) return undefined
        if (key !== null) rows.set(key, { fingerprint, answered: true })
        made += 1
        return made
      },
      maxWaitMs,
      tooSlow: () => new ApiError('unavailable', 'Still being answered.'),
    })
  return { rows, request, count: () => made }
}

describe('a request under an idempotency key', () => {
  it('is answered once, also when many arrive together and lose the race for the key', async () => {
    const noun = createNoun()
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => noun.request('k', 'a')))
    assert.equal(outcomes.filter((outcome) => 'made' in outcome).length, 1)
    assert.equal(noun.count(), 1)
  })

  it('is done each time without a key', async () => {
    const noun = createNoun()
    await noun.request(null, 'a')
    await noun.request(null, 'a')
    assert.equal(noun.count(), 2)
  })

  it('conflicts with another request that used the key', async () => {
    const noun = createNoun()
    await noun.request('k', 'a')
    await assert.rejects(noun.request('k', 'b'), { code: 'idempotency_conflict' })
  })

  it('waits for the first one to be answered, within a limit', async () => {
    const noun = createNoun()
    noun.rows.set('k', { fingerprint: 'a', answered: false })
    await assert.rejects(noun.request('k', 'a', 50), { code: 'unavailable' })
    const waiting = noun.request('k', 'a', 60_000)
    noun.rows.set('k', { fingerprint: 'a', answered: true })
    assert.ok('earlier' in (await waiting))
    assert.equal(noun.count(), 0)
  })
})
