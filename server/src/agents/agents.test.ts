import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { testService } from '../testing.ts'

const first = {
  name: 'helper',
  version: '1.0.0',
  framework: 'own',
  model: { provider: 'openai', id: 'small' },
  instructions: 'Help.',
  tools: [{ name: 'lookup', description: 'Looks things up.' }],
  metadata: { owner: 'ana' },
}

describe('registering an agent', () => {
  it('makes a current version, and the same again changes nothing', async () => {
    await using service = await testService()
    const made = await service.call('POST', '/v1/agents/register', first)
    assert.equal(made.status, 201)
    assert.equal(made.body.status, 'current')
    assert.equal(made.body.reference, 'helper@1.0.0')
    const again = await service.call('POST', '/v1/agents/register', {
      ...first,
      tools: [{ description: 'Looks things up.', name: 'lookup' }],
      metadata: { owner: 'someone else' },
    })
    assert.equal(again.status, 200)
    assert.deepEqual(again.body, made.body)
    const read = await service.call('GET', '/v1/agents/helper')
    assert.equal(read.body.metadata.owner, 'ana')
    assert.equal(read.body.current_version, '1.0.0')
    assert.deepEqual(read.body.versions[0].model, first.model)
    assert.equal(read.body.runs.count, 0)
    assert.equal(read.body.runs.success_rate, null)
  })

  it('refuses other content under the same version, and names what differs', async () => {
    await using service = await testService()
    await service.call('POST', '/v1/agents/register', first)
    const other = await service.call('POST', '/v1/agents/register', {
      ...first,
      instructions: 'Hinder.',
      runCommand: 'node agent.js',
    })
    assert.equal(other.status, 409)
    assert.match(other.body.error, /instructions, run/)
    assert.deepEqual(
      other.body.details.map(({ pointer }: { pointer: string }) => pointer),
      ['/instructions', '/run'],
    )
  })

  it('moves the former current version to stable, and drafts leave it alone', async () => {
    await using service = await testService()
    const register = (version: string, more = {}) =>
      service.call('POST', '/v1/agents/register', { ...first, version, ...more })
    await register('1')
    await register('2')
    await register('3-rc', { status: 'draft' })
    const statuses = async () =>
      Object.fromEntries(
        (await service.call('GET', '/v1/agents/helper')).body.versions.map(
          ({ version, status }: { version: string; status: string }) => [version, status],
        ),
      )
    assert.deepEqual(await statuses(), { 1: 'stable', 2: 'current', '3-rc': 'draft' })
    await register('1')
    assert.deepEqual(await statuses(), { 1: 'stable', 2: 'current', '3-rc': 'draft' })
    const promoted = await service.call('PATCH', '/v1/agents/helper/versions/3-rc', { status: 'current' })
    assert.equal(promoted.body.status, 'current')
    assert.deepEqual(await statuses(), { 1: 'stable', 2: 'stable', '3-rc': 'current' })
    assert.equal((await service.call('GET', '/v1/agents/helper/versions/current')).body.version, '3-rc')
    await service.call('PATCH', '/v1/agents/helper/versions/3-rc', { status: 'deprecated' })
    assert.equal((await service.call('GET', '/v1/agents/helper')).body.current_version, null)
    assert.equal((await service.call('GET', '/v1/agents/helper/versions/current')).status, 404)
  })

  it('of fifty current versions at once leaves exactly one current', async () => {
    await using service = await testService()
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        service.call('POST', '/v1/agents/register', { ...first, version: `v${n}` }),
      ),
    )
    assert.deepEqual([...new Set(replies.map(({ status }) => status))], [201])
    const { body } = await service.call('GET', '/v1/agents/helper')
    const current = body.versions.filter(({ status }: { status: string }) => status === 'current')
    assert.equal(current.length, 1)
    assert.equal(body.current_version, current[0].version)
    assert.equal(body.version_count, 50)
    assert.equal(body.versions.filter(({ status }: { status: string }) => status === 'stable').length, 49)
  })

  it('of one version with fifty contents at once has one winner and 49 conflicts', async () => {
    await using service = await testService()
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        service.call('POST', '/v1/agents/register', { ...first, instructions: `Do ${n}.` }),
      ),
    )
    const made = replies.filter(({ status }) => status === 201)
    assert.equal(made.length, 1)
    assert.equal(replies.filter(({ status }) => status === 409).length, 49)
    const { body } = await service.call('GET', '/v1/agents/helper/versions/1.0.0')
    assert.equal(body.instructions, made[0]?.body.instructions)
    assert.equal((await service.call('GET', '/v1/agents/helper')).body.version_count, 1)
  })

  it('refuses names, versions and files that cannot be used, each by its field', async () => {
    await using service = await testService()
    const faults = async (change: object) => {
      const { status, body } = await service.call('POST', '/v1/agents/register', { ...first, ...change })
      assert.equal(status, 400, JSON.stringify(change))
      return body.details.map(({ pointer }: { pointer: string }) => pointer)
    }
    assert.deepEqual(await faults({ name: 'runs' }), ['/name'])
    assert.deepEqual(await faults({ name: 'a@b' }), ['/name'])
    assert.deepEqual(await faults({ version: 'current' }), ['/version'])
    assert.deepEqual(await faults({ files: { '../x': '', '/etc/passwd': '', 'a//b': '' } }), [
      '/files/..~1x',
      '/files/~1etc~1passwd',
      '/files/a~1~1b',
    ])
    assert.deepEqual(await faults({ files: { a: '', 'a/b': '' } }), ['/files/a~1b'])
    assert.deepEqual(await faults({ run: { command: 'x' }, run_command: 'y' }), ['/run_command'])
    assert.deepEqual(await faults({ instuctions: 'x' }), ['/instuctions'])
  })

  it('takes free version strings and gives back files, command and environment', async () => {
    await using service = await testService()
    const version = '2026.03_β+build:7'
    const body = {
      ...first,
      version,
      run: { command: ['node', 'agent.js'], timeout_seconds: 30, env: { MODE: 'x' }, network: 'none' },
      files: { 'agent.js': 'console.log(1)', 'lib/a.js': '' },
    }
    assert.equal((await service.call('POST', '/v1/agents/register', body)).status, 201)
    const read = await service.call('GET', `/v1/agents/helper/versions/${encodeURIComponent(version)}`)
    assert.deepEqual(read.body.run, body.run)
    assert.deepEqual(read.body.files, body.files)
  })
})

describe('agents', () => {
  it('keep editable metadata beside immutable versions', async () => {
    await using service = await testService()
    await service.call('POST', '/v1/agents/register', first)
    const changed = await service.call('PATCH', '/v1/agents/helper', {
      description: 'Helps.',
      owner: 'ben',
      metadata: { tier: 2, purpose: null },
    })
    assert.equal(changed.status, 200)
    assert.equal(changed.body.description, 'Helps.')
    assert.deepEqual(changed.body.metadata, { owner: 'ben', tier: 2 })
    assert.equal((await service.call('PATCH', '/v1/agents/nobody', { owner: 'x' })).status, 404)
  })

  it('are listed newest first in pages, and belong to their organization alone', async () => {
    await using service = await testService()
    for (const name of ['a', 'b', 'c']) await service.call('POST', '/v1/agents/register', { ...first, name })
    const page = await service.call('GET', '/v1/agents?limit=2')
    assert.deepEqual(
      page.body.items.map(({ name }: { name: string }) => name),
      ['c', 'b'],
    )
    const rest = await service.call('GET', `/v1/agents?limit=2&cursor=${page.body.next_cursor}`)
    assert.deepEqual(
      rest.body.items.map(({ name }: { name: string }) => name),
      ['a'],
    )
    const { body } = await service.call('POST', '/v1/organizations', { name: 'Other' })
    const theirs = { key: body.key.secret }
    assert.equal((await service.call('GET', '/v1/agents/a', undefined, theirs)).status, 404)
    assert.deepEqual((await service.call('GET', '/v1/agents', undefined, theirs)).body.items, [])
  })

  it('are read with the class platform or the scope agents:read, and written with agents:write', async () => {
    await using service = await testService()
    const keyWith = async (scopes: string[]) => ({
      key: (await service.call('POST', '/v1/api-keys', { name: 'k', scopes })).body.secret,
    })
    const writer = await keyWith(['agents:write'])
    const reader = await keyWith(['agents:read'])
    assert.equal((await service.call('POST', '/v1/agents/register', first, writer)).status, 201)
    assert.equal((await service.call('GET', '/v1/agents', undefined, writer)).status, 403)
    assert.equal((await service.call('GET', '/v1/agents', undefined, reader)).status, 200)
    assert.equal((await service.call('POST', '/v1/agents/register', first, reader)).status, 403)
  })
})
