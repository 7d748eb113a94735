import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { documentOf, tape, tokenSoup } from './testing/odd-documents.ts'
import { startTracker } from './testing/world.ts'

describe('hostile documents', () => {
  const world = startTracker()
  const answered = (document: string): void => {
    const { status, body } = world.ask(document)
    assert.ok(status === 200 || status === 400, `${status}: ${document}`)
    assert.ok('data' in body || Array.isArray(body.errors))
  }

  it('are answered or refused when they fit the schema: fragments, aliases, pages and depth at random', () => {
    fc.assert(
      fc.property(tape, (numbers) => answered(documentOf(numbers))),
      { numRuns: 3_000, seed: 19 },
    )
  })

  it('are refused when they are no documents at all', () => {
    fc.assert(fc.property(tokenSoup, answered), { numRuns: 20_000, seed: 19 })
  })
})
