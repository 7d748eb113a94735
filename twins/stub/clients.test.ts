import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { serveTwin } from '@diorama/twin-kit/testing/host'
import axios from 'axios'
import { section } from './section.ts'
import { stub } from './twin.ts'

describe('an ordinary HTTP client', () => {
  it('works with a service that it knows from its document alone', async () => {
    await using served = await serveTwin(stub, section.parse(stub.sample))
    const client = axios.create({
      baseURL: `${served.baseUrl}/parts`,
      headers: { 'x-api-key': served.token },
      validateStatus: () => true,
    })
    const made = await client.post('/parts', { name: 'Lamp' })
    assert.deepEqual([made.status, made.data], [201, { id: 2, name: 'Lamp' }])
    assert.deepEqual((await client.get('/parts')).data.length, 2)
    assert.equal((await client.delete('/parts/2')).status, 204)
    assert.equal((await client.get('/parts/2')).status, 404)
    assert.equal(
      (await axios.get(`${served.baseUrl}/parts/parts`, { validateStatus: () => true })).status,
      401,
    )
  })
})
