import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { cannotRun, visit } from './testing.ts'
import { faultsOfEmptyPages, faultsOfPages } from './testing-pages.ts'

describe('every page of the console', { skip: cannotRun() }, () => {
  it('is accessible and cuts nothing off, on a desk and on a phone, in the light and in the dark', async () => {
    await using seen = await visit()
    assert.deepEqual(await faultsOfPages(seen, ['light', 'dark', 'phone', 'phoneDark']), [])
    assert.deepEqual(seen.complaints, [])
  })

  it('is accessible and cuts nothing off where there is nothing yet', async () => {
    await using seen = await visit()
    assert.deepEqual(await faultsOfEmptyPages(seen, ['light', 'dark', 'phone', 'phoneDark']), [])
    assert.deepEqual(seen.complaints, [])
  })
})
