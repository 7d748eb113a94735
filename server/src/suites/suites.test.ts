import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type TestService, testService } from '../testing.ts'

const code = 'def handler(input, output, expected, metadata):\n    return {"score": 1}\n'
const scorer = (name: string, more: object = {}) => ({
  name,
  kind: 'code',
  language: 'python',
  code,
  ...more,
})

const start = async (service: TestService) => {
  const suite = (await service.call('POST', '/v1/task-suites', { name: 'Suite' })).body
  const path = `/v1/task-suites/${suite.id}`
  const made = (await service.call('POST', '/v1/scorers', scorer('Always one'))).body
  const task = await service.call('POST', `${path}/tasks`, {
    title: 'First',
    instruction: 'Do it',
    expected_outcome: 'Done',
    scorers: [{ scorer_id: made.id, weight: 'high', pass_threshold: 0.5 }],
  })
  assert.equal(task.status, 201, task.text)
  return { suite, path, scorer: made, task: task.body }
}

describe('task suites', () => {
  it('keep tasks in order, change only what is sent, and forget what is deleted', async () => {
    await using service = await testService()
    const { path, task } = await start(service)
    const second = (await service.call('POST', `${path}/tasks`, { title: 'Second', instruction: 'Again' }))
      .body
    const changed = await service.call('PATCH', `${path}/tasks/${task.id}`, { title: 'Changed' })
    assert.deepEqual([changed.body.title, changed.body.instruction], ['Changed', 'Do it'])
    const page = await service.call('GET', `${path}/tasks?limit=1`)
    const rest = await service.call('GET', `${path}/tasks?limit=1&cursor=${page.body.next_cursor}`)
    assert.deepEqual([page.body.items[0].id, rest.body.items[0].id], [task.id, second.id])
    for (const at of [
      ['n', 1.5],
      ['s', 'x'],
      ['d', 0],
    ]) {
      const cursor = Buffer.from(JSON.stringify([1, ...at, 'tsk_x'])).toString('base64url')
      const foreign = await service.call('GET', `${path}/tasks?cursor=${cursor}`)
      assert.deepEqual([foreign.status, foreign.body.code], [400, 'invalid_cursor'])
    }
    assert.equal((await service.call('DELETE', `${path}/tasks/${second.id}`)).status, 204)
    assert.equal((await service.call('GET', `${path}/tasks/${second.id}`)).status, 404)
    assert.equal((await service.call('GET', path)).body.task_count, 1)
  })

  it('freeze versions that nothing changes afterwards, and say what differs between two', async () => {
    await using service = await testService()
    const { path, task, scorer: one } = await start(service)
    const first = await service.call('POST', `${path}/versions`, { label: 'v1' })
    assert.equal(first.status, 201)
    const frozen = await service.call('GET', `${path}/versions/${first.body.id}`)
    await service.call('PATCH', `${path}/tasks/${task.id}`, { instruction: 'Do it twice' })
    await service.call('PUT', `/v1/scorers/${one.id}`, scorer('Always one', { code: `${code}# edited\n` }))
    const second = await service.call('POST', `${path}/versions`, { label: 'v2' })
    assert.deepEqual((await service.call('GET', `${path}/versions/${first.body.id}`)).body, frozen.body)
    const compared = await service.call('GET', `${path}/versions/${first.body.id}/compare/${second.body.id}`)
    assert.deepEqual(compared.body.changed[0].fields, { instruction: ['Do it', 'Do it twice'] })
    await service.call('PUT', `${path}/tasks/${task.id}/scorers`, [{ scorer_id: one.id }])
    const third = await service.call('POST', `${path}/versions`, {})
    const detail = await service.call('GET', `${path}/versions/${third.body.id}`)
    assert.match(detail.body.tasks[0].scorers[0].definition.code, /# edited/)
    assert.equal(detail.body.tasks[0].scorers[0].scorer_version, 2)
  })

  it('refuse scorers and worlds that do not exist, and changes after they were archived', async () => {
    await using service = await testService()
    const { path, task } = await start(service)
    const unknown = await service.call('PUT', `${path}/tasks/${task.id}/scorers`, {
      scorers: [{ scorer_id: 'scr_x' }],
    })
    assert.deepEqual([unknown.status, unknown.body.details[0].pointer], [400, '/scorers/0/scorer_id'])
    const world = await service.call('PATCH', `${path}/tasks/${task.id}`, {
      environment_version_id: 'envv_x',
    })
    assert.equal(world.body.details[0].pointer, '/environment_version_id')
    assert.ok((await service.call('DELETE', path)).body.archived_at)
    assert.equal((await service.call('PATCH', path, { name: 'No' })).status, 409)
    assert.deepEqual((await service.call('GET', '/v1/task-suites')).body.items, [])
    assert.equal((await service.call('GET', '/v1/task-suites?include_archived=true')).body.items.length, 1)
  })
})

describe('the scorer library', () => {
  it('derives slugs, refuses a taken one, counts versions and archives', async () => {
    await using service = await testService()
    const first = await service.call('POST', '/v1/scorers', scorer('Näh, it works!'))
    const second = await service.call('POST', '/v1/scorers', scorer('Nah it works'))
    assert.deepEqual([first.body.slug, second.body.slug], ['nah-it-works', 'nah-it-works-2'])
    const third = await service.call('POST', '/v1/scorers', scorer('Nah: it works'))
    assert.equal(third.body.slug, 'nah-it-works-3', third.text)
    const taken = await service.call('POST', '/v1/scorers', scorer('Other', { slug: second.body.slug }))
    assert.equal(taken.status, 409)
    const updated = await service.call('PUT', `/v1/scorers/${first.body.id}`, scorer('Renamed'))
    assert.deepEqual(
      [updated.body.version, updated.body.slug, updated.body.name],
      [2, 'nah-it-works', 'Renamed'],
    )
    assert.ok((await service.call('DELETE', `/v1/scorers/${first.body.id}`)).body.archivedAt)
    assert.equal((await service.call('GET', '/v1/scorers')).body.items.length, 2)
  })

  it('names every fault of a definition', async () => {
    await using service = await testService()
    const bad = await service.call('POST', '/v1/scorers', { name: 'x', kind: 'code', passThreshold: 2 })
    assert.equal(bad.status, 400)
    assert.deepEqual(
      bad.body.details.map(({ pointer }: { pointer: string }) => pointer),
      ['/code', '/language', '/passThreshold'],
    )
  })

  it('takes a scorer that has a name and nothing else: a judge of the expected outcome', async () => {
    await using service = await testService()
    const judge = await service.call('POST', '/v1/scorers', { name: 'x' })
    assert.deepEqual([judge.status, judge.body.kind], [201, 'llm-judge'])
  })
})
