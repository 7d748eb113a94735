import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createClient } from '../sdk/index.ts'
import { testService } from '../server/src/testing.ts'
import { companyNames, proveCompany } from './prove.ts'

describe('the library of companies', () => {
  it('has at least six companies, in each of which an oracle passes, and an idle or a meddling agent fails', async () => {
    await using service = await testService()
    const client = createClient({ baseUrl: service.baseUrl, apiKey: service.key })
    const names = await companyNames()
    assert.ok(names.length >= 6)
    for (const name of names) {
      const proof = await proveCompany(client, name)
      assert.deepEqual(proof.faults, [], name)
      assert.deepEqual(
        [proof.oraclePassed, proof.idlePassed, proof.meddlerPassed ?? 0],
        [proof.tasks, 0, 0],
        name,
      )
      assert.ok(proof.tasks >= 3 && proof.tasks <= 5, name)
    }
  })
})
