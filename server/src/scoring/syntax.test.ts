import assert from 'node:assert/strict'
import { it } from 'node:test'
import { testService } from '../testing.ts'
import { sampleCompany } from '../worlds/sample.ts'

it('a scorer with a syntax error is refused when it is made, changed, or validated in a blueprint', async () => {
  await using service = await testService()
  const scorer = { name: 'Code', kind: 'code', language: 'python', code: 'def handler(*a):\n    return 1\n' }
  const broken = { ...scorer, code: 'def handler(*a:\n    return 1\n' }
  const made = await service.call('POST', '/v1/scorers', scorer)
  assert.equal(made.status, 201, made.text)
  for (const [method, path] of [
    ['POST', '/v1/scorers'],
    ['PUT', `/v1/scorers/${made.body.id}`],
  ] as const) {
    const { status, body } = await service.call(method, path, broken)
    assert.deepEqual([status, body.details?.[0]?.pointer], [400, '/code'], JSON.stringify(body))
    assert.match(body.error, /SyntaxError.*line 1/)
  }
  // biome-ignore lint/suspicious/noExplicitAny: the sample is JSON.
  const blueprint: any = structuredClone(sampleCompany)
  const fine = await service.call('POST', '/v1/builder/worlds/validate', { blueprint })
  assert.deepEqual([fine.body.valid, fine.body.errors], [true, []])
  blueprint.scenario.tasks[1].scorers[0].scorer.code = 'def handler(:'
  const { body } = await service.call('POST', '/v1/builder/worlds/validate', { blueprint })
  assert.deepEqual(
    [body.valid, body.errors[0].pointer],
    [false, '/scenario/tasks/1/scorers/0/scorer/code'],
    JSON.stringify(body),
  )
})
