import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { cannotRun, visit } from './testing.ts'
import { faultsOfPages } from './testing-pages.ts'

describe('every page of the console', { skip: cannotRun() }, () => {
  it('is accessible in the light, and cuts nothing off there or on a phone', async () => {
    await using seen = await visit()
    assert.deepEqual(await faultsOfPages(seen, ['light', 'phone'], ['light']), [])
    assert.deepEqual(seen.complaints, [])
  })
})
