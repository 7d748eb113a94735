import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import { createSuite, pythonScorer, registerCommand, runToEnd } from '../../evaluations/testing-runs.ts'
import { testService } from '../../testing.ts'

const value = 'sk-live-0123456789-äöü'

describe('a secret', () => {
  it('is given to the agents that name it, and can be read back nowhere', async () => {
    await using service = await testService()
    const put = await service.call('PUT', '/v1/secrets/model-key', { value, description: 'For the model.' })
    assert.deepEqual([put.status, put.body.name], [200, 'model-key'])
    const made = await service.call('POST', '/v1/agents/register', {
      name: 'holder',
      version: '1',
      run: {
        command:
          'printf "%s" "$MODEL_KEY"; printf "%s" "$MODEL_KEY" | sha256sum | cut -d" " -f1 > $WORK_DIR/output.txt; printf "%s" "x$MODEL_KEY" > $WORK_DIR/copy.bin',
        network: 'none',
        secrets: { MODEL_KEY: 'model-key' },
      },
    })
    assert.ok(made.status < 300, made.text)
    const sha = createHash('sha256').update(value).digest('hex')
    const scorer = pythonScorer('Digest', `return output.strip() == "${sha}"`)
    const suiteId = await createSuite(service, { scorers: [scorer] })
    const { trials, job } = await runToEnd(service, { task_suite_id: suiteId, agents: ['holder@1'] })
    assert.equal(trials[0].passed, true, JSON.stringify(trials[0]))
    const path = `/v1/backtests/jobs/${job.id}/trials/${trials[0].id}`
    const copy = await service.call('GET', `${path}/artifacts/copy.bin`)
    assert.equal(copy.text, 'x[secret]')
    for (const shown of [path, '/v1/secrets', '/v1/agents/holder', '/v1/agents/holder/versions'])
      assert.ok(!(await service.call('GET', shown)).text.includes(value), shown)
    const { rows } = await service.storage.pool.query('select * from agent_secrets')
    assert.ok(!JSON.stringify(rows).includes(value))
  })

  it('that is missing keeps a run from starting, by name; another organization has its own', async () => {
    await using service = await testService()
    const suiteId = await createSuite(service, { scorers: [pythonScorer('Any', 'return 1')] })
    await registerCommand(service, 'plain', { command: 'true' })
    await service.call('POST', '/v1/agents/register', {
      name: 'needs',
      version: '1',
      run: { command: 'true', network: 'none', secrets: { KEY: 'absent' } },
    })
    const start = () =>
      service.call('POST', '/v1/backtests/jobs', { task_suite_id: suiteId, agents: ['needs@1'] })
    const refused = await start()
    assert.deepEqual([refused.status, refused.body.details[0].pointer], [400, '/agents/0'])
    assert.match(refused.body.error, /names the secret absent, which does not exist/)
    const other = await service.call('POST', '/v1/organizations', { name: 'Other' })
    await service.call('PUT', '/v1/secrets/absent', { value }, { key: other.body.key.secret })
    assert.equal((await start()).status, 400)
    assert.deepEqual((await service.call('GET', '/v1/secrets')).body.items, [])
    assert.equal((await service.call('DELETE', '/v1/secrets/absent')).status, 404)
    const gone = await service.call('DELETE', '/v1/secrets/absent', undefined, { key: other.body.key.secret })
    assert.equal(gone.status, 204)
  })
})
