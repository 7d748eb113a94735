import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { testService } from '../../testing.ts'

const agent = {
  name: 'helper',
  version: '1',
  run: { command: 'true', env: { API_KEY: 'sk-live-0123456789', MODE: 'π' } },
}
const path = '/v1/agents/helper/versions/1'

describe('the variables of an agent', () => {
  it('are encrypted in the database, and shown only to callers who may write agents', async () => {
    await using service = await testService()
    assert.equal((await service.call('POST', '/v1/agents/register', agent)).status, 201)
    const rows = async () =>
      JSON.stringify((await service.storage.pool.query('select * from agent_versions')).rows)
    assert.doesNotMatch(await rows(), /sk-live|π/)
    assert.deepEqual((await service.call('GET', path)).body.run.env, agent.run.env)
    const scopes = ['agents:read']
    const { body } = await service.call('POST', '/v1/api-keys', { name: 'reader', scopes })
    const shown = await service.call('GET', path, undefined, { key: body.secret })
    assert.deepEqual(shown.body.run.env, { API_KEY: '(hidden)', MODE: '(hidden)' })
  })

  it('that were stored before they were sealed are sealed, and stay the same content', async () => {
    await using service = await testService()
    await service.call('POST', '/v1/agents/register', agent)
    await service.storage.pool.query(
      `update agent_versions set run = run - 'sealed_env' || jsonb_build_object('env', $1::jsonb)`,
      [JSON.stringify(agent.run.env)],
    )
    assert.deepEqual((await service.call('GET', path)).body.run.env, agent.run.env)
    assert.equal(await service.app.agents.agents.store.sealPlain(), 1)
    assert.equal(await service.app.agents.agents.store.sealPlain(), 0)
    const { rows } = await service.storage.pool.query('select run::text from agent_versions')
    assert.doesNotMatch(rows[0].run, /sk-live/)
    assert.deepEqual((await service.call('GET', path)).body.run.env, agent.run.env)
    assert.equal((await service.call('POST', '/v1/agents/register', agent)).status, 200)
  })
})
